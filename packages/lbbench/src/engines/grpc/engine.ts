import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";
import { someTime, TIME_EXPECTED } from "../../config/values.js";
import type { Load } from "../../plugin.js";
import { closedConnections } from "../../stats/load.js";
import { generatorEngine } from "../generators.js";
import { checkTls } from "../sockets.js";

/** What can be said about how the engine calls. */
const grpcOptions = z.strictObject({
  /** File that declares the service; the sample service's without it. */
  proto: z.string().min(1).optional(),
  /**
   * The method, `package.Service/Method`, which takes one message. Not needed for the sample service, nor for a file with a single unary
   * method.
   */
  call: z
    .string()
    .regex(/^[^\s/]+[./][^\s./]+$/, 'expected a method, written "package.Service/Method"')
    .optional(),
  /** Connections that the users of a level share evenly; a level of fewer users opens as many as it has users. */
  channels: z.int().min(1).max(10_000).default(DEFAULTS.grpc.channels),
  /** How long a call may take, which the server is told; in ms once it is read. None by default. */
  deadline: z.union([someTime(), z.number().positive()], `${TIME_EXPECTED}, or a number of ms`).optional(),
});

/** Options of the engine, with their defaults. */
export type GrpcOptions = z.output<typeof grpcOptions>;

/**
 * Calls a gRPC method that takes one message, and answers with one or with a stream. The connections of a level are its users, each with one
 * call under way, and they share a few channels; so do users that come one after another, and the calls of a rate. Statuses are outcomes: OK
 * is `ok`, any other that the server sends is `non2xx`.
 */
export const grpcEngine = generatorEngine({
  name: "grpc",
  supports: {
    protocols: ["grpc"],
    loads: ["connections", "rate", "users"],
    keepAliveOff: false,
    connecting: true,
    slices: true,
    fills: true,
    tlsVerification: true,
  },
  options: grpcOptions,
  check: async ({ options, request, timeoutMs, tls }, { folder }) => {
    checkTls(tls, folder);
    await readCall({ options: grpcOptions.parse(options), request, timeoutMs }, folder);
  },
  share: async ({ url, level, arrival, request, timeoutMs, options: asked }, { folder }) => {
    // What reads messages is loaded only when it is needed.
    const { parseGrpcTarget } = await import("./call.js");
    parseGrpcTarget(url);
    const options = grpcOptions.parse(asked);
    await readCall({ options, request, timeoutMs }, folder);
    const hasRate = level.rate !== undefined && arrival !== undefined;
    const most = hasRate ? arrival.maxInFlight : (level.users ?? closedConnections(level));
    const channels = Math.min(options.channels, most);
    return { options, pool: { channels }, connections: hasRate ? undefined : channels };
  },
});

/** Rejects with an `Error` for calls that cannot be made. */
async function readCall(
  { options, request, timeoutMs }: Pick<Load, "request" | "timeoutMs"> & { readonly options: GrpcOptions },
  folder: string,
): Promise<void> {
  const { deadline = 0 } = options;
  if (deadline >= timeoutMs) {
    throw new Error(
      `deadline (--deadline): expected a time below the timeout (--timeout), which is ${timeoutMs}ms, got ${deadline}ms. Lower it, or raise the timeout.`,
    );
  }
  const { resolveCall } = await import("./call.js");
  await resolveCall({ options, request }, folder);
}
