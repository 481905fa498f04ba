/** For tests: servers and balancers that stop when they are done with; for authors of plugins: fakes and contract suites. */
export type { ContractCase } from "./testing/contract-case.js";
export { engineContract } from "./testing/engine-contract.js";
export type { FailingStart } from "./testing/failing-start.js";
export { createFakeEngine, type FakeEngine, type FakeEngineOptions, type FakeRun } from "./testing/fake-engine.js";
export type { FakeOutcome } from "./testing/fake-measurement.js";
export { createFakeServer, type FakeServer, type FakeServerOptions } from "./testing/fake-server.js";
export { reporterContract } from "./testing/reporter-contract.js";
export { createSampleResult } from "./testing/sample-result.js";
export {
  startBalancer,
  type BalancedBackend,
  type BalancerSettings,
  type StartedBalancer,
} from "./testing/start-balancer.js";
export {
  startServer,
  type ServerTarget,
  type Startable,
  type StartedServer,
  type StartSettings,
} from "./testing/start-server.js";
export { serverContract, type ServerContractSubject } from "./testing/server-contract.js";
