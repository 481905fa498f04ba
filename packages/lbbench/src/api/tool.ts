import { createRequire } from "node:module";

const { name, version } = createRequire(import.meta.url)("../../package.json") as { name: string; version: string };

/** What made a result: name and version of this package. */
export const TOOL: { readonly name: string; readonly version: string } = { name, version };
