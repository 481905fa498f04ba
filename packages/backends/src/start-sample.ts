import type { BackendOptions, RunningBackend } from "./backend.js";
import { startSingle } from "./http-server.js";
import { startCluster, type ClusterOptions } from "./start-cluster.js";
import { startGrpc, startGrpcGateway, type GrpcGatewayOptions, type GrpcOptions } from "./start-grpc.js";
import { startPool, type PoolOptions, type RunningPool } from "./start-pool.js";

/** A kind of sample server, and what it is started with, as plain data. */
export type SampleChoice =
  | { readonly kind: "single"; readonly options: BackendOptions }
  | { readonly kind: "cluster"; readonly options: ClusterOptions }
  | { readonly kind: "pool"; readonly options: PoolOptions }
  | { readonly kind: "grpc"; readonly options: GrpcOptions }
  | { readonly kind: "grpc-gateway"; readonly options: GrpcGatewayOptions };

/** Starts a sample server of any kind; rejects as the function of that kind does. Only a pool may have an `adminUrl`. */
export async function startSample(
  choice: SampleChoice,
): Promise<RunningBackend & Partial<Pick<RunningPool, "adminUrl">>> {
  if (choice.kind === "single") return startSingle(choice.options);
  if (choice.kind === "cluster") return startCluster(choice.options);
  if (choice.kind === "pool") return startPool(choice.options);
  if (choice.kind === "grpc") return startGrpc(choice.options);
  return startGrpcGateway(choice.options);
}
