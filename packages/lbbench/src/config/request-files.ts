import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ConfigError, describeFailure, formatPath } from "./config-error.js";
import { MOST_BODIES } from "./sweep-input.js";
import { byteLength, checkMixBytes, MOST_MIX_BYTES, placeInMix, type GivenMix, type GivenRequest } from "./requests.js";

/** A body, and how its text is to be read. */
export interface Body {
  readonly body: string;
  readonly bodyEncoding: "utf8" | "base64";
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

/**
 * Reads a file that is a body: as text, or as base64 where it is not UTF-8. Rejects with a `ConfigError` when it cannot be
 * read.
 *
 * @param place where the file is named, for messages: `--body-file`.
 * @param folder where the path begins.
 */
export async function readBody(path: string, place: string, folder = "."): Promise<Body> {
  const bytes = await readBytes(path, place, folder);
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
export async function readRequestFiles<
  Input extends { readonly request?: GivenRequest | undefined; readonly mix?: GivenMix | undefined },
>(input: Input, folder: string): Promise<Input> {
  const { request, mix = [] } = input;
  const entries: GivenMix = [];
  let bytes = 0;
  // One file after the other, so that too much is told before all of it is read.
  for (const [index, entry] of mix.entries()) {
    const one = await readFilesOf(entry, (key) => placeInMix(index, key), folder);
    bytes += byteLength(one.bodies ?? [one.body], one);
    checkMixBytes(bytes);
    entries.push(one);
  }
  return {
    ...input,
    ...(request && { request: await readFilesOf(request, (key) => formatPath(["request", key]), folder) }),
    ...(input.mix && { mix: entries }),
  };
}

type FileNames = { readonly bodyFile?: string | undefined; readonly bodiesFile?: string | undefined };

async function readFilesOf<Given extends FileNames>(
  { bodyFile, bodiesFile, ...given }: Given,
  placeOf: (key: keyof FileNames) => string,
  folder: string,
): Promise<Omit<Given, keyof FileNames>> {
  return {
    ...given,
    ...(bodyFile === undefined ? {} : await readBody(bodyFile, placeOf("bodyFile"), folder)),
    ...(bodiesFile === undefined ? {} : await readBodies(resolve(folder, bodiesFile), placeOf("bodiesFile"))),
  };
}

/** Reads a file of bodies, one in each line; an empty line is an empty body, but for the last. */
async function readBodies(path: string, place: string): Promise<{ bodies: string[] } & Pick<Body, "bodyEncoding">> {
  const refuseLarge = (size: number): void => {
    if (size <= MOST_MIX_BYTES) return;
    throw new ConfigError(
      `${place}: expected a file of at most ${MOST_MIX_BYTES} bytes, got ${size} in "${path}". Leave some lines out: all are sent in turn, again and again.`,
    );
  };
  // Before it is read: it may be larger than memory. What cannot be asked for its size cannot be read either, and says so then.
  refuseLarge(
    await stat(path).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  const bytes = await readBytes(path, place);
  refuseLarge(bytes.length);
  const bodyEncoding = encodingOf(bytes);
  const bodies = bytes
    .toString("latin1")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((line) => Buffer.from(line, "latin1").toString(bodyEncoding));
  if (bytes.length > 0 && bodies.length <= MOST_BODIES) return { bodies, bodyEncoding };
  const count = bytes.length === 0 ? 0 : bodies.length;
  throw new ConfigError(
    `${place}: expected a file of 1 to ${MOST_BODIES} bodies, one in each line, got ${count} in "${path}". ` +
      (count === 0 ? "Write at least one." : "Leave some out: they are sent again and again."),
  );
}
