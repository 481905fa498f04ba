import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { BalancerOptionsError } from "../options/balancer-options-error.js";
import { builtInPolicies } from "./built-in-policies.js";
import { parsePolicy } from "./parse-policy.js";
import type { Policy } from "./policy.js";

/**
 * Makes a policy from a text that may also name one of your own: a built-in one as `parsePolicy` reads it, or a module
 * that exports `policy`, an object `{ name, create() }`. A module is a path (`./fewest-errors.mjs`, from the working
 * folder) or an installed package. Rejects with a `BalancerOptionsError`.
 */
export async function loadPolicy(text: string): Promise<Policy> {
  const [name = ""] = text.split(":", 1);
  if (builtInPolicies.has(name)) return parsePolicy(text);
  const where = locate(text);
  if (where === undefined) {
    throw new BalancerOptionsError(
      `policy: expected one of ${[...builtInPolicies.keys()].join(", ")}, the path of a module (./mine.mjs) or an ` +
        `installed package; got ${JSON.stringify(text)}.`,
    );
  }
  return readPolicy(text, await importModule(text, where));
}

/** The URL of a module, or `undefined` for a word that is no path and no package. */
function locate(text: string): string | undefined {
  if (/^\.{0,2}\//.test(text)) return pathToFileURL(resolve(text)).href;
  try {
    return pathToFileURL(createRequire(resolve("module.js")).resolve(text)).href;
  } catch {
    return undefined;
  }
}

async function importModule(text: string, url: string): Promise<object> {
  try {
    return (await import(url)) as object;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BalancerOptionsError(`policy: the module ${JSON.stringify(text)} cannot be loaded: ${reason}`, {
      cause: error,
    });
  }
}

function readPolicy(text: string, module: object): Policy {
  const policy: unknown = "policy" in module ? module.policy : undefined;
  if (typeof policy === "object" && policy !== null && "create" in policy && typeof policy.create === "function") {
    return policy as Policy;
  }
  throw new BalancerOptionsError(
    `policy: expected the module ${JSON.stringify(text)} to export "policy", an object { name, create() }; ` +
      `it exports ${Object.keys(module).join(", ") || "nothing"}.`,
  );
}
