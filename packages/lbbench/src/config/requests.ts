import type { HeaderLine, MixedRequest, RequestSpec } from "../model/scenario.js";
import { ConfigError, formatPath } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import type { ParsedSweepInput } from "./sweep-input.js";

/** What is said of a request. */
export type GivenRequest = NonNullable<ParsedSweepInput["request"]>;

/** What is said of the requests of a mix. */
export type GivenMix = NonNullable<ParsedSweepInput["mix"]>;

type GivenEntry = GivenMix[number];

/** A path into `request`: a setting of it, or one of its headers. */
type PartPath = readonly [setting: string, ...header: string[]];

/** Fills in every default of a request. Files that it names must have been read (`readRequestFiles`). */
export function resolveRequest(given: GivenRequest): RequestSpec {
  if (given.bodyFile !== undefined) throw new Error(`The file of a body was not read: ${given.bodyFile}`);
  const headers = Object.entries(given.headers ?? {}).flatMap(([name, values]): readonly HeaderLine[] =>
    [values].flat().map((value) => [name, value]),
  );
  return {
    method: given.method ?? DEFAULTS.request.method,
    path: given.path ?? DEFAULTS.request.path,
    headers,
    body: given.body ?? null,
    bodyEncoding: given.bodyEncoding ?? "utf8",
    expectStatus: given.expectStatus ?? DEFAULTS.request.expectStatus,
    expectBody: given.expectBody ?? null,
  };
}

/**
 * Fills in what the entries of a mix do not say: from `request`, and then from the defaults. Of the headers each is taken over
 * by its name; a body comes with its encoding. Files that it names must have been read (`readRequestFiles`).
 *
 * Throws a {@link ConfigError} for a part of `request` that no entry takes, where an entry has no path and the targets have several,
 * when two entries have the same name, be they the same request or not (their figures stand beside each other under it), when one
 * weighs less than a millionth of another, and when the bodies are more than 10 MB together.
 *
 * @param targetPaths paths that the targets bring, each once: that of an entry when neither it nor `request` has one.
 */
export function resolveMix(
  mix: GivenMix,
  request: GivenRequest = {},
  targetPaths: readonly string[] = [],
): readonly MixedRequest[] {
  const unused = unusedParts(mix, request).find(([key]) => key !== "bodyEncoding");
  if (unused !== undefined) {
    const flag = FLAGS.get(unused[0]);
    throw new ConfigError(
      `${formatPath(["request", ...unused])}${flag === undefined ? "" : ` (${flag})`}: expected an entry of the mix without its own, got one in each. ` +
        "This one would have no effect. Leave it out here, or in an entry.",
    );
  }
  const path = request.path ?? commonPath(mix, targetPaths);
  const entries = mix.map((entry) => resolveEntry(entry, { ...request, path }));
  checkNames(entries);
  checkWeights(entries);
  checkMixBytes(
    entries.reduce((bytes, entry) => bytes + byteLength(entry.bodies ?? [entry.request.body], entry.request), 0),
  );
  return entries;
}

const FLAGS: ReadonlyMap<string, string> = new Map([
  ["method", "-m"],
  ["headers", "-H"],
  ["body", "-b, --body-file"],
  ["expectStatus", "--expect-status"],
  ["expectBody", "--expect-body"],
]);

/** Names a place in a mix, whether it was written in a config file or in that of `--mix`: `mix[1].bodiesFile (--mix)`. */
export function placeInMix(index: number, ...path: readonly PropertyKey[]): string {
  return `${formatPath(["mix", index, ...path])} (--mix)`;
}

function commonPath(mix: GivenMix, [path, ...others]: readonly string[]): string | undefined {
  const index = mix.findIndex((entry) => entry.path === undefined);
  if (index === -1 || others.length === 0) return path;
  throw new ConfigError(
    `${placeInMix(index)}: expected a path, got none, and the targets have different ones (${[path, ...others].join(", ")}). ` +
      'Add "path" to the entry, or to request.',
  );
}

function resolveEntry(entry: GivenEntry, request: GivenRequest): MixedRequest {
  const { name, weight = DEFAULTS.mixWeight, bodies = null, bodiesFile, body, bodyEncoding } = entry;
  if (bodiesFile !== undefined) throw new Error(`The file of bodies was not read: ${bodiesFile}`);
  const isOwnBody = bodies !== null || body !== undefined;
  const resolved = resolveRequest({
    method: entry.method ?? request.method,
    path: entry.path ?? request.path,
    headers: mergeHeaders(request.headers, entry.headers),
    // Bodies of its own take the place of that of `request`, and so does none, which is `null`.
    body: isOwnBody ? (body ?? undefined) : request.body,
    bodyEncoding: isOwnBody ? bodyEncoding : request.bodyEncoding,
    bodyFile: entry.bodyFile,
    expectStatus: entry.expectStatus ?? request.expectStatus,
    expectBody: entry.expectBody === undefined ? request.expectBody : (entry.expectBody ?? undefined),
  });
  return { name: name ?? `${resolved.method} ${resolved.path}`, weight, request: resolved, bodies };
}

