import { join } from "node:path";
import { write } from "@lbbench/test-support/temporary-folder.js";

/** What plugins in files build on; they are loaded by Node itself, which reads no TypeScript. */
export const TESTING = new URL("../../dist/testing.js", import.meta.url).href;

/**
 * Writes a plugin that sends nothing and knows no time, for a folder of a command line: `engine.mjs`.
 *
 * @param see source of a function of the load and the number of the run, from 1: what the run sees.
 */
export function writeFakeEngine(folder: string, see = "() => ({})", name = "engine.mjs"): void {
  write(
    join(folder, name),
    `import { createFakeEngine } from "${TESTING}";\nexport default createFakeEngine({ see: ${see} });\n`,
  );
}

/** Writes a plugin that starts nothing: `server.mjs`, or one of another name that says that it answers at a URL of its own. */
export function writeFakeServer(folder: string, name = "server.mjs", url = "http://127.0.0.1:1"): void {
  write(
    join(folder, name),
    `import { createFakeServer } from "${TESTING}";\nexport default createFakeServer({ url: "${url}" });\n`,
  );
}
