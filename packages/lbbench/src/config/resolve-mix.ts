import type { MixedRequest } from "../model/scenario.js";
import { checkMix } from "./check-mix.js";
import { ConfigError } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { formatPath } from "./format-path.js";
import { mergeHeaders } from "./merge-headers.js";
import { placeInMix } from "./place-in-mix.js";
import { resolveRequest, type GivenRequest } from "./resolve-request.js";
import type { ParsedSweepInput } from "./sweep-input.js";
import { unusedParts, type RequestPart } from "./unused-parts.js";

type GivenMix = NonNullable<ParsedSweepInput["mix"]>;

type GivenEntry = GivenMix[number];

/**
 * Fills in what the entries of a mix do not say: from `request`, and then from the defaults. Of the headers each is taken over
 * by its name; a body comes with its encoding. Files that it names must have been read (`readRequestFiles`).
 *
 * Throws a {@link ConfigError} for a part of `request` that no entry takes, for entries of the same name (see
 * {@link checkMix}), and where an entry has no path and the targets have several.
 *
 * @param targetPaths paths that the targets bring, each once: that of an entry when neither it nor `request` has one.
 */
export function resolveMix(
  mix: GivenMix,
  request: GivenRequest = {},
  targetPaths: readonly string[] = [],
): readonly MixedRequest[] {
  const unused = unusedParts(mix, request).find(({ key }) => key !== "bodyEncoding");
  if (unused !== undefined) throw unusedPart(unused);
  const path = request.path ?? commonPath(mix, targetPaths);
  const entries = mix.map((entry) => resolveEntry(entry, { ...request, path }));
  checkMix(entries);
  return entries;
}

const FLAGS: ReadonlyMap<keyof GivenRequest, string> = new Map([
  ["method", "-m"],
  ["headers", "-H"],
  ["body", "-b, --body-file"],
  ["expectStatus", "--expect-status"],
  ["expectBody", "--expect-body"],
]);

function unusedPart({ key, header }: RequestPart): ConfigError {
  const flag = FLAGS.get(key);
  const place = formatPath(["request", key, ...(header === undefined ? [] : [header])]);
  return new ConfigError(
    `${place}${flag === undefined ? "" : ` (${flag})`}: expected an entry of the mix that takes it, got one of its own in each, ` +
      "so that it would have no effect. Leave it out here, or of an entry.",
  );
}

function commonPath(mix: GivenMix, [path, ...others]: readonly string[]): string | undefined {
  const index = mix.findIndex((entry) => entry.path === undefined);
  if (index === -1 || others.length === 0) return path;
  throw new ConfigError(
    `${placeInMix(index)}: expected a path, as the targets bring different ones (${[path, ...others].join(", ")}), got none. ` +
      'Add "path" to the entry, or to request.',
  );
}

function resolveEntry(entry: GivenEntry, request: GivenRequest): MixedRequest {
  const { name, weight = DEFAULTS.mixWeight, bodies = null, bodiesFile } = entry;
  if (bodiesFile !== undefined) throw new Error(`The file of bodies was not read: ${bodiesFile}`);
  const resolved = resolveRequest({
    method: entry.method ?? request.method,
    path: entry.path ?? request.path,
    headers: mergeHeaders(request.headers, entry.headers),
    ...bodyOf(entry, request),
    bodyFile: entry.bodyFile,
    expectStatus: entry.expectStatus ?? request.expectStatus,
    expectBody: ownOr(entry.expectBody, request.expectBody),
  });
  return { name: name ?? `${resolved.method} ${resolved.path}`, weight, request: resolved, bodies };
}

/** Bodies of its own take the place of that of `request`, and so does none. */
function bodyOf(entry: GivenEntry, request: GivenRequest): Pick<GivenRequest, "body" | "bodyEncoding"> {
  const { body, bodies, bodyEncoding } = entry;
  if (bodies !== undefined) return { bodyEncoding };
  if (body !== undefined) return { body: body ?? undefined, bodyEncoding };
  return { body: request.body, bodyEncoding: request.bodyEncoding };
}

/** `null` stands for none. */
function ownOr<T>(own: T | null | undefined, inherited: T): T | undefined {
  return own === undefined ? inherited : (own ?? undefined);
}
