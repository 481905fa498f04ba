import { BalancerOptionsError } from "../options/balancer-options-error.js";
import { consistentHash, type ConsistentHashOptions } from "./consistent-hash.js";
import { ipHash } from "./ip-hash.js";
import { leastConnections } from "./least-connections.js";
import type { Policy } from "./policy.js";
import { powerOfTwoChoices } from "./power-of-two-choices.js";
import { random } from "./random.js";
import type { RandomOptions } from "./random-source.js";
import { roundRobin } from "./round-robin.js";
import { weightedRoundRobin } from "./weighted-round-robin.js";

/** What built-in policies can be told: `seed` those that draw at random, `key` `consistent-hash`. */
export interface BuiltInPolicyOptions extends RandomOptions, ConsistentHashOptions {}

/** Makes a built-in policy; throws a `BalancerOptionsError`, also for an option that this policy does not have. */
export type CreateBuiltInPolicy = (options?: BuiltInPolicyOptions) => Policy;

/** The policies that come with the balancer, by name. */
export const builtInPolicies: ReadonlyMap<string, CreateBuiltInPolicy> = new Map([
  builtIn("round-robin", roundRobin),
  builtIn("weighted-round-robin", weightedRoundRobin),
  builtIn("least-connections", leastConnections, "seed"),
  builtIn("random", random, "seed"),
  builtIn("power-of-two-choices", powerOfTwoChoices, "seed"),
  builtIn("ip-hash", ipHash),
  builtIn("consistent-hash", consistentHash, "key"),
]);

function builtIn(
  name: string,
  create: CreateBuiltInPolicy,
  option?: keyof BuiltInPolicyOptions,
): readonly [string, CreateBuiltInPolicy] {
  const createChecked = (options: BuiltInPolicyOptions = {}): Policy => {
    const unknown = Object.keys(options).find((given) => given !== option);
    if (unknown === undefined) return create(options);
    throw new BalancerOptionsError(
      `${name}: expected ${option === undefined ? "no options" : `no option but "${option}"`}, got "${unknown}".`,
    );
  };
  return [name, createChecked];
}
