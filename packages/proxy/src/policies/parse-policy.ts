import { BalancerOptionsError } from "../options/options.js";
import { refuse } from "../options/check.js";
import {
  leastConnections,
  leastResponseTime,
  peakEwma,
  powerOfTwoChoices,
  random,
  type RandomOptions,
} from "./drawn.js";
import { consistentHash, type ConsistentHashOptions, type HashKey, ipHash } from "./hashed.js";
import { roundRobin, weightedRoundRobin } from "./in-turn.js";
import type { LatencyOptions } from "./load.js";
import type { Policy } from "./policy.js";

/**
 * Makes a built-in policy from a text, as a command line has it: its name, and behind colons its options if it is to have
 * any, like `round-robin`, `consistent-hash:path`, `consistent-hash:header:x-user`, `consistent-hash:cookie:session`,
 * `random:seed:42` or `peak-ewma:decay:5s:seed:42`. Throws a `BalancerOptionsError` that says what was expected.
 */
export function parsePolicy(text: string): Policy {
  const [name, options] = splitAtColon(text);
  const create = builtInPolicies.get(name);
  if (create === undefined) {
    refuse("policy", `one of ${[...builtInPolicies.keys()].join(", ")}`, name);
  }
  try {
    return create(parseOptions(options));
  } catch (error) {
    if (!(error instanceof BalancerOptionsError)) throw error;
    throw new BalancerOptionsError(`policy ${JSON.stringify(text)}: ${error.message}`, { cause: error });
  }
}

function parseOptions(text: string | undefined): BuiltInPolicyOptions {
  if (text === undefined) return {};
  const [kind, rest] = splitAtColon(text);
  if (kind === "path" || kind === "header" || kind === "cookie") return { key: text as HashKey };
  const [value = "", more] = rest === undefined ? [] : splitAtColon(rest);
  const option = NUMBERS.get(kind)?.(value);
  if (option !== undefined) return { ...option, ...parseOptions(more) };
  throw new BalancerOptionsError(
    'expected "path", "header:NAME", "cookie:NAME", "seed:NUMBER" or "decay:TIME" (such as 500ms or 5s) after the name and a colon; ' +
      `got ${JSON.stringify(text)}.`,
  );
}

const UNIT_MS: ReadonlyMap<string | undefined, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
]);

/** Options that are numbers, by how they are called; `undefined` for a text that is none. */
const NUMBERS = new Map<string, (text: string) => BuiltInPolicyOptions | undefined>([
  ["seed", (text) => (/^\d+$/.test(text) ? { seed: Number(text) } : undefined)],
  [
    "decay",
    (text) => {
      const [, number, unit] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(text) ?? [];
      const unitMs = UNIT_MS.get(unit);
      return unitMs === undefined ? undefined : { decayMs: Number(number) * unitMs };
    },
  ],
]);

function splitAtColon(text: string): readonly [string, string | undefined] {
  const colon = text.indexOf(":");
  return colon === -1 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}

/** Options of built-in policies: `seed` if they draw at random, `decayMs` if they measure latency, `key` of `consistent-hash`. */
export interface BuiltInPolicyOptions extends RandomOptions, LatencyOptions, ConsistentHashOptions {}

/** Makes a built-in policy; throws a `BalancerOptionsError`, also for an option that this policy does not have. */
export type CreateBuiltInPolicy = (options?: BuiltInPolicyOptions) => Policy;

/** The policies that come with the balancer, by name. */
export const builtInPolicies: ReadonlyMap<string, CreateBuiltInPolicy> = new Map([
  builtIn("round-robin", roundRobin),
  builtIn("weighted-round-robin", weightedRoundRobin),
  builtIn("least-connections", leastConnections, "seed"),
  builtIn("random", random, "seed"),
  builtIn("power-of-two-choices", powerOfTwoChoices, "seed"),
  builtIn("peak-ewma", peakEwma, "decayMs", "seed"),
  builtIn("least-response-time", leastResponseTime, "decayMs", "seed"),
  builtIn("ip-hash", ipHash),
  builtIn("consistent-hash", consistentHash, "key"),
]);

function builtIn(
  name: string,
  create: CreateBuiltInPolicy,
  ...known: readonly (keyof BuiltInPolicyOptions)[]
): readonly [string, CreateBuiltInPolicy] {
  const createChecked = (options: BuiltInPolicyOptions = {}): Policy => {
    const unknown = Object.keys(options).find((given) => !known.some((option) => option === given));
    if (unknown === undefined) return create(options);
    const expected =
      known.length === 0 ? "no options" : `no option but ${known.map((one) => `"${one}"`).join(" and ")}`;
    throw new BalancerOptionsError(`${name}: expected ${expected}, got "${unknown}".`);
  };
  return [name, createChecked];
}
