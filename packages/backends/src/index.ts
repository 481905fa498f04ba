export { BackendStartError } from "./backend-start-error.js";
export { createHandler } from "./create-handler.js";
export { BACKEND_DEFAULTS, HANDLER_DEFAULTS } from "./defaults.js";
export { formatHandler } from "./format-handler.js";
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
} from "./handler-spec.js";
export { describeHandlers } from "./handlers/handler-kinds.js";
export type { Handler } from "./handlers/handler-kind.js";
export { parseHandler } from "./parse-handler.js";
export type { BackendDeath, BackendOptions, RunningBackend, StopOptions } from "./running-backend.js";
export { startCluster, type ClusterOptions } from "./start-cluster.js";
export { startSingle } from "./start-single.js";
