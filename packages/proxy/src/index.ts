export { BalancerListenError } from "./balancer-listen-error.js";
export { createBalancer } from "./create-balancer.js";
export { createAdminServer, type AdminServer, type AdminServerOptions } from "./observe/admin-server.js";
export type { BackendControl } from "./observe/admin-backends.js";
export { mergeSnapshots } from "./observe/merge-snapshots.js";
export { OPEN_METRICS_CONTENT_TYPE, renderOpenMetrics } from "./observe/open-metrics.js";
export { createRequestLogger, type RequestLogFormat, type RequestLogger } from "./observe/request-log.js";
export { BalancerOptionsError } from "./options/balancer-options-error.js";
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
export { builtInPolicies, type BuiltInPolicyOptions, type CreateBuiltInPolicy } from "./policies/built-in-policies.js";
export { consistentHash, type ConsistentHashOptions } from "./policies/consistent-hash.js";
export type { HashKey } from "./policies/hash-key.js";
export { ipHash } from "./policies/ip-hash.js";
export { leastConnections } from "./policies/least-connections.js";
export { loadPolicy, type LoadPolicyOptions } from "./policies/load-policy.js";
export { parsePolicy } from "./policies/parse-policy.js";
export type { BackendState, Picker, Policy, PolicyRequest } from "./policies/policy.js";
export { powerOfTwoChoices } from "./policies/power-of-two-choices.js";
export { random } from "./policies/random.js";
export type { RandomOptions } from "./policies/random-source.js";
export { roundRobin } from "./policies/round-robin.js";
export { weightedRoundRobin } from "./policies/weighted-round-robin.js";
export { reloadBackends, type Reloadable, type ReloadOptions } from "./reload/reload-backends.js";
export { startBalancerWorkers } from "./workers/start-balancer-workers.js";
export type { BalancerWorkers, PlainBalancerOptions, WorkersOptions } from "./workers/workers-options.js";
