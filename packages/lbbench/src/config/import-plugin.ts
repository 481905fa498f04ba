import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { importTypeScript } from "./import-typescript.js";
import { settleWithin } from "./settle-within.js";

/** What TypeScript is written in; Node 20 cannot run it. */
const TYPESCRIPT = new Set([".ts", ".mts", ".cts"]);

/**
 * Imports a module of the user's, JavaScript or TypeScript. Resolves with what it exports; rejects with what it throws, and when it
 * is not loaded within `longestMs`, as {@link settleWithin} says.
 */
export async function importPlugin(file: string, longestMs?: number): Promise<Readonly<Record<string, unknown>>> {
  const loading = TYPESCRIPT.has(extname(file)) ? importTypeScript(file) : importJavaScript(file);
  const module = await settleWithin(loading, longestMs);
  return isRecord(module) ? withDefaultOfCompiled(module) : { default: module };
}

async function importJavaScript(file: string): Promise<unknown> {
  return import(pathToFileURL(file).href);
}

/** What compilers make of `export default` for CommonJS stands one level deeper when it is imported. */
function withDefaultOfCompiled(module: Record<string, unknown>): Record<string, unknown> {
  const inner = module["default"];
  return isRecord(inner) && inner["__esModule"] === true ? { ...module, default: inner["default"] } : module;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
