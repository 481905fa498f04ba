import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";
import { closedConnections } from "../../stats/load.js";
import { driveGenerators, type CompleteEngine } from "../generators.js";
import { splitEvenly, splitLevel } from "../shares.js";

/** What can be said about how the engine calls. */
const grpcOptions = z.strictObject({
  /** File that declares the service; the sample service's without it. */
  proto: z.string().min(1).optional(),
  /**
   * The unary method, `package.Service/Method`. Not needed for the sample service, nor for a file with a single unary
   * method.
   */
  call: z
    .string()
    .regex(/^[^\s/]+[./][^\s./]+$/, 'expected a method, written "package.Service/Method"')
    .optional(),
  /** Connections that the users of a level share evenly; a level of fewer users opens as many as it has users. */
  channels: z.int().min(1).max(10_000).default(DEFAULTS.grpc.channels),
});

/** Options of the engine, with their defaults. */
export type GrpcOptions = z.output<typeof grpcOptions>;

/**
 * Calls a unary gRPC method in a closed loop: the connections of a level are its users, each with one call under way, and
 * they share a few channels; so do users that come one after another. Statuses are outcomes: OK is `ok`, any other that
 * the server sends is `non2xx`.
 */
export const grpcEngine: CompleteEngine = {
  name: "grpc",
  supports: {
    protocols: ["grpc"],
    loads: ["connections", "users"],
    keepAliveOff: false,
    slices: true,
    fills: true,
    tlsVerification: true,
  },
  options: grpcOptions,
  check: async ({ options, request }, { folder }) => {
    // The library is loaded only when it is needed.
    const { resolveCall } = await import("./call.js");
    await resolveCall({ options: grpcOptions.parse(options), request }, folder);
  },
  run: async (load, context) => {
    const { parseGrpcTarget, resolveCall } = await import("./call.js");
    parseGrpcTarget(load.url);
    const options = grpcOptions.parse(load.options);
    await resolveCall({ options, request: load.request }, context.folder);
    const channels = Math.min(options.channels, load.level.users ?? closedConnections(load.level));
    const levels = splitLevel(load.level, Math.min(load.generators, channels));
    const split = splitEvenly(channels, levels.length);
    const shares = levels.map((level, index) => ({ ...load, level, options: { ...options, channels: split[index] } }));
    return driveGenerators({ engine: "grpc", shares, asked: { ...load.level, connections: channels } }, context);
  },
};
