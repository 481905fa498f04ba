import { type BackendOptions, BackendStartError, checkOptions, type RunningBackend, serveHandler } from "./backend.js";
import { GRPC_DEFAULTS, type GrpcRefusal } from "./defaults.js";
import { resolveHandler } from "./handlers.js";

// What speaks gRPC (`grpc.js`) is loaded in the functions, so that servers which do without it start as fast as ever.

/** What a gRPC server is started with. */
export interface GrpcOptions extends BackendOptions {
  /** Calls in progress, at least 1, beyond which calls are refused at once; no limit when absent. */
  readonly maxCalls?: number;
  /** Status of a call that is refused; `UNAVAILABLE` by default. */
  readonly refuseWith?: GrpcRefusal;
}

/** A gRPC server that answers. */
export interface RunningGrpc extends RunningBackend {
  /** Calls refused because of `maxCalls`; they are among `requests`. */
  readonly refused: () => Promise<number>;
}

/**
 * Starts a gRPC server (`GRPC_SAMPLE`, without TLS) in this process; resolves when it listens at `grpc://host:port`.
 * Throws a `HandlerSpecError` or a `BackendStartError`.
 */
export async function startGrpc(options: GrpcOptions): Promise<RunningGrpc> {
  const { maxCalls = Infinity, refuseWith = GRPC_DEFAULTS.refuseWith } = options;
  const handler = resolveHandler(options.handler);
  const endpoint = await checkOptions(options);
  const { serveWork } = await import("./grpc.js");
  return serveWork(handler, endpoint, maxCalls, refuseWith);
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
 * it listens, whether or not the service does. Throws a `BackendStartError`.
 */
export async function startGrpcGateway(options: GrpcGatewayOptions): Promise<RunningBackend> {
  const { channels = GRPC_DEFAULTS.channels, deadlineMs = GRPC_DEFAULTS.deadlineMs } = options;
  const target = parseUpstream(options.upstream);
  const endpoint = await checkOptions(options);
  const { openGateway } = await import("./grpc.js");
  const { handler, close } = await openGateway(target, channels, deadlineMs);
  // A gateway that cannot listen has opened no connection: they are opened by the first call.
  return serveHandler(handler, endpoint, close);
}

/** `host:port` of a URL like `grpc://host:port`; throws a `BackendStartError` for anything else. */
export function parseUpstream(text: string): string {
  const [, host] = (URL.canParse(text) && /^grpc:\/\/([^/@?#]+:\d+)$/.exec(text)) || [];
  if (host !== undefined) return host;
  throw new BackendStartError(`upstream: expected a URL like grpc://127.0.0.1:50051, got "${text}".`);
}
