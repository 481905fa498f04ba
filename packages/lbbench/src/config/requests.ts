import { resolve } from "node:path";
import * as z from "zod";
import type { MixedRequest, RequestSpec } from "../model/scenario.js";
import { ConfigError, describeFailure, insist } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { FileTooLargeError, MOST_FILE_BYTES, readBounded } from "./read-file.js";
import { formatPath, nameSetting } from "./validate.js";
import { defined } from "../stats/defined.js";

/** Bodies of an entry, all of which are kept by lbbench, by every generator and in the result. */
export const MOST_BODIES = 10_000;

/** Bytes of all bodies of a mix together, those from files, those written down and those taken from `request` alike. */
export const MOST_MIX_BYTES = 10_000_000;

/** Entries of a mix: each has figures of its own, in every generator, and lines of its own in the report. */
const MOST_ENTRIES = 100;

const MOST_WEIGHT = 1e6;
const WEIGHT = `expected a number from 0.000001 to ${MOST_WEIGHT}, such as 2 or 0.5`;

/** A name that is not empty, without blanks around it. */
export const nameInput = z.string().trim().min(1, "expected a name that is not empty");

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "expected the name of a header such as Accept");
const headerValue = z
  .string()
  .regex(
    /^[^\r\n\0\u0100-\uFFFF]*$/,
    "expected the value of a header, of characters up to U+00FF (each is sent as one byte) and without line breaks: encode others, as in %E2%82%AC",
  );
const filePath = z.string().min(1, "expected the path of a file");

/** An object that has these fields and no others. Fields of a named type keep their comments in declarations, for editors to show. */
export type Strict<Fields extends z.core.$ZodLooseShape> = z.ZodObject<Fields, z.core.$strict>;

const requestFields = {
  /** Method of every request. Default: GET. */
  method: z
    .string()
    .regex(/^[A-Za-z-]+$/, "expected an HTTP method such as GET or POST")
    .transform((method) => method.toUpperCase())
    .optional(),
  /** Path and query, as they are sent; a URL brings its own. Default: /. */
  path: z
    .string()
    .startsWith("/")
    .refine((path) => !path.startsWith("/") || isSentAsWritten(path), {
      error: ({ input }) => {
        const [given, sent] = [String(input), pathAsSent(String(input))].map((path) => JSON.stringify(path));
        return `expected path and query as they are sent, got ${given}, which would be sent as ${sent}`;
      },
    })
    .optional(),
  /** Headers by name; a list of values for one that is repeated. */
  headers: z
    .record(headerName, z.union([headerValue, z.array(headerValue)], "expected a text, or a list of texts"))
    .optional(),
  /** Body of every request. `null`: none, in an entry of a mix also where `request` has one. */
  body: z.string().nullable().optional(),
  /** `utf8`, or `base64` for a `body` that is not text. Default: utf8. */
  bodyEncoding: z.enum(["utf8", "base64"]).optional(),
  /** File that is the body, as it is. */
  bodyFile: filePath.optional(),
  /** Status codes or classes of an ok response. Default: 2xx. */
  expectStatus: z
    .string()
    .regex(/^([1-5]xx|[1-5]\d\d)(,([1-5]xx|[1-5]\d\d))*$/, "expected status codes or classes such as 2xx or 200,304")
    .optional(),
  /** Exact body of an ok response. `null`: any, in an entry of a mix also where `request` expects one. */
  expectBody: z.string().nullable().optional(),
};
export interface RequestFields extends Readonly<typeof requestFields> {}
const anyRequest: Strict<RequestFields> = z.strictObject(requestFields);

const entryFields = {
  /** Name in the report. Default: method and path. */
  name: nameInput.optional(),
  /** How often it is sent, beside the weights of the others. Default: 1. */
  weight: z.number(WEIGHT).min(1e-6, WEIGHT).max(MOST_WEIGHT, WEIGHT).optional(),
  /** Bodies to send in turn. */
  bodies: z.array(z.string()).min(1).max(MOST_BODIES).optional(),
  /** File of such bodies, one in each line. */
  bodiesFile: filePath.optional(),
};
export interface EntryFields extends RequestFields, Readonly<typeof entryFields> {}
const anyEntry: Strict<EntryFields> = z.strictObject({ ...entryFields, ...requestFields });

