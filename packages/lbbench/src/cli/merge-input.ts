import { isTarget, unknownTarget } from "../config/unknown-target.js";
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
 * and the other way round, and so does `-r` that of connections; of the request, each part and each header is overridden by itself.
 *
 * Targets named on the command line are looked up in the file first. They leave only those, so that a `reference` in the
 * file which is not among them does not count. Throws a `ConfigError` for one that is neither in the file nor a target.
 *
 * @param servers names of the servers that are a target by themselves.
 */
export function mergeInput({ file, flags, targets }: InputSources, servers: readonly string[]): ParsedSweepInput {
  const { requests, duration, connections, rate, arrival, reference, ...rest } = file;
  const loads = flags.connections === undefined && flags.rate === undefined ? { connections, rate } : {};
  const amount = flags.requests === undefined && flags.duration === undefined ? { requests, duration } : {};
  const chosen = targets.map((word) => findTarget(word, file, servers));
  const keepsReference = chosen.length === 0 || chosen.some((target) => nameOf(target) === reference);
  const merged = {
    ...rest,
    ...amount,
    ...loads,
    ...(keepsReference ? { reference } : {}),
    ...flags,
    // What the file says of rates goes with its rates.
    arrival: flags.connections === undefined ? merge(arrival, flags.arrival) : flags.arrival,
    request: mergeRequest(file.request, flags.request),
    engines: mergeEngines(file.engines, flags.engines),
    search: merge(file.search, flags.search),
    ...(chosen.length === 0 ? {} : { targets: chosen }),
  };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

function mergeRequest(file: GivenRequest, flags: GivenRequest): GivenRequest {
  if (file === undefined || flags === undefined) return flags ?? file;
  const merged = { ...file, ...flags };
  if (file.headers === undefined || flags.headers === undefined) return merged;
  const overridden = new Set(Object.keys(flags.headers).map((name) => name.toLowerCase()));
  const kept = Object.entries(file.headers).filter(([name]) => !overridden.has(name.toLowerCase()));
  return { ...merged, headers: { ...Object.fromEntries(kept), ...flags.headers } };
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
