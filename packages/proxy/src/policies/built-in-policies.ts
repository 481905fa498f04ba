import type { Policy } from "./policy.js";
import { roundRobin } from "./round-robin.js";

/** The policies that come with the balancer, by name. */
export const builtInPolicies: ReadonlyMap<string, () => Policy> = new Map([["round-robin", roundRobin]]);
