/** For tests: servers and balancers that stop when they are done with; for authors of plugins: fakes and contract suites. */
export { balancerProgramContract, type BalancerContractSubject } from "./testing/balancer-contract.js";
export type { ContractCase } from "./testing/contract.js";
export { engineContract } from "./testing/engine-contract.js";
export { type FailingStart, serverContract, type ServerContractSubject } from "./testing/server-contract.js";
export {
  createFakeEngine,
  type FakeEngine,
  type FakeEngineOptions,
  type FakeOutcome,
  type FakeRun,
} from "./testing/fake-engine.js";
export { createFakeServer, type FakeServer, type FakeServerOptions } from "./testing/fake-server.js";
export { reporterContract } from "./testing/reporter-contract.js";
export { createSampleResult } from "./testing/sample-result.js";
export {
  startBalancer,
  type BalancedBackend,
  type BalancerSettings,
  type StartedBalancer,
  startServer,
  type ServerTarget,
  type Startable,
  type StartedServer,
  type StartSettings,
} from "./testing/start-server.js";
