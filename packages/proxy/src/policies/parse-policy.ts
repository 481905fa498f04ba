import { BalancerOptionsError } from "../options/options.js";
import { refuse } from "../options/check.js";
import { leastConnections, powerOfTwoChoices, random, type RandomOptions } from "./drawn.js";
import { consistentHash, type ConsistentHashOptions, type HashKey, ipHash } from "./hashed.js";
import { roundRobin, weightedRoundRobin } from "./in-turn.js";
import type { Policy } from "./policy.js";

/**
 * Makes a built-in policy from a text, as a command line has it: its name, then a colon and its option if it is to have
 * one, like `round-robin`, `consistent-hash:path`, `consistent-hash:header:x-user`, `consistent-hash:cookie:session` or
 * `random:seed:42`. Throws a `BalancerOptionsError` that says what was expected.
 */
export function parsePolicy(text: string): Policy {
  const [name, option] = splitAtColon(text);
  const create = builtInPolicies.get(name);
  if (create === undefined) {
    refuse("policy", `one of ${[...builtInPolicies.keys()].join(", ")}`, name);
  }
  try {
    return create(parseOption(option));
  } catch (error) {
    if (!(error instanceof BalancerOptionsError)) throw error;
    throw new BalancerOptionsError(`policy ${JSON.stringify(text)}: ${error.message}`, { cause: error });
  }
}

function parseOption(option: string | undefined): BuiltInPolicyOptions {
  if (option === undefined) return {};
  const [kind, value] = splitAtColon(option);
  if (kind === "seed" && value !== undefined && /^\d+$/.test(value)) return { seed: Number(value) };
  if (kind === "path" || kind === "header" || kind === "cookie") return { key: option as HashKey };
  throw new BalancerOptionsError(
    'expected "path", "header:NAME", "cookie:NAME" or "seed:NUMBER" after the name and a colon; ' +
      `got ${JSON.stringify(option)}.`,
  );
}

function splitAtColon(text: string): readonly [string, string | undefined] {
  const colon = text.indexOf(":");
  return colon === -1 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}

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
