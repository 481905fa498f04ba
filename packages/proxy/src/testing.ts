/** For tests of own policies: what every policy must do, and pools and requests to try one with. */
export { examplePool, exampleRequest, type ExampleBackend } from "./testing/example-pool.js";
export { type PolicyCheck, policyContract, type PolicyPromises } from "./testing/policy-contract.js";
