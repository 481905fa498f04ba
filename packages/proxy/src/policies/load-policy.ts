import { BalancerOptionsError } from "../options/options.js";
import { builtInPolicies, parsePolicy } from "./parse-policy.js";
import type { Policy } from "./policy.js";
import { readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { join, resolve } from "node:path";
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
  const url = locateModule(text, folder);
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

function readPolicy(text: string, module: object): Policy {
  const exported = new Map(Object.entries(module));
  // What is exported from CommonJS stands one level deeper when it is imported.
  const inner = new Map(Object.entries(toObject(exported.get("default"))));
  const found = [exported.get("policy"), exported.get("default"), inner.get("policy"), inner.get("default")];
  const policy = found.find((one) => isPolicy(one));
  if (policy !== undefined) return policy as Policy;
  throw new BalancerOptionsError(
    `policy: expected the module ${JSON.stringify(text)} to export a policy by default or as "policy", an object ` +
      `{ name, create() }; it exports ${[...exported.keys()].join(", ") || "nothing"}.`,
  );
}

function isPolicy(value: unknown): boolean {
  const { create } = toObject(value) as { readonly create?: unknown };
  return typeof create === "function";
}

function toObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/**
 * The URL of a module of the user's: a path from `folder`, or an installed package as it is imported from there; `undefined`
 * for a word that is neither.
 */
export function locateModule(text: string, folder: string): string | undefined {
  if (/^\.{0,2}\//.test(text)) return pathToFileURL(resolve(folder, text)).href;
  if (isBuiltin(text)) return undefined;
  const require = createRequire(resolve(folder, "module.js"));
  try {
    return pathToFileURL(require.resolve(text)).href;
  } catch {
    // Node resolves for `require` only, which many packages do not export anything for.
    const file = (require.resolve.paths(text) ?? []).map((modules) => findImported(modules, text)).find(Boolean);
    return file === undefined ? undefined : pathToFileURL(file).href;
  }
}

/** What a package in a `node_modules` exports for `import`. */
function findImported(modules: string, text: string): string | undefined {
  const [, name = "", part = ""] = /^((?:@[^/]+\/)?[^/]+)(\/.+)?$/.exec(text) ?? [];
  const folder = join(modules, name);
  const target = chooseTarget(exportsOf(folder), `.${part}`);
  return target === undefined ? undefined : join(folder, target);
}

function exportsOf(folder: string): unknown {
  try {
    return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>)["exports"];
  } catch {
    return undefined;
  }
}

function chooseTarget(exported: unknown, part: string): string | undefined {
  const parts = entriesOf(exported);
  if (parts.some(([key]) => key.startsWith("."))) return chooseCondition(new Map(parts).get(part));
  return part === "." ? chooseCondition(exported) : undefined;
}

const CONDITIONS = new Set(["node", "import", "module-sync", "default"]);

/** The first condition that holds, as Node goes through them. */
function chooseCondition(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  for (const [condition, inner] of entriesOf(target)) {
    const chosen = CONDITIONS.has(condition) ? chooseCondition(inner) : undefined;
    if (chosen !== undefined) return chosen;
  }
  return undefined;
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
