import { mergeHeaders } from "../config/merge-headers.js";
import { isTarget, unknownTarget } from "../config/unknown-target.js";
import { withoutUnused } from "../config/unused-parts.js";
import type { ParsedSweepInput } from "../index.js";

type GivenTarget = NonNullable<ParsedSweepInput["targets"]>[number];

type GivenRequest = ParsedSweepInput["request"];

type GivenEngines = ParsedSweepInput["engines"];

/** What was read: from the config file, from the flags, and the targets that the command line names. */
export interface InputSources {
  readonly file: ParsedSweepInput;
  readonly flags: ParsedSweepInput;
  readonly targets: readonly string[];
}

/**
 * Puts what the command line says over what the config file says. `-n` there takes the place of a duration in the file,
 * and the other way round, and so does `-r` that of connections; of the request, each part and each header is overridden by
 * itself.
 *
 * Targets named on the command line are looked up in the file first, and take the place of all that are there. A `reference`
 * in the file that is not among them does not count then; and where there is only one, so that it is compared with none, nor
 * does a margin. Of the request in the file nothing counts that every entry of `--mix` has one of its own of. Throws a
 * `ConfigError` for a target that is neither in the file nor one by itself.
 *
 * @param servers names of the servers that are a target by themselves.
 */
export function mergeInput({ file, flags, targets }: InputSources, servers: readonly string[]): ParsedSweepInput {
  const { requests, duration, connections, rate, arrival, reference, margin, errorMargin, ...rest } = file;
  const loads = flags.connections === undefined && flags.rate === undefined ? { connections, rate } : {};
  const amount = flags.requests === undefined && flags.duration === undefined ? { requests, duration } : {};
  const chosen = targets.map((word) => findTarget(word, file, servers));
  const keepsReference = chosen.length === 0 || chosen.some((target) => nameOf(target) === reference);
  const leavesOne = chosen.length === 1 && chosen.every((target) => typeof target === "string" || !target.grid);
  const merged = {
    ...rest,
    ...amount,
    ...loads,
    ...(keepsReference ? { reference } : {}),
    ...(leavesOne ? {} : { margin, errorMargin }),
    ...flags,
    // What the file says of rates goes with its rates.
    arrival: flags.connections === undefined ? merge(arrival, flags.arrival) : flags.arrival,
    request: mergeRequest(requestOf(file, flags), flags.request),
    engines: mergeEngines(file.engines, flags.engines),
    search: merge(file.search, flags.search),
    ramp: merge(file.ramp, flags.ramp),
    ...(chosen.length === 0 ? {} : { targets: chosen }),
  };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

function requestOf({ request }: ParsedSweepInput, { mix }: ParsedSweepInput): GivenRequest {
  return request === undefined || mix === undefined ? request : withoutUnused(mix, request);
}

function mergeRequest(file: GivenRequest, flags: GivenRequest): GivenRequest {
  if (file === undefined || flags === undefined) return flags ?? file;
  const { bodyFile, ...rest } = file;
  const headers = mergeHeaders(file.headers, flags.headers);
  return {
    ...rest,
    ...(bodyFile === undefined || flags.body !== undefined ? {} : { bodyFile }),
    ...flags,
    ...(headers === undefined ? {} : { headers }),
  };
}

function merge<T extends object>(file: T | undefined, flags: T | undefined): T | undefined {
  return file === undefined || flags === undefined ? (flags ?? file) : { ...file, ...flags };
}

function mergeEngines(file: GivenEngines, flags: GivenEngines): GivenEngines {
  if (file === undefined || flags === undefined) return flags ?? file;
  const overridden = Object.entries(flags).map(([name, options]) => [name, { ...file[name], ...options }] as const);
  return { ...file, ...Object.fromEntries(overridden) };
}

function findTarget(word: string, { targets = [] }: ParsedSweepInput, servers: readonly string[]): GivenTarget {
  const found = targets.find((target) => nameOf(target) === word);
  if (found === undefined && !isTarget(word, servers)) throw unknownTarget(word, servers, targets.map(nameOf));
  return found ?? word;
}

function nameOf(target: GivenTarget): string {
  return typeof target === "string" ? target : target.name;
}
