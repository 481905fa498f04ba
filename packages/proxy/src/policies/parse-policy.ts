import { BalancerOptionsError } from "../options/balancer-options-error.js";
import { builtInPolicies, type BuiltInPolicyOptions } from "./built-in-policies.js";
import type { HashKey } from "./hash-key.js";
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
    throw new BalancerOptionsError(
      `policy: expected one of ${[...builtInPolicies.keys()].join(", ")}; got ${JSON.stringify(name)}.`,
    );
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
