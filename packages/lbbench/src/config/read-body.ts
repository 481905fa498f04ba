import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ConfigError } from "./config-error.js";
import { describeFailure } from "./describe-failure.js";

/** A body, and how its text is to be read. */
export interface Body {
  readonly body: string;
  readonly bodyEncoding: "utf8" | "base64";
}

/**
 * Reads a file that is a body: as text, or as base64 where it is not UTF-8. Rejects with a `ConfigError` when it cannot be
 * read.
 *
 * @param place where the file is named, for messages: `--body-file`.
 * @param folder where the path begins.
 */
export async function readBody(path: string, place: string, folder = "."): Promise<Body> {
  const bytes = await readBytes(path, place, folder);
  return isText(bytes)
    ? { body: bytes.toString("utf8"), bodyEncoding: "utf8" }
    : { body: bytes.toString("base64"), bodyEncoding: "base64" };
}

/** Reads a file that a setting names. Rejects with a `ConfigError` when it cannot be read. */
export async function readBytes(path: string, place: string, folder = "."): Promise<Buffer> {
  try {
    return await readFile(resolve(folder, path));
  } catch (error) {
    throw new ConfigError(`${place}: expected a file that can be read, got "${path}": ${describeFailure(error)}`, {
      cause: error,
    });
  }
}

/** Whether bytes come out as they were when they are taken for UTF-8. */
export function isText(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes);
}
