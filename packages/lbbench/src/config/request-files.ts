import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { ConfigError, describeFailure } from "./config-error.js";
import { byteLength, MOST_BODIES, MOST_MIX_BYTES, placeInMix } from "./requests.js";
import type { ParsedSweepInput } from "./sweep-input.js";

/** Reads a file that a setting names. Rejects with a `ConfigError` when it cannot be read, or has more bytes than `most`. */
export async function readBytes(path: string, place: string, folder = ".", most = Infinity): Promise<Buffer> {
  // No more than that is read: a file may be larger than memory.
  const bytes = await buffer(createReadStream(resolve(folder, path), { end: most })).catch((cause: unknown) => {
    const why = describeFailure(cause);
    throw new ConfigError(`${place}: expected a file that can be read, got "${path}": ${why}`, { cause });
  });
  if (bytes.length <= most) return bytes;
  throw new ConfigError(
    `${place}: expected bodies of at most ${MOST_MIX_BYTES} bytes in all entries of the mix together, got more with the file "${path}" ` +
      `(${most} bytes are left for it). Leave some bodies out: all are sent in turn, again and again.`,
  );
}

/** Reads a file that is a body, as base64 where it is not UTF-8. Rejects as {@link readBytes} does. */
export async function readBody(path: string, place: string, folder = ".", most = Infinity) {
  const bytes = await readBytes(path, place, folder, most);
  const bodyEncoding = encodingOf(bytes);
  return { body: bytes.toString(bodyEncoding), bodyEncoding };
}

/** Reads a file of bodies, one in each line; an empty line is an empty body, but for the last. */
async function readBodies(path: string, place: string, folder: string, most: number) {
  const bytes = await readBytes(path, place, folder, most);
  const bodyEncoding = encodingOf(bytes);
  const text = bytes.toString("latin1").replace(/\r?\n$/, "");
  const lines = bytes.length === 0 ? [] : text.split(/\r?\n/);
  if (lines.length > 0 && lines.length <= MOST_BODIES) {
    return { bodies: lines.map((line) => Buffer.from(line, "latin1").toString(bodyEncoding)), bodyEncoding };
  }
  throw new ConfigError(
    `${place}: expected a file of 1 to ${MOST_BODIES} bodies, one in each line, got ${lines.length} in "${path}". ` +
      (lines.length === 0 ? "Write at least one." : "Leave some out: all are sent in turn, again and again."),
  );
}

/** Text only where the bytes come out as they were. */
function encodingOf(bytes: Buffer): "utf8" | "base64" {
  return Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes) ? "utf8" : "base64";
}

/**
 * Reads the files that the requests of an input name, and puts what is in them where their names were: `body` for
 * `bodyFile`, `bodies` for `bodiesFile`. Rejects with a `ConfigError` when one cannot be read, or is too large.
 *
 * @param folder where relative paths begin.
 */
export async function readRequestFiles(input: ParsedSweepInput, folder: string): Promise<ParsedSweepInput> {
  const mix: NonNullable<ParsedSweepInput["mix"]> = [];
  let left = MOST_MIX_BYTES;
  // One file after the other, so that too much is told before all of it is read.
  for (const [index, { bodyFile, bodiesFile, ...entry }] of (input.mix ?? []).entries()) {
    const place = (key: string): string => placeInMix(index, key);
    if (bodyFile !== undefined) Object.assign(entry, await readBody(bodyFile, place("bodyFile"), folder, left));
    if (bodiesFile !== undefined) Object.assign(entry, await readBodies(bodiesFile, place("bodiesFile"), folder, left));
    if (bodyFile ?? bodiesFile) left -= byteLength(entry.bodies ?? [entry.body ?? ""], entry.bodyEncoding ?? "utf8");
    mix.push(entry);
  }
  const { bodyFile, ...request } = input.request ?? {};
  if (bodyFile !== undefined) Object.assign(request, await readBody(bodyFile, "request.bodyFile", folder));
  return { ...input, ...(input.request && { request }), ...(input.mix && { mix }) };
}
