import { resolve } from "node:path";
import type { MixedRequest, RequestSpec } from "../model/scenario.js";
import { ConfigError, describeFailure, refuse } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { FileTooLargeError, MOST_FILE_BYTES, readBounded } from "./read-file.js";
import { nameSetting, type GivenRequest } from "./schema.js";
import { formatPath } from "./validate.js";
import { BODIES, MOST_BODIES, MOST_WEIGHT } from "./values.js";
import { defined } from "../stats/defined.js";

/** Bytes of all bodies of a mix together, those from files, those written down and those taken from `request` alike. */
export const MOST_MIX_BYTES = 10_000_000;

/** Fills in every default of a request whose files were read. */
export function resolveRequest(given: GivenRequest): RequestSpec {
  return {
    method: given.method ?? DEFAULTS.request.method,
    path: given.path ?? DEFAULTS.request.path,
    headers: Object.entries(given.headers ?? {}).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value] as const),
    ),
    body: given.body ?? null,
    bodyEncoding: given.bodyEncoding ?? "utf8",
    expectStatus: given.expectStatus ?? DEFAULTS.request.expectStatus,
    expectBody: given.expectBody ?? null,
  };
}

/** Puts what is said of a request over what is said of another one, part by part. */
export function overlayRequest(under: GivenRequest, over: GivenRequest): GivenRequest {
  return together(new Map([...partsOf(under), ...partsOf(over)]).values());
}

/** Leaves out of `request` what no entry of a mix has a use for. */
export function withoutUnused(request: GivenRequest, mix: readonly GivenRequest[]): GivenRequest {
  const unused = unusedParts(request, mix);
  return together([...partsOf(request)].flatMap(([name, part]) => (unused.has(name) ? [] : [part])));
}

/** What is said of each part of a request, by its name: a body is one part whichever way it is given, a header however it is spelled. */
function partsOf({ headers = {}, ...others }: GivenRequest): ReadonlyMap<string, GivenRequest> {
  const parts = new Map<string, GivenRequest>();
  for (const [key, value] of Object.entries(others)) {
    const name = BODIES.some((one) => one === key) || key === "bodyEncoding" ? "body" : key;
    if (value !== undefined) parts.set(name, { ...parts.get(name), [key]: value });
  }
  for (const [name, values] of Object.entries(headers)) {
    const key = `headers.${name.toLowerCase()}`;
    parts.set(key, { headers: { ...parts.get(key)?.headers, [name]: values } });
  }
  return parts;
}

function together(parts: Iterable<GivenRequest>): GivenRequest {
  const all = [...parts];
  const headers = Object.fromEntries(all.flatMap((part) => Object.entries(part.headers ?? {})));
  return {
    ...Object.assign({}, ...all),
    ...defined({ headers: Object.keys(headers).length === 0 ? undefined : headers }),
  };
}

function unusedParts(request: GivenRequest, mix: readonly GivenRequest[]): ReadonlyMap<string, GivenRequest> {
  const entries = mix.map(partsOf);
  return new Map([...partsOf(request)].filter(([name]) => entries.every((parts) => parts.has(name))));
}

/**
 * Fills in the members that entries of a mix, whose files were read, leave out: from `request`, and then from the defaults.
 *
 * Throws a {@link ConfigError} for a part of `request` that no entry takes, for paths and names that are not clear, for an entry that
 * would hardly ever be sent, and for too many bytes.
 *
 * @param targetPaths paths that the targets bring, each once: that of an entry when neither it nor `request` has one.
 */
export function resolveMix(
  mix: readonly GivenRequest[],
  request: GivenRequest = {},
  targetPaths: readonly string[] = [],
): readonly MixedRequest[] {
  refuseUnused(request, mix);
  const path = request.path ?? commonPath(mix, targetPaths);
  const entries = mix.map((entry): MixedRequest => {
    const { name, weight = DEFAULTS.mixWeight, bodies = null, ...given } = overlayRequest(request, entry);
    const resolved = resolveRequest({ path, ...given });
    return { name: name ?? `${resolved.method} ${resolved.path}`, weight, request: resolved, bodies };
  });
  const names = entries.map(({ name }) => name);
  const twice = names.findIndex((name, index) => names.indexOf(name) < index);
  const name = names[twice] ?? "";
  const most = Math.max(...entries.map(({ weight }) => weight));
  const rare = entries.findIndex(({ weight }) => weight * MOST_WEIGHT < most);
  const bytes = entries
    .map(({ bodies, request: { body, bodyEncoding } }) => byteLength(bodies ?? [body ?? ""], bodyEncoding))
    .reduce((sum, size) => sum + size, 0);
  refuse(
    twice !== -1 &&
      `${placeInMix(twice)}: expected a name that no other entry has, got "${name}", which is that of mix[${names.indexOf(name)}]. ` +
        'Give it a "name". If it is the same request, leave it out and raise the weight of the other.',
    rare !== -1 &&
      `${placeInMix(rare, "weight")}: expected at least a millionth of the largest weight, ${most}, got ${entries[rare]?.weight}. ` +
        `"${names[rare]}" would hardly ever be sent. Raise its weight, or leave the entry out.`,
    bytes > MOST_MIX_BYTES &&
      `mix (--mix): expected bodies of at most ${MOST_MIX_BYTES} bytes in all of its entries together, got ${bytes}. ` +
        "Leave some out: lbbench, every generator and the result keep all of them.",
  );
  return entries;
}

