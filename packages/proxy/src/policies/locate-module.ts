import { readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

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
