import { resolveAddress } from "./address.js";
import { BackendStartError, cannotListen } from "./backend-start-error.js";
import { GRPC_DEFAULTS } from "./defaults.js";
import { grpcUrlOf } from "./grpc/grpc-url.js";
import { REFUSALS, type Refusal } from "./grpc/refusals.js";
import { resolveHandler } from "./resolve-handler.js";
import type { BackendOptions, RunningBackend } from "./running-backend.js";
import { runningHere } from "./running-here.js";

/** What a gRPC server is started with. */
export interface GrpcOptions extends BackendOptions {
  /**
   * Calls in progress, at least 1, beyond which calls are refused at once; no limit when absent. A call that its client
   * gave up is no longer in progress.
   */
  readonly maxCalls?: number;
  /** Status of a call that is refused; `UNAVAILABLE` by default. */
  readonly refuseWith?: Refusal;
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
  checkLimit(maxCalls, refuseWith);
  // Loaded here, so that servers which do without gRPC start as fast as ever.
  const [{ listenGrpc }, { loadWorkMethod }, { workService }] = await Promise.all([
    import("./grpc/grpc-listener.js"),
    import("./grpc/work-method.js"),
    import("./grpc/work-service.js"),
  ]);
  const service = workService(handler, { identify, maxCalls, refuseWith });
  const listener = await listenGrpc(await loadWorkMethod(), service.answer, address).catch(
    (error: NodeJS.ErrnoException) => {
      throw cannotListen(address.host, address.port, error);
    },
  );
  const running = runningHere({
    url: grpcUrlOf({ host: address.host, port: listener.port }),
    port: listener.port,
    requests: service.calls,
    stop: listener.stop,
  });
  return { ...running, refused: async () => service.refused() };
}

function checkLimit(maxCalls: number | undefined, refuseWith: string): void {
  if (maxCalls !== undefined && (!Number.isInteger(maxCalls) || maxCalls < 1)) {
    throw new BackendStartError(`maxCalls: expected a whole number of at least 1, or none, got ${maxCalls}.`);
  }
  if (!REFUSALS.some((name) => name === refuseWith)) {
    throw new BackendStartError(`refuseWith: expected one of ${REFUSALS.join(", ")}, got "${refuseWith}".`);
  }
}
