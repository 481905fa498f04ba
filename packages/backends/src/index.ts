export { BackendStartError } from "./backend-start-error.js";
export { createHandler } from "./create-handler.js";
export { BACKEND_DEFAULTS, GRPC_DEFAULTS, HANDLER_DEFAULTS, POOL_DEFAULTS } from "./defaults.js";
export { formatHandler } from "./format-handler.js";
export { GRPC_SAMPLE } from "./grpc/grpc-sample.js";
export { HandlerSpecError } from "./handler-spec-error.js";
export type {
  CpuSpec,
  Delay,
  EchoSpec,
  ErrorSpec,
  HandlerSpec,
  HelloSpec,
  JsonSpec,
  SizedSpec,
  SleepSpec,
  WorkSpec,
} from "./handler-spec.js";
export { describeHandlers } from "./handlers/handler-kinds.js";
export type { Handler } from "./handlers/handler-kind.js";
export { parseHandler } from "./parse-handler.js";
export type { BackendDeath, BackendOptions, RunningBackend, StopOptions } from "./running-backend.js";
export { startCluster, type ClusterOptions } from "./start-cluster.js";
export { startSingle } from "./start-single.js";
export { startGrpc, type GrpcOptions, type RunningGrpc } from "./start-grpc.js";
export { startGrpcGateway, type GrpcGatewayOptions } from "./start-grpc-gateway.js";
export { startPool, type RunningPool } from "./start-pool.js";
export type { PoolOptions } from "./pool/pool-options.js";
export type { PoolStats } from "./pool/pool-stats.js";
export type { DurationSummary } from "./pool/durations.js";
export { OVERLOAD_POLICIES, type OverloadPolicy } from "./pool/overload-policy.js";
export { REFUSALS, type Refusal } from "./pool/refuse.js";
export { startSample, type SampleChoice } from "./start-sample.js";
export { REFUSALS as GRPC_REFUSALS } from "./grpc/refusals.js";
