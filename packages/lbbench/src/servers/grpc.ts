import { GRPC_DEFAULTS } from "@lbbench/backends/defaults";
import { GRPC_REFUSALS } from "@lbbench/backends/options";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import type { Server } from "../plugin.js";
import { handlerOption, portOption } from "./options.js";
import { startBackend } from "./start-backend.js";

const options = z.strictObject({
  handler: handlerOption,
  /** Calls in progress beyond which calls are refused; no limit without it. */
  maxCalls: z.int().min(1).optional(),
  refuseWith: z.enum(GRPC_REFUSALS).default(GRPC_DEFAULTS.refuseWith),
  port: portOption,
});

/**
 * A gRPC service that does the work of the sample servers, one unary call for each request. Options: `handler`,
 * `maxCalls`, `refuseWith`, `port`.
 */
export const grpcServer: Server<z.infer<typeof options>> = {
  name: "grpc",
  options,
  protocol: () => "grpc",
  start: ({ maxCalls, ...chosen }, context) => {
    const limit = maxCalls === undefined ? {} : { maxCalls };
    return startBackend("grpc", { kind: "grpc", options: { ...chosen, ...limit, host: DEFAULTS.host } }, context);
  },
};