/** Puts headers over others: one of a name takes the place of all that have it, however it is spelled there. */
export function mergeHeaders(under: GivenRequest["headers"], over: GivenRequest["headers"]): GivenRequest["headers"] {
  if (under === undefined || over === undefined) return over ?? under;
  const kept = Object.entries(under).filter(([name]) => !hasHeader(over, name));
  return { ...Object.fromEntries(kept), ...over };
}

function hasHeader(headers: GivenRequest["headers"], name: string): boolean {
  return Object.keys(headers ?? {}).some((other) => other.toLowerCase() === name.toLowerCase());
}

/** What is sent as the body is one part, whichever way it is given. */
const BODIES = ["body", "bodyFile", "bodies", "bodiesFile"] as const;

/** What of `request` every entry of a mix has one of its own of, so that it is never sent. */
function unusedParts(mix: GivenMix, request: GivenRequest): readonly PartPath[] {
  const parts = Object.entries(request).flatMap(([key, value]): readonly PartPath[] => {
    if (value === undefined) return [];
    return key === "headers" ? Object.keys(value).map((name) => [key, name]) : [[key]];
  });
  return parts.filter(([key, header]) =>
    mix.every((entry) => {
      if (header !== undefined) return hasHeader(entry.headers, header);
      if (key.startsWith("body")) return BODIES.some((one) => entry[one] !== undefined);
      return entry[key as keyof GivenRequest] !== undefined;
    }),
  );
}

/** Leaves out of `request` what no entry of a mix has a use for. */
export function withoutUnused(mix: GivenMix, request: GivenRequest): GivenRequest {
  const unused = new Set(unusedParts(mix, request).map((part) => formatPath(part)));
  const keep = <T extends object>(given: T, ...inside: readonly string[]): T =>
    Object.fromEntries(Object.entries(given).filter(([key]) => !unused.has(formatPath([...inside, key])))) as T;
  const { headers, ...rest } = request;
  return headers === undefined ? keep(rest) : { ...keep(rest), headers: keep(headers, "headers") };
}

/** Of all bodies of a mix together, those from files, those written down and those taken from `request` alike. */
export const MOST_MIX_BYTES = 10_000_000;

/** Throws a {@link ConfigError} when the bodies of a mix have so many bytes together that it is too much. */
export function checkMixBytes(bytes: number): void {
  if (bytes <= MOST_MIX_BYTES) return;
  throw new ConfigError(
    `mix (--mix): expected bodies of at most ${MOST_MIX_BYTES} bytes in all of its entries together, got ${bytes}. ` +
      "Leave some out: lbbench, every generator and the result keep all of them.",
  );
}

/** Bytes of bodies as they are sent, together; no body has none. */
export function byteLength(
  bodies: readonly (string | null | undefined)[],
  { bodyEncoding = "utf8" }: Pick<GivenRequest, "bodyEncoding">,
): number {
  return bodies.reduce((bytes, body) => bytes + Buffer.byteLength(body ?? "", bodyEncoding), 0);
}

function checkNames(mix: readonly MixedRequest[]): void {
  const names = mix.map(({ name }) => name);
  const index = names.findIndex((name, at) => names.indexOf(name) < at);
  const name = names[index];
  if (name === undefined) return;
  throw new ConfigError(
    `${placeInMix(index)}: expected a name that no other entry has, got "${name}", which is that of mix[${names.indexOf(name)}]. ` +
      'Give it a "name". If it is the same request, leave it out and raise the weight of the other.',
  );
}

/** How many times as often as another an entry may be sent; a rarer one would hardly ever have its turn. */
const MOST_RATIO = 1e6;

function checkWeights(mix: readonly MixedRequest[]): void {
  const most = Math.max(...mix.map(({ weight }) => weight));
  const index = mix.findIndex(({ weight }) => weight * MOST_RATIO < most);
  const rare = mix[index];
  if (rare === undefined) return;
  throw new ConfigError(
    `${placeInMix(index, "weight")}: expected at least a millionth of the largest weight, ${most}, got ${rare.weight}. ` +
      `"${rare.name}" would hardly ever be sent. Raise its weight, or leave the entry out.`,
  );
}
