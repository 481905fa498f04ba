import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { validate } from "../config/validate.js";
import type { Result } from "../model/result.js";
import { OutputError } from "./output-error.js";
import { resultSchema } from "./result-schema.js";

/** The name of the result's file in the folder of its report. */
export const RESULT_FILE = "result.json";

/** A result that was read, and where it was. */
export interface StoredResult {
  /** Absolute path of the file. */
  readonly path: string;
  readonly result: Result;
}

/**
 * Reads a result.json, given its path or its folder. Rejects with an {@link OutputError} when it is not there or is not
 * JSON, and with a `ConfigError` that names the field when it is not a result.
 */
export async function readResult(given: string): Promise<StoredResult> {
  const path = await locate(resolve(given));
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new OutputError(`Expected a ${RESULT_FILE}, or the folder of a report, at ${path}, but: ${reason(error)}`, {
      cause: error,
    });
  });
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new OutputError(`Expected a ${RESULT_FILE} at ${path}, but it is not JSON: ${reason(error)}`, {
      cause: error,
    });
  }
  return { path, result: validate(resultSchema, content, path) };
}

async function locate(path: string): Promise<string> {
  const isFolder = await stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  return isFolder ? join(path, RESULT_FILE) : path;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
