import { readFileSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeFailure } from "../config/config-error.js";
import { validate } from "../config/validate.js";
import type { Result } from "../model/result.js";
import { OutputError } from "./output-error.js";
import { resultSchema } from "../model/result-schema.js";

/** The name of the result's file in the folder of its report. */
export const RESULT_FILE = "result.json";

/** The version of the format that is read and written. */
const RESULT_VERSION = 1;

/** A result that was read, and where it was. */
export interface StoredResult {
  /** Absolute path of the file. */
  readonly path: string;
  readonly result: Result;
}

/**
 * Reads a result.json, given its path or its folder. Rejects with an {@link OutputError} when it is not there, is not
 * JSON, or is of another version, and with a `ConfigError` that names the fields when it is damaged.
 */
export async function readResult(given: string): Promise<StoredResult> {
  const path = await locate(resolve(given));
  const text = await readFile(path, "utf8").catch((error: unknown) => refuse(path, error));
  return { path, result: toResult(text, path) };
}

/** Does what {@link readResult} does at once, for where nothing can be waited for; throws what that rejects with. */
export function readResultSync(given: string): StoredResult {
  const resolved = resolve(given);
  const isFolder = statSync(resolved, { throwIfNoEntry: false })?.isDirectory() === true;
  const path = isFolder ? join(resolved, RESULT_FILE) : resolved;
  return { path, result: toResult(read(path), path) };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return refuse(path, error);
  }
}

function refuse(path: string, error: unknown): never {
  throw new OutputError(
    `Expected a ${RESULT_FILE}, or the folder of a report, but ${path} cannot be read: ${describeFailure(error)}`,
    { cause: error },
  );
}

function toResult(text: string, path: string): Result {
  const content = parse(text, path);
  checkVersion(content, path);
  return validate(resultSchema, content, path);
}

async function locate(path: string): Promise<string> {
  const isFolder = await stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  return isFolder ? join(path, RESULT_FILE) : path;
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OutputError(`Expected a ${RESULT_FILE}, but ${path} is not JSON: ${describeFailure(error)}`, {
      cause: error,
    });
  }
}

function checkVersion(content: unknown, path: string): void {
  const version = typeof content === "object" && content !== null && "version" in content ? content.version : undefined;
  if (version === RESULT_VERSION) return;
  const why =
    typeof version === "number" && version > RESULT_VERSION
      ? `is of version ${version}, and this lbbench reads version ${RESULT_VERSION}. A newer lbbench is needed.`
      : "says nothing of the sort. Is it a file that lbbench sweep has written?";
  throw new OutputError(`Expected a ${RESULT_FILE} of version ${RESULT_VERSION}, but ${path} ${why}`);
}
