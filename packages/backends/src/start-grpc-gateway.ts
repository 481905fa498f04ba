import { resolveAddress, urlOf } from "./address.js";
import { BackendStartError, cannotListen } from "./backend-start-error.js";
import { GRPC_DEFAULTS } from "./defaults.js";
import { parseUpstream } from "./grpc/grpc-url.js";
import { serveHandler } from "./handler-server.js";
import type { BackendOptions, RunningBackend } from "./running-backend.js";
import { runningHere } from "./running-here.js";
import { stopServer } from "./stop-server.js";

/** Longest delay of a timer, in ms. */
const MAX_DELAY_MS = 2 ** 31 - 1;
const MAX_CHANNELS = 1024;

/** What a gateway is started with. */
export interface GrpcGatewayOptions extends Omit<BackendOptions, "handler"> {
  /** The gRPC service that does the work, as `grpc://host:port`. */
  readonly upstream: string;
  /** Channels to it, each a connection of its own, used in turn; 1 by default. */
  readonly channels?: number;
  /** How long a call may take, in ms; 30 s by default. */
  readonly deadlineMs?: number;
}

/**
 * Starts an HTTP server in this process that calls a gRPC service (`GRPC_SAMPLE`) once for each request; resolves when
 * it listens, whether or not the service does. It answers with the reply's status, content type and body; when the call
 * fails, with 503 for UNAVAILABLE and RESOURCE_EXHAUSTED, 504 for DEADLINE_EXCEEDED, and 502 for anything else. Throws a
 * `BackendStartError`.
 */
export async function startGrpcGateway(options: GrpcGatewayOptions): Promise<RunningBackend> {
  const { channels = GRPC_DEFAULTS.channels, deadlineMs = GRPC_DEFAULTS.deadlineMs, identify = false } = options;
  const target = parseUpstream(options.upstream);
  const address = resolveAddress(options);
  checkWhole("channels", channels, MAX_CHANNELS);
  checkWhole("deadlineMs", deadlineMs, MAX_DELAY_MS);
  // Loaded here, so that servers which do without gRPC start as fast as ever.
  const [{ gatewayHandler }, { openChannels }, { loadWorkMethod }] = await Promise.all([
    import("./grpc/gateway-handler.js"),
    import("./grpc/work-channels.js"),
    import("./grpc/work-method.js"),
  ]);
  const upstream = openChannels(await loadWorkMethod(), target, channels, deadlineMs);
  const { server, port, requests } = await serveHandler(gatewayHandler(upstream), address, identify).catch(
    (error: NodeJS.ErrnoException) => {
      upstream.close();
      throw cannotListen(address.host, address.port, error);
    },
  );
  return runningHere({
    url: urlOf({ host: address.host, port }),
    port,
    requests,
    stop: (graceMs) => stopServer(server, graceMs).finally(() => upstream.close()),
  });
}

function checkWhole(name: string, value: number, max: number): void {
  if (!Number.isInteger(value) || value < 1 || value > max) {
    throw new BackendStartError(`${name}: expected a whole number from 1 to ${max}, got ${value}.`);
  }
}
