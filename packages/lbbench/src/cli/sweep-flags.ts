import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { describeFailure } from "../config/describe-failure.js";
import { ConfigError } from "../index.js";
import { parseFormats } from "./parse-formats.js";

/** The flags of `lbbench sweep` as commander hands them over. */
export interface SweepFlags {
  readonly connections?: string;
  readonly rate?: string;
  readonly poisson?: boolean;
  readonly seed?: string;
  readonly maxInFlight?: string;
  readonly requests?: string;
  readonly duration?: string;
  readonly target?: readonly string[];
  readonly reference?: string;
  readonly trials?: string;
  readonly warmup?: string;
  readonly timeout?: string;
  readonly keepalive: boolean;
  readonly engine?: string;
  readonly generators?: string;
  readonly proto?: string;
  readonly call?: string;
  readonly channels?: string;
  readonly method?: string;
  readonly header?: readonly string[];
  readonly body?: string;
  readonly bodyFile?: string;
  readonly expectStatus?: string;
  readonly expectBody?: string;
  readonly threshold?: readonly string[];
  readonly stopOn?: readonly string[];
  readonly order?: string;
  readonly name?: string;
  readonly out?: string;
  readonly format?: string;
  readonly by?: string;
  readonly start?: string;
  readonly most?: string;
  readonly resolution?: string;
  readonly needed?: string;
  readonly beyond?: string;
  readonly config?: string;
  readonly resume?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/**
 * The input that the flags spell out, unchecked; a flag that was not given has no key.
 *
 * @param folder where paths of the input begin; those of flags begin at the working folder.
 */
export async function flagsToInput(flags: SweepFlags, folder = "."): Promise<Record<string, unknown>> {
  const request = withoutMissing({
    method: flags.method,
    headers: flags.header === undefined ? undefined : parseHeaders(flags.header),
    expectStatus: flags.expectStatus,
    expectBody: flags.expectBody,
    ...(await bodyOf(flags)),
  });
  return withoutMissing({
    name: flags.name,
    reference: flags.reference,
    connections: flags.connections,
    rate: flags.rate,
    arrival: arrivalOf(flags),
    requests: flags.requests,
    duration: flags.duration,
    trials: toNumber(flags.trials),
    warmup: flags.warmup,
    timeout: flags.timeout,
    keepAlive: flags.keepalive ? undefined : false,
    engine: flags.engine,
    generators: toNumber(flags.generators),
    engines: enginesOf(flags, folder),
    request: Object.keys(request).length === 0 ? undefined : request,
    thresholds: flags.threshold,
    stopOn: flags.stopOn,
    order: flags.order,
    seed: toNumber(flags.seed),
    search: searchOf(flags),
    out: flags.out,
    formats: flags.format === undefined ? undefined : parseFormats(flags.format),
  });
}

function arrivalOf({ poisson, maxInFlight }: SweepFlags): Record<string, unknown> | undefined {
  const arrival = withoutMissing({
    spacing: poisson === true ? "poisson" : undefined,
    maxInFlight: toNumber(maxInFlight),
  });
  return Object.keys(arrival).length === 0 ? undefined : arrival;
}

/** What only `lbbench max` has flags for. */
function searchOf({ by, start, most, resolution, needed, beyond }: SweepFlags): Record<string, unknown> | undefined {
  const search = withoutMissing({
    by,
    start: toNumber(start),
    most: toNumber(most),
    resolution: toRatio(resolution),
    needed: toNumber(needed),
    beyond: toRatio(beyond),
  });
  return Object.keys(search).length === 0 ? undefined : search;
}

/** `2%` and `0.02` are the same; a word that is neither stays as it is, for the check to complain about. */
function toRatio(text: string | undefined): number | string | undefined {
  const [, number, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text ?? "") ?? [];
  return number === undefined ? text : Number(number) / (percent === "%" ? 100 : 1);
}

/** Options that only the engine for gRPC has. */
function enginesOf({ proto, call, channels }: SweepFlags, folder: string): Record<string, unknown> | undefined {
  const grpc = withoutMissing({
    proto: proto === undefined ? undefined : relative(folder, proto),
    call,
    channels: toNumber(channels),
  });
  return Object.keys(grpc).length === 0 ? undefined : { grpc };
}

function withoutMissing(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** A word that is no number stays as it is, for the check to complain about. */
function toNumber(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
}

function parseHeaders(lines: readonly string[]): Record<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value] = /^([^:\s]+)\s*:\s*(.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new ConfigError(`-H, --header: expected a header such as "Accept: application/json", got "${line}"`);
    }
    headers.set(name, [...(headers.get(name) ?? []), value]);
  }
  return Object.fromEntries(headers);
}

interface Body {
  readonly body: string;
  readonly bodyEncoding: "utf8" | "base64";
}

async function bodyOf({ body, bodyFile }: SweepFlags): Promise<Body | undefined> {
  if (bodyFile !== undefined) return readBody(bodyFile);
  // The encoding as well: the one in a config file is that of the body there.
  return body === undefined ? undefined : { body, bodyEncoding: "utf8" };
}

async function readBody(path: string): Promise<Body> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new ConfigError(`--body-file: expected a file that can be read, got "${path}": ${describeFailure(error)}`, {
      cause: error,
    });
  }
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes)
    ? { body: text, bodyEncoding: "utf8" }
    : { body: bytes.toString("base64"), bodyEncoding: "base64" };
}
