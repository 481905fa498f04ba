import { GRPC_DEFAULTS } from "@lbbench/backends/defaults";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import type { Server } from "../plugin.js";
import { handlerOption, portOption } from "./options.js";
import { startBackend } from "./start-backend.js";
import { nameWithin, startInFront } from "./start-in-front.js";

const MOST_CHANNELS = 1024;

const options = z.strictObject({
  handler: handlerOption,
  /** Connections to the service. */
  channels: z.int().min(1).max(MOST_CHANNELS).default(GRPC_DEFAULTS.channels),
  deadlineMs: z.int().min(1).default(GRPC_DEFAULTS.deadlineMs),
  port: portOption,
});

/**
 * An HTTP server that calls a gRPC service, in a process of its own, once for each request. Options: `handler` (of the
 * service), `channels`, `deadlineMs`, `port`.
 */
export const grpcGatewayServer: Server<z.infer<typeof options>> = {
  name: "grpc-gateway",
  options,
  start: ({ handler, ...chosen }, context) => {
    const service = {
      name: "grpc",
      server: "grpc",
      options: { handler, port: 0, refuseWith: GRPC_DEFAULTS.refuseWith },
    };
    return startInFront([{ ...service, count: 1, weight: 1 }], context, async ([upstream]) => {
      const gateway = await startBackend(
        "gateway",
        { kind: "grpc-gateway", options: { ...chosen, upstream: upstream?.url ?? "", host: DEFAULTS.host } },
        { ...context, name: nameWithin(context, "gateway") },
      );
      // It stands in front of what does the work, as a balancer does.
      return { ...gateway, processes: gateway.processes.map((one) => ({ ...one, role: "balancer" as const })) };
    });
  },
};
