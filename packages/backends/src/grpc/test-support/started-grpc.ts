import { onTestFinished } from "vitest";
import type { RunningBackend } from "../../running-backend.js";
import { startGrpc, type GrpcOptions, type RunningGrpc } from "../../start-grpc.js";
import { startGrpcGateway, type GrpcGatewayOptions } from "../../start-grpc-gateway.js";

/** Starts a gRPC server that ends with the test. */
export async function grpcServer(options: GrpcOptions | string): Promise<RunningGrpc> {
  return endWithTest(await startGrpc(typeof options === "string" ? { handler: options } : options));
}

/** Starts a gateway that ends with the test. */
export async function gateway(options: GrpcGatewayOptions): Promise<RunningBackend> {
  return endWithTest(await startGrpcGateway(options));
}

function endWithTest<T extends RunningBackend>(backend: T): T {
  onTestFinished(() => backend.stop({ graceMs: 0 }));
  return backend;
}
