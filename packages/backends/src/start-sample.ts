import { startSingle, type BackendOptions, type RunningBackend } from "./backend.js";
import { startCluster, type ClusterOptions, type RunningCluster } from "./start-cluster.js";
import { startGrpc, startGrpcGateway, type GrpcGatewayOptions, type GrpcOptions } from "./start-grpc.js";
import { startPool, type PoolOptions, type RunningPool } from "./start-pool.js";
import { startWebSocket, type WebSocketOptions } from "./start-websocket.js";

/** A kind of sample server, and what it is started with, as plain data. */
export type SampleChoice =
  | { readonly kind: "single"; readonly options: BackendOptions }
  | { readonly kind: "cluster"; readonly options: ClusterOptions }
  | { readonly kind: "pool"; readonly options: PoolOptions }
  | { readonly kind: "grpc"; readonly options: GrpcOptions }
  | { readonly kind: "grpc-gateway"; readonly options: GrpcGatewayOptions }
  | { readonly kind: "websocket"; readonly options: WebSocketOptions };

const STARTS = {
  single: startSingle,
  cluster: startCluster,
  pool: startPool,
  grpc: startGrpc,
  "grpc-gateway": startGrpcGateway,
  websocket: startWebSocket,
};

/**
 * Starts a sample server of any kind; rejects as the function of that kind does. Only a pool may have an `adminUrl`, and only the
 * workers of a cluster can be replaced.
 */
export function startSample({
  kind,
  options,
}: SampleChoice): Promise<RunningBackend & Partial<Pick<RunningPool, "adminUrl"> & Pick<RunningCluster, "replace">>> {
  return STARTS[kind](options as never);
}