/** What every request is, or what those of a mix have in common. */
export const requestInput = anyRequest.superRefine(checkBodies);

/** Requests to send in proportion to weights; what an entry does not say is that of `request`. */
export const mixInput = z.array(anyEntry.superRefine(checkBodies)).min(1).max(MOST_ENTRIES);

type GivenRequest = z.output<typeof anyEntry>;

/** Ways to give what is sent as the body. */
const BODIES = ["body", "bodyFile", "bodies", "bodiesFile"] as const;

function checkBodies(given: GivenRequest, context: z.RefinementCtx): void {
  const refuse = (message: string, ...path: PropertyKey[]): void => context.addIssue({ code: "custom", path, message });
  const [first, second] = BODIES.filter((key) => given[key] !== undefined);
  if (second !== undefined) return refuse(`expected one of ${first} and ${second}, got both`, second);
  const { body, bodies = [], bodyEncoding } = given;
  if (bodyEncoding === undefined) return;
  if (typeof body !== "string" && bodies.length === 0) {
    const why = first?.endsWith("File") === true ? ", whose bytes are sent as they are" : "";
    return refuse(
      `expected a body that is written down beside it, got ${first ?? "none"}${why}. Leave bodyEncoding out`,
      "bodyEncoding",
    );
  }
  const check = (text: string, ...path: PropertyKey[]): void => {
    // Node skips what it cannot read.
    const isRead = bodyEncoding === "utf8" || Buffer.from(text, "base64").toString("base64") === text;
    if (!isRead) refuse('expected base64, such as "aGVsbG8=", as bodyEncoding says', ...path);
  };
  if (typeof body === "string") check(body, "body");
  for (const [index, text] of bodies.entries()) check(text, "bodies", index);
}

/** Path and query as they go out. */
export function pathAsSent(path: string): string {
  const { pathname, search } = new URL(`http://localhost${path}`);
  return pathname + search;
}

/** Whether a path goes out as it is written, but for characters that have to be percent-encoded. */
export function isSentAsWritten(path: string): boolean {
  // It does not matter whether a character was encoded before.
  const encode = (text: string): string =>
    encodeURI(Buffer.from(text).toString()).replaceAll("%25", "%").replaceAll("'", "%27");
  return encode(path) === encode(pathAsSent(path));
}

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
 * Fills in what the entries of a mix, whose files were read, do not say: from `request`, and then from the defaults.
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
  insist(
    twice === -1,
    `${placeInMix(twice)}: expected a name that no other entry has, got "${name}", which is that of mix[${names.indexOf(name)}]. ` +
      'Give it a "name". If it is the same request, leave it out and raise the weight of the other.',
  );
  const most = Math.max(...entries.map(({ weight }) => weight));
  const rare = entries.findIndex(({ weight }) => weight * MOST_WEIGHT < most);
  insist(
    rare === -1,
    `${placeInMix(rare, "weight")}: expected at least a millionth of the largest weight, ${most}, got ${entries[rare]?.weight}. ` +
      `"${names[rare]}" would hardly ever be sent. Raise its weight, or leave the entry out.`,
  );
  const bytes = entries
    .map(({ bodies, request: { body, bodyEncoding } }) => byteLength(bodies ?? [body ?? ""], bodyEncoding))
    .reduce((sum, size) => sum + size, 0);
  insist(
    bytes <= MOST_MIX_BYTES,
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
  throw new ConfigError(
    `${nameSetting(place)}: expected an entry of the mix without its own, got one in each. ` +
      "This one would have no effect. Leave it out here, or in an entry.",
  );
}

function commonPath(mix: readonly GivenRequest[], [path, ...others]: readonly string[]): string | undefined {
  const index = mix.findIndex((entry) => entry.path === undefined);
  insist(
    index === -1 || others.length === 0,
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
  insist(
    lines.length > 0 && lines.length <= MOST_BODIES,
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
