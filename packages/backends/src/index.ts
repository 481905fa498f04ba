export { OVERLOAD_POLICIES, REFUSALS, type OverloadPolicy, type Refusal } from "./admission.js";
export {
  BackendStartError,
  type BackendDeath,
  type BackendOptions,
  type RunningBackend,
  type StopOptions,
} from "./backend.js";
export { BACKEND_DEFAULTS, BACKEND_LIMITS, GRPC_DEFAULTS, HANDLER_DEFAULTS, POOL_DEFAULTS } from "./defaults.js";
export type { Delay } from "./costs.js";
export { GRPC_REFUSALS, GRPC_SAMPLE } from "./grpc-sample.js";
export {
  createHandler,
  describeHandlers,
  formatHandler,
  HandlerSpecError,
  parseHandler,
  type CpuSpec,
  type EchoSpec,
  type ErrorSpec,
  type HandlerSpec,
  type HelloSpec,
  type JsonSpec,
  type SizedSpec,
  type SleepSpec,
  type WorkSpec,
} from "./handlers.js";
export { startSingle } from "./http-server.js";
export type { DurationSummary, PoolStats } from "./pool-handler.js";
export { startCluster, type ClusterOptions } from "./start-cluster.js";
export {
  startGrpc,
  startGrpcGateway,
  type GrpcGatewayOptions,
  type GrpcOptions,
  type RunningGrpc,
} from "./start-grpc.js";
export { startPool, type PoolOptions, type RunningPool } from "./start-pool.js";
export { startSample, type SampleChoice } from "./start-sample.js";
export type { Handler } from "./work.js";
