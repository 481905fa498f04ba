/** What the options of the sample servers may be, without the servers: light to load for who only checks them. */
export { REFUSALS as GRPC_REFUSALS } from "./grpc/refusals.js";
export { parseHandler } from "./parse-handler.js";
export { OVERLOAD_POLICIES } from "./pool/overload-policy.js";
export { REFUSALS } from "./pool/refuse.js";
