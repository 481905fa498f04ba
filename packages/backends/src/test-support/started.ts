import { onTestFinished } from "vitest";
import { type BackendOptions, type RunningBackend, startSingle } from "../backend.js";
import { startCluster, type ClusterOptions, type RunningCluster } from "../start-cluster.js";
import {
  startGrpc,
  startGrpcGateway,
  type GrpcGatewayOptions,
  type GrpcOptions,
  type RunningGrpc,
} from "../start-grpc.js";
import { startWebSocket, type WebSocketOptions } from "../start-websocket.js";
import { startPool, type PoolOptions, type RunningPool } from "../start-pool.js";

// Each starts a server that ends with the test; a text is its handler.

type Given<Options> = Options | string;

export const single = (options: Given<BackendOptions>): Promise<RunningBackend> =>
  untilFinished(startSingle(toOptions(options)));
export const clusterOf = (options: ClusterOptions): Promise<RunningCluster> => untilFinished(startCluster(options));
export const poolOf = (options: PoolOptions): Promise<RunningPool> => untilFinished(startPool(options));
export const grpcServer = (options: Given<GrpcOptions>): Promise<RunningGrpc> =>
  untilFinished(startGrpc(toOptions(options)));
export const gateway = (options: GrpcGatewayOptions): Promise<RunningBackend> =>
  untilFinished(startGrpcGateway(options));
export const webSocketServer = (options: Given<WebSocketOptions>): Promise<RunningBackend> =>
  untilFinished(startWebSocket(toOptions(options)));

function toOptions<Options>(options: Given<Options>): Options | { readonly handler: string } {
  return typeof options === "string" ? { handler: options } : options;
}

/** Has a server that starts end with the test. */
export async function untilFinished<Backend extends RunningBackend>(starting: Promise<Backend>): Promise<Backend> {
  const backend = await starting;
  onTestFinished(() => backend.stop({ graceMs: 0 }));
  return backend;
}
