import { resolve } from "node:path";
import { byteLength, checkMixBytes } from "./check-mix.js";
import { formatPath } from "./format-path.js";
import { placeInMix } from "./place-in-mix.js";
import { readBodies } from "./read-bodies.js";
import { readBody } from "./read-body.js";
import type { ParsedSweepInput } from "./sweep-input.js";

type Requests = Pick<ParsedSweepInput, "request" | "mix">;

type FileNames = { readonly bodyFile?: string | undefined; readonly bodiesFile?: string | undefined };

/**
 * Reads the files that the requests of an input name, and puts what is in them where their names were: `body` for
 * `bodyFile`, `bodies` for `bodiesFile`. Rejects with a `ConfigError` when one cannot be read, or is too large.
 *
 * @param folder where relative paths begin.
 */
export async function readRequestFiles<Input extends Requests>(input: Input, folder: string): Promise<Input> {
  const { request, mix } = input;
  return {
    ...input,
    ...(request === undefined
      ? {}
      : { request: await readFilesOf(request, (key) => formatPath(["request", key]), folder) }),
    ...(mix === undefined ? {} : { mix: await readMix(mix, folder) }),
  };
}

/** One file after the other, so that too much is told before all of it is read. */
async function readMix(mix: NonNullable<Requests["mix"]>, folder: string): Promise<NonNullable<Requests["mix"]>> {
  const read: NonNullable<Requests["mix"]> = [];
  let bytes = 0;
  for (const [index, entry] of mix.entries()) {
    const one = await readFilesOf(entry, (key) => placeInMix(index, key), folder);
    bytes += byteLength(one.bodies ?? [one.body], one);
    checkMixBytes(bytes);
    read.push(one);
  }
  return read;
}

async function readFilesOf<Given extends FileNames>(
  { bodyFile, bodiesFile, ...given }: Given,
  placeOf: (key: keyof FileNames) => string,
  folder: string,
): Promise<Omit<Given, keyof FileNames>> {
  return {
    ...given,
    ...(bodyFile === undefined ? {} : await readBody(resolve(folder, bodyFile), placeOf("bodyFile"))),
    ...(bodiesFile === undefined ? {} : await readBodies(resolve(folder, bodiesFile), placeOf("bodiesFile"))),
  };
}
