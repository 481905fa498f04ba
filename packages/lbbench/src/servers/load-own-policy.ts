import type { Policy } from "@lbbench/proxy";
import { describeMissingModule, importModule, isModulePath, locateModule } from "../config/modules.js";

/**
 * Makes a policy from a text as `loadPolicy` of the balancer does, with modules found and imported as those of plugins are:
 * from `folder`, also in TypeScript. Rejects with an `Error` that says what was expected.
 */
export async function loadOwnPolicy(text: string, folder: string): Promise<Policy> {
  // All of the balancer is heavy, and not needed where nothing is balanced.
  const { loadPolicy } = await import("@lbbench/proxy");
  const importWord = async (word: string): Promise<object | undefined> => {
    const file = await locateModule(word, folder);
    if (file === undefined && isModulePath(word)) throw new Error(describeMissingModule(word, folder));
    return file === undefined ? undefined : importModule(file);
  };
  return loadPolicy(text, { importModule: importWord });
}
