import { createRequire } from "node:module";

const { name, version } = createRequire(import.meta.url)("../package.json") as { name: string; version: string };

/** What made a result: name and version of this package. */
export const TOOL: { readonly name: string; readonly version: string } = { name, version };

/**
 * Modules that a user's TypeScript gets from here, by the name with which it imports them: none, because a package that is installed
 * is found without. The bundle of the Action has a module of its own in place of this one, and `lbbench` in this list.
 */
export async function loadOwnModules(): Promise<Record<string, Record<string, unknown>>> {
  return {};
}
