export { BalancerListenError } from "./listen.js";
export { createBalancer } from "./create-balancer.js";
export { createAdminServer, type AdminServer, type AdminServerOptions } from "./observe/admin-server.js";
export type { BackendControl } from "./observe/admin-backends.js";
export { mergeSnapshots } from "./observe/merge-snapshots.js";
export { OPEN_METRICS_CONTENT_TYPE, renderOpenMetrics } from "./observe/open-metrics.js";
export { createRequestLogger, type RequestLogFormat, type RequestLogger } from "./observe/request-log.js";
export { BalancerOptionsError } from "./options/options.js";
export { BALANCER_DEFAULTS } from "./options/defaults.js";
export type {
  ActiveHealthOptions,
  BackendCondition,
  BackendOptions,
  BackendSnapshot,
  BackendStats,
  BackendTlsOptions,
  Balancer,
  BalancerOptions,
  BalancerSnapshot,
  CloseOptions,
  HealthOptions,
  LatencySnapshot,
  LimitOptions,
  ListenAddress,
  ListenOptions,
  PassiveHealthOptions,
  RemoveOptions,
  RequestLogEntry,
  TimeoutOptions,
  TlsOptions,
} from "./options/options.js";
export { builtInPolicies, type BuiltInPolicyOptions, type CreateBuiltInPolicy } from "./policies/parse-policy.js";
export { consistentHash, type ConsistentHashOptions } from "./policies/hashed.js";
export type { HashKey } from "./policies/hashed.js";
export { ipHash } from "./policies/hashed.js";
export { leastConnections } from "./policies/drawn.js";
export { loadPolicy, type LoadPolicyOptions } from "./policies/load-policy.js";
export { parsePolicy } from "./policies/parse-policy.js";
export type { BackendState, Picker, Policy, PolicyRequest } from "./policies/policy.js";
export { powerOfTwoChoices } from "./policies/drawn.js";
export { random } from "./policies/drawn.js";
export type { RandomOptions } from "./policies/drawn.js";
export { roundRobin } from "./policies/in-turn.js";
export { weightedRoundRobin } from "./policies/in-turn.js";
export { reloadBackends, type Reloadable, type ReloadOptions } from "./reload-backends.js";
export { startBalancerWorkers } from "./workers/start-balancer-workers.js";
export type { BalancerWorkers, PlainBalancerOptions, WorkersOptions } from "./workers/workers-options.js";
