import { BalancerOptionsError } from "../options/options.js";
import { builtInPolicies, parsePolicy } from "./parse-policy.js";
import type { Policy } from "./policy.js";
import { isBuiltin } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Where the module of a policy is looked for. */
export interface LoadPolicyOptions {
  /** Folder in which paths begin, and whose packages are known; the working folder by default. */
  readonly folder?: string;
  /**
   * Finds and imports a module in place of Node's own way from `folder`: resolves with what it exports, or with `undefined` for a
   * word that names none.
   */
  readonly importModule?: (text: string) => Promise<object | undefined>;
}

const LONGEST_LOAD_MS = 10_000;

/**
 * Makes a policy from a text that may also name one of your own: a built-in one as `parsePolicy` reads it, or a module
 * that exports an object `{ name, create() }` by default, or as `policy`. A module is a path (`./fewest-errors.mjs`) or an
 * installed package. Rejects with a `BalancerOptionsError`.
 */
export async function loadPolicy(text: string, options: LoadPolicyOptions = {}): Promise<Policy> {
  const { folder = ".", importModule = (word) => importFrom(word, folder) } = options;
  const [name = ""] = text.split(":", 1);
  if (builtInPolicies.has(name)) return parsePolicy(text);
  const module = await importModule(text).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BalancerOptionsError(`policy: the module ${JSON.stringify(text)} cannot be loaded: ${reason}`, {
      cause: error,
    });
  });
  if (module !== undefined) return readPolicy(text, module);
  throw new BalancerOptionsError(
    `policy: expected one of ${[...builtInPolicies.keys()].join(", ")}, the path of a module (./mine.mjs) or an ` +
      `installed package; got ${JSON.stringify(text)}.`,
  );
}

/** Where an `await` at the top level of a module waits for nothing, Node would end without a word. */
async function importFrom(text: string, folder: string): Promise<object | undefined> {
  const url = await locateModule(text, folder);
  if (url === undefined) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`it was not loaded after ${LONGEST_LOAD_MS / 1000} s`);
    timer = setTimeout(() => reject(error), LONGEST_LOAD_MS);
  });
  try {
    return await Promise.race([import(url) as Promise<object>, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a module may have exported. */
interface Exported {
  readonly policy?: unknown;
  readonly default?: unknown;
}

function readPolicy(text: string, module: Exported): Policy {
  // What is exported from CommonJS stands one level deeper when it is imported.
  const inner = (module.default ?? {}) as Exported;
  const policy = [module.policy, module.default, inner.policy, inner.default].find(isPolicy);
  if (policy !== undefined) return policy;
  throw new BalancerOptionsError(
    `policy: expected the module ${JSON.stringify(text)} to export a policy by default or as "policy", an object ` +
      `{ name, create() }; it exports ${Object.keys(module).join(", ") || "nothing"}.`,
  );
}

function isPolicy(value: unknown): value is Policy {
  return typeof (value as Partial<Policy> | null | undefined)?.create === "function";
}

/**
 * The URL of a module of the user's: a path from `folder`, or an installed package as it is imported from there; `undefined`
 * for a word that is neither.
 */
async function locateModule(text: string, folder: string): Promise<string | undefined> {
  if (/^\.{0,2}\//.test(text)) return pathToFileURL(resolve(folder, text)).href;
  if (isBuiltin(text)) return undefined;
  // Node resolves what is imported from another place only for `require`.
  const { createJiti } = await import("jiti");
  const importing = createJiti(resolve(folder, "importing.mjs"), { fsCache: false });
  return importing.esmResolve(text, { try: true });
}
