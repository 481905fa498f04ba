import { parseArgsStringToArgv } from "string-argv";
import type { Folder } from "./folder.js";
import { findExpansion, isShellWord } from "./check-command.js";

/** Files that programs are usually started from. */
const USUAL = ["server.js", "server.mjs", "app.js", "index.js", "index.mjs"] as const;

/**
 * The command that starts the program of a folder: the script `start` itself where it needs no shell, `npm start` where it
 * does, or else Node with `main` or a file of a usual name. `undefined` where nothing tells.
 */
export function guessCommand({ manifest, names }: Pick<Folder, "manifest" | "names">): string | undefined {
  const start = scriptOf(manifest?.content.scripts, "start");
  if (start !== undefined) return runsWithoutShell(start) ? start : "npm start";
  const main = manifest?.content.main;
  const files = [...(typeof main === "string" ? [main.replace(/^\.\//, "")] : []), ...USUAL];
  const file = files.find((one) => names.has(one) && /^[\w.-]+\.[cm]?js$/.test(one));
  return file === undefined ? undefined : `node ${file}`;
}

function scriptOf(scripts: unknown, name: string): string | undefined {
  if (typeof scripts !== "object" || scripts === null || !Object.hasOwn(scripts, name)) return undefined;
  const script: unknown = (scripts as Record<string, unknown>)[name];
  return typeof script === "string" && script.trim() !== "" ? script.trim() : undefined;
}

/** A script finds programs of node_modules by npm; Node is found without. */
function runsWithoutShell(script: string): boolean {
  const [program, ...words] = parseArgsStringToArgv(script);
  return program === "node" && findExpansion(script) === undefined && !words.some(isShellWord);
}
