import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { ConfigError, describeFailure, formatPath } from "./config-error.js";
import { byteLength, MOST_BODIES, MOST_MIX_BYTES, placeInMix } from "./requests.js";
import type { ParsedSweepInput } from "./sweep-input.js";

/** A body, and how its text is to be read. */
export interface Body {
  readonly body: string;
  readonly bodyEncoding: "utf8" | "base64";
}

/** Reads a file that a setting names. Rejects with a `ConfigError` when it cannot be read, or has more bytes than `most`. */
export async function readBytes(path: string, place: string, folder = ".", most = Infinity): Promise<Buffer> {
  // No more than that is read: a file may be larger than memory.
  const bytes = await buffer(createReadStream(resolve(folder, path), { end: most })).catch((cause: unknown) => {
    throw new ConfigError(`${place}: expected a file that can be read, got "${path}": ${describeFailure(cause)}`, {
      cause,
    });
  });
  if (bytes.length <= most) return bytes;
  throw new ConfigError(
    `${place}: expected a file of at most ${most} bytes, got more in "${path}". All bodies of a mix together may have ${MOST_MIX_BYTES}: leave some out.`,
  );
}

/**
 * Reads a file that is a body: as text, or as base64 where it is not UTF-8. Rejects as {@link readBytes} does.
 *
 * @param place where the file is named, for messages: `--body-file`.
 * @param folder where the path begins.
 */
export async function readBody(path: string, place: string, folder = ".", most = Infinity): Promise<Body> {
  const bytes = await readBytes(path, place, folder, most);
  const bodyEncoding = encodingOf(bytes);
  return { body: bytes.toString(bodyEncoding), bodyEncoding };
}

/** Text only where the bytes come out as they were. */
function encodingOf(bytes: Buffer): Body["bodyEncoding"] {
  return Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes) ? "utf8" : "base64";
}

/**
 * Reads the files that the requests of an input name, and puts what is in them where their names were: `body` for
 * `bodyFile`, `bodies` for `bodiesFile`. Rejects with a `ConfigError` when one cannot be read, or is too large.
 *
 * @param folder where relative paths begin.
 */
export async function readRequestFiles<Input extends Pick<ParsedSweepInput, "request" | "mix">>(
  input: Input,
  folder: string,
): Promise<Input> {
  const { bodyFile, ...request } = input.request ?? {};
  const mix: NonNullable<Input["mix"]> = [];
  let left = MOST_MIX_BYTES;
  // One file after the other, so that too much is told before all of it is read.
  for (const [index, { bodyFile, bodiesFile, ...entry }] of (input.mix ?? []).entries()) {
    const place = (key: string): string => placeInMix(index, key);
    if (bodyFile !== undefined) Object.assign(entry, await readBody(bodyFile, place("bodyFile"), folder, left));
    if (bodiesFile !== undefined) Object.assign(entry, await readBodies(bodiesFile, place("bodiesFile"), folder, left));
    if (bodyFile ?? bodiesFile) left -= byteLength(entry.bodies ?? [entry.body ?? ""], entry.bodyEncoding ?? "utf8");
    mix.push(entry);
  }
  const read = bodyFile === undefined ? {} : await readBody(bodyFile, formatPath(["request", "bodyFile"]), folder);
  return {
    ...input,
    ...(input.request && { request: { ...request, ...read } }),
    ...(input.mix && { mix }),
  };
}

/** Reads a file of bodies, one in each line; an empty line is an empty body, but for the last. */
async function readBodies(path: string, place: string, folder: string, most: number) {
  const bytes = await readBytes(path, place, folder, most);
  const bodyEncoding = encodingOf(bytes);
  const lines = bytes
    .toString("latin1")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/);
  const count = bytes.length === 0 ? 0 : lines.length;
  if (count > 0 && count <= MOST_BODIES) {
    return { bodies: lines.map((line) => Buffer.from(line, "latin1").toString(bodyEncoding)), bodyEncoding };
  }
  throw new ConfigError(
    `${place}: expected a file of 1 to ${MOST_BODIES} bodies, one in each line, got ${count} in "${path}". ` +
      (count === 0 ? "Write at least one." : "Leave some out: they are sent again and again."),
  );
}
