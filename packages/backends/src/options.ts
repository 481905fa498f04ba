/** What the options of the sample servers may be, without the servers: light to load for who only checks them. */
export { completeRoom, OVERLOAD_POLICIES, REFUSALS } from "./admission.js";
export { parseHandler } from "./handlers.js";
export { GRPC_REFUSALS } from "./defaults.js";
