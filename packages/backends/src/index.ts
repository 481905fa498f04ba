export type { OverloadPolicy, Refusal } from "./admission.js";
export {
  BackendStartError,
  startSingle,
  type BackendDeath,
  type BackendOptions,
  type ConnectionCounts,
  type RunningBackend,
  type StopOptions,
} from "./backend.js";
export {
  BACKEND_DEFAULTS,
  BACKEND_LIMITS,
  OVERLOAD_POLICIES,
  REFUSALS,
  GRPC_DEFAULTS,
  GRPC_REFUSALS,
  GRPC_SAMPLE,
  HANDLER_DEFAULTS,
  POOL_DEFAULTS,
} from "./defaults.js";
export type { Delay } from "./costs.js";
export type { Disturbance } from "./disturbance.js";
export {
  createHandler,
  describeHandlers,
  formatHandler,
  HandlerSpecError,
  parseHandler,
  type CpuSpec,
  type EchoSpec,
  type ErrorSpec,
  type EventsSpec,
  type HandlerSpec,
  type HelloSpec,
  type JsonSpec,
  type SizedSpec,
  type SleepSpec,
  type WorkSpec,
} from "./handlers.js";
export { startCluster, type ClusterOptions, type RunningCluster } from "./start-cluster.js";
export {
  startGrpc,
  startGrpcGateway,
  type GrpcGatewayOptions,
  type GrpcOptions,
  type RunningGrpc,
} from "./start-grpc.js";
export { startPool, type DurationSummary, type PoolOptions, type PoolStats, type RunningPool } from "./start-pool.js";
export { startSample, type SampleChoice } from "./start-sample.js";
export { startWebSocket, type WebSocketOptions } from "./start-websocket.js";
export type { Handler } from "./work.js";
