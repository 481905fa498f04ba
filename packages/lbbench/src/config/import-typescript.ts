import type { JitiResolveOptions } from "jiti";
import { loadOwnModules } from "../own-package.js";

/** Imports a module of the user's that may be written in TypeScript, which Node 20 cannot run. Resolves with what it exports. */
export async function importTypeScript(
  file: string,
  options?: JitiResolveOptions & { default?: true },
): Promise<unknown> {
  const { createJiti } = await import("jiti");
  return createJiti(import.meta.url, { fsCache: false, virtualModules: await loadOwnModules() }).import(file, options);
}
