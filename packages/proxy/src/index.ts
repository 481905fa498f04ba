export { BalancerListenError } from "./listen.js";
export { checkBalancerOptions, createBalancer } from "./create-balancer.js";
export {
  createAdminServer,
  type AdminServer,
  type AdminServerOptions,
  type BackendControl,
} from "./observe/admin-server.js";
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
  CertificateOptions,
  CloseOptions,
  EjectionReason,
  HandshakeCounts,
  HealthOptions,
  LatencySnapshot,
  LimitOptions,
  ListenAddress,
  ListenOptions,
  OutlierOptions,
  PassiveHealthOptions,
  RemoveOptions,
  RequestLogEntry,
  TimeoutOptions,
  TlsOptions,
  UncountedWork,
} from "./options/options.js";
export {
  builtInPolicies,
  type BuiltInPolicyOptions,
  type CreateBuiltInPolicy,
  parsePolicy,
} from "./policies/parse-policy.js";
export {
  leastConnections,
  leastLoaded,
  leastResponseTime,
  type LatencyPolicyOptions,
  type LoadedOptions,
  peakEwma,
  powerOfTwoChoices,
  random,
  type RandomOptions,
} from "./policies/drawn.js";
export { consistentHash, type ConsistentHashOptions, type HashKey, ipHash } from "./policies/hashed.js";
export { roundRobin, weightedRoundRobin } from "./policies/in-turn.js";
export { loadPolicy, type LoadPolicyOptions } from "./policies/load-policy.js";
export {
  inFlight,
  type LatencyOptions,
  type Load,
  type LoadMeasure,
  peakEwmaLoad,
  responseTimeLoad,
} from "./policies/load.js";
export type { BackendState, Picker, Policy, PolicyRequest, RequestEnd, RequestEvents } from "./policies/policy.js";
export { reloadBackends, type Reloadable, type ReloadOptions } from "./reload-backends.js";
export { startBalancerWorkers } from "./workers/start-balancer-workers.js";
export type { BalancerWorkers, PlainBalancerOptions, WorkersOptions } from "./workers/workers-options.js";
