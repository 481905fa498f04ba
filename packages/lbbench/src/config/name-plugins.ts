import { importPlugin } from "./import-plugin.js";
import { locatePlugin } from "./locate-plugin.js";

/**
 * What the plugins call themselves that words name by their path or package, by these words. A word that names none, or one that
 * cannot be loaded, is left out: whoever loads it says why.
 */
export async function namePlugins(words: readonly string[], folder: string): Promise<ReadonlyMap<string, string>> {
  const named = new Map<string, string>();
  for (const word of words) {
    const name = await nameOf(word, folder);
    if (name !== undefined) named.set(word, name);
  }
  return named;
}

async function nameOf(word: string, folder: string): Promise<string | undefined> {
  try {
    const file = await locatePlugin(word, folder);
    const plugin = file === undefined ? undefined : (await importPlugin(file))["default"];
    const hasName = typeof plugin === "object" && plugin !== null && "name" in plugin;
    return hasName && typeof plugin.name === "string" ? plugin.name : undefined;
  } catch {
    return undefined;
  }
}
