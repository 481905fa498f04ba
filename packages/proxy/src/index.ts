export { BalancerListenError } from "./balancer-listen-error.js";
export { BalancerOptionsError } from "./balancer-options-error.js";
export { createBalancer } from "./create-balancer.js";
export { BALANCER_DEFAULTS } from "./defaults.js";
export type {
  BackendOptions,
  BackendStats,
  Balancer,
  BalancerOptions,
  CloseOptions,
  ListenAddress,
  ListenOptions,
  RequestLogEntry,
} from "./options.js";
export { builtInPolicies } from "./policies/built-in-policies.js";
export type { BackendState, Picker, Policy, PolicyRequest } from "./policies/policy.js";
export { roundRobin } from "./policies/round-robin.js";
