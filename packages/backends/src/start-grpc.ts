import {
  BackendStartError,
  expectOneOf,
  expectWhole,
  resolveAddress,
  runningHere,
  urlOf,
  type BackendOptions,
  type RunningBackend,
} from "./backend.js";
import { BACKEND_LIMITS, GRPC_DEFAULTS } from "./defaults.js";
import { GRPC_REFUSALS, parseUpstream, type GrpcRefusal } from "./grpc-sample.js";
import { resolveHandler } from "./handlers.js";
import { serveHandler } from "./http-server.js";

// What speaks gRPC (`grpc.js`) is loaded in the functions, so that servers which do without it start as fast as ever.

/** What a gRPC server is started with. */
export interface GrpcOptions extends BackendOptions {
  /**
   * Calls in progress, at least 1, beyond which calls are refused at once; no limit when absent. A call that its client
   * gave up is no longer in progress.
   */
  readonly maxCalls?: number;
  /** Status of a call that is refused; `UNAVAILABLE` by default. */
  readonly refuseWith?: GrpcRefusal;
}

/** A gRPC server that answers. */
export interface RunningGrpc extends RunningBackend {
  /** Calls refused since the start because of `maxCalls`; they are among `requests`. */
  readonly refused: () => Promise<number>;
}

/**
 * Starts a gRPC server (`GRPC_SAMPLE`, without TLS) in this process; resolves when it listens at `grpc://host:port`. A
 * 503 of the handler ends the call with UNAVAILABLE, any other 5xx with INTERNAL. Throws a `HandlerSpecError` or a
 * `BackendStartError`.
 */
export async function startGrpc(options: GrpcOptions): Promise<RunningGrpc> {
  const { identify = false, maxCalls, refuseWith = GRPC_DEFAULTS.refuseWith } = options;
  const handler = resolveHandler(options.handler);
  const address = resolveAddress(options);
  if (maxCalls !== undefined && (!Number.isInteger(maxCalls) || maxCalls < 1)) {
    throw new BackendStartError(`maxCalls: expected a whole number of at least 1, or none, got ${maxCalls}.`);
  }
  expectOneOf("refuseWith", GRPC_REFUSALS, refuseWith);
  const { serveWork } = await import("./grpc.js");
  const { port, calls, refused, stop } = await serveWork(handler, address, identify, maxCalls ?? Infinity, refuseWith);
  const url = urlOf({ host: address.host, port }, "grpc");
  return { ...runningHere({ url, port, requests: calls, stop }), refused: async () => refused() };
}

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
  expectWhole("channels", channels, 1, BACKEND_LIMITS.channels);
  expectWhole("deadlineMs", deadlineMs, 1, BACKEND_LIMITS.deadlineMs);
  const { openGateway } = await import("./grpc.js");
  const { handler, close } = await openGateway(target, channels, deadlineMs);
  try {
    const { stop, ...server } = await serveHandler(handler, address, identify);
    return runningHere({ ...server, stop: (graceMs) => stop(graceMs).finally(close) });
  } catch (error) {
    close();
    throw error;
  }
}
