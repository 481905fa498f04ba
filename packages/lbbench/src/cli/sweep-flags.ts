import { relative, resolve } from "node:path";
import { type Body, readBody } from "../config/request-files.js";
import { parseFormats } from "./parse-formats.js";
import { parseHeaders } from "./parse-headers.js";
import { readMixFile } from "./read-mix-file.js";
import { toNumber, toRatio } from "./to-number.js";

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
  readonly margin?: string;
  readonly trials?: string;
  readonly warmup?: string;
  readonly restart?: string;
  readonly timeout?: string;
  readonly keepalive: boolean;
  readonly http2?: boolean;
  readonly streams?: string;
  readonly engine?: string;
  readonly generators?: string;
  readonly proto?: string;
  readonly call?: string;
  readonly channels?: string;
  readonly method?: string;
  readonly header?: readonly string[];
  readonly body?: string;
  readonly bodyFile?: string;
  readonly mix?: string;
  readonly expectStatus?: string;
  readonly expectBody?: string;
  readonly threshold?: readonly string[];
  readonly stopOn?: readonly string[];
  readonly order?: string;
  readonly name?: string;
  readonly out?: string;
  readonly format?: string;
  readonly charts?: string;
  readonly by?: string;
  readonly start?: string;
  readonly most?: string;
  readonly resolution?: string;
  readonly needed?: string;
  readonly beyond?: string;
  readonly from?: string;
  readonly to?: string;
  readonly over?: string;
  readonly steps?: string;
  readonly hold?: string;
  readonly config?: string;
  readonly resume?: string;
  readonly live?: boolean;
  readonly livePort?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/**
 * The input that the flags spell out, unchecked; a flag that was not given has no key.
 *
 * @param folder where paths of the input begin.
 * @param cwd where those of flags begin.
 */
export async function flagsToInput(flags: SweepFlags, folder: string, cwd: string): Promise<Record<string, unknown>> {
  const request = withoutMissing({
    method: flags.method,
    headers: flags.header === undefined ? undefined : parseHeaders(flags.header),
    expectStatus: flags.expectStatus,
    expectBody: flags.expectBody,
    ...(await bodyOf(flags, cwd)),
  });
  return withoutMissing({
    name: flags.name,
    reference: flags.reference,
    margin: flags.margin,
    connections: flags.connections,
    rate: flags.rate,
    arrival: arrivalOf(flags),
    requests: flags.requests,
    duration: flags.duration,
    trials: toNumber(flags.trials),
    warmup: flags.warmup,
    restart: flags.restart,
    timeout: flags.timeout,
    keepAlive: flags.keepalive ? undefined : false,
    httpVersion: flags.http2 === true ? "2" : undefined,
    engine: flags.engine,
    generators: toNumber(flags.generators),
    engines: enginesOf(flags, folder, cwd),
    request: Object.keys(request).length === 0 ? undefined : request,
    mix: flags.mix === undefined ? undefined : await readMixFile(flags.mix, cwd),
    thresholds: flags.threshold,
    stopOn: flags.stopOn,
    order: flags.order,
    seed: toNumber(flags.seed),
    search: searchOf(flags),
    ramp: rampOf(flags),
    out: flags.out,
    formats: flags.format === undefined ? undefined : parseFormats(flags.format),
    charts: flags.charts,
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

/** What only `lbbench ramp` has flags for. */
function rampOf({ from, to, over, steps, hold }: SweepFlags): Record<string, unknown> | undefined {
  const ramp = withoutMissing({ from: toNumber(from), to: toNumber(to), over, steps: toNumber(steps), hold });
  return Object.keys(ramp).length === 0 ? undefined : ramp;
}

/** Options that only one engine has: that for gRPC, or that for HTTP/2. */
function enginesOf(
  { proto, call, channels, streams }: SweepFlags,
  folder: string,
  cwd: string,
): Record<string, unknown> | undefined {
  const grpc = withoutMissing({
    proto: proto === undefined ? undefined : relative(folder, resolve(cwd, proto)),
    call,
    channels: toNumber(channels),
  });
  const engines = {
    ...(Object.keys(grpc).length === 0 ? {} : { grpc }),
    ...(streams === undefined ? {} : { undici: { streams: toNumber(streams) } }),
  };
  return Object.keys(engines).length === 0 ? undefined : engines;
}

function withoutMissing(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

async function bodyOf({ body, bodyFile }: SweepFlags, cwd: string): Promise<Body | undefined> {
  if (bodyFile !== undefined) return readBody(bodyFile, "--body-file", cwd);
  // The encoding as well: the one in a config file is that of the body there.
  return body === undefined ? undefined : { body, bodyEncoding: "utf8" };
}