/** Bytes of bodies as they are sent, together. */
export function byteLength(bodies: readonly string[], encoding: RequestSpec["bodyEncoding"]): number {
  return bodies.reduce((bytes, body) => bytes + Buffer.byteLength(body, encoding), 0);
}

/** Names a place in a mix, whether it was written in a config file or in that of `--mix`: `mix[1].bodiesFile (--mix)`. */
export function placeInMix(index: number, ...path: readonly PropertyKey[]): string {
  return `${formatPath(["mix", index, ...path])} (--mix)`;
}

function refuseUnused(request: GivenRequest, mix: readonly GivenRequest[]): void {
  const [[key, part] = []] = unusedParts(request, mix);
  if (key === undefined) return;
  const place = ["request", ...(part?.headers ? ["headers", ...Object.keys(part.headers)] : [key])];
  refuse(
    `${nameSetting(place)}: expected an entry of the mix without its own, got one in each. ` +
      "This one would have no effect. Leave it out here, or in an entry.",
  );
}

function commonPath(mix: readonly GivenRequest[], [path, ...others]: readonly string[]): string | undefined {
  const index = mix.findIndex((entry) => entry.path === undefined);
  refuse(
    index !== -1 &&
      others.length > 0 &&
      `${placeInMix(index)}: expected a path, got none, and the targets have different ones (${[path, ...others].join(", ")}). ` +
        'Add "path" to the entry, or to request.',
  );
  return path;
}

/** Reads a file of text that a setting names. Rejects with a `ConfigError` when it cannot be read. */
export async function readText(path: string, place: string, folder: string): Promise<string> {
  return String(await readBytes(path, place, folder));
}

/** Rejects with a `ConfigError` when a file cannot be read, or has more bytes than are `left` for a mix. */
async function readBytes(path: string, place: string, folder = ".", left?: number): Promise<Buffer> {
  try {
    return readBounded(resolve(folder, path), left ?? MOST_FILE_BYTES).bytes;
  } catch (cause) {
    const isOfMix = cause instanceof FileTooLargeError && left !== undefined;
    const message = isOfMix
      ? `expected bodies of at most ${MOST_MIX_BYTES} bytes in all entries of the mix together, got more with the file "${path}" ` +
        `(${left} bytes are left for it). Leave some bodies out: all are sent in turn, again and again.`
      : `expected a file that can be read, got "${path}": ${describeFailure(cause)}`;
    throw new ConfigError(`${place}: ${message}`, { cause });
  }
}

/** Reads a file that is a body, as base64 where it is not UTF-8. Rejects with a `ConfigError` as {@link readText} does. */
export async function readBody(path: string, place: string, folder = ".", left?: number) {
  const bytes = await readBytes(path, place, folder, left);
  const bodyEncoding = encodingOf(bytes);
  return { body: bytes.toString(bodyEncoding), bodyEncoding };
}

/** Reads a file of bodies, one in each line; an empty line is an empty body, but for the last. */
async function readBodies(path: string, place: string, folder: string, left: number) {
  const bytes = await readBytes(path, place, folder, left);
  const bodyEncoding = encodingOf(bytes);
  const text = bytes.toString("latin1").replace(/\r?\n$/, "");
  const lines = bytes.length === 0 ? [] : text.split(/\r?\n/);
  refuse(
    (lines.length === 0 || lines.length > MOST_BODIES) &&
      `${place}: expected a file of 1 to ${MOST_BODIES} bodies, one in each line, got ${lines.length} in "${path}". ` +
        (lines.length === 0 ? "Write at least one." : "Leave some out: all are sent in turn, again and again."),
  );
  return { bodies: lines.map((line) => Buffer.from(line, "latin1").toString(bodyEncoding)), bodyEncoding };
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
export async function readRequestFiles<
  Input extends { request?: GivenRequest | undefined; mix?: GivenRequest[] | undefined },
>(input: Input, folder: string): Promise<Input> {
  const mix: GivenRequest[] = [];
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
  return { ...input, ...defined({ request: input.request && request, mix: input.mix && mix }) };
}
