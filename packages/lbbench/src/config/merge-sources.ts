import { mergeHeaders, withoutUnused } from "./requests.js";
import { checkTargetWord, nameOfUrl } from "./targets.js";
import { isUrl } from "./plugins.js";
import type { ParsedSweepInput } from "./sweep-input.js";

type GivenTarget = NonNullable<ParsedSweepInput["targets"]>[number];

type GivenRequest = ParsedSweepInput["request"];

type GivenEngines = ParsedSweepInput["engines"];

/** What was read: from the config file, from the flags, and the targets that the command line names. */
export interface InputSources {
  readonly file: ParsedSweepInput;
  readonly flags: ParsedSweepInput;
  /** Names of targets of the file or of built-in servers, URLs, or plugins by their path or package; those of the file without any. */
  readonly targets: readonly string[];
}

/**
 * Puts what the command line says over what the config file says. `-n` there takes the place of a duration in the file,
 * and the other way round, and so does `-r` that of connections; of the request, each part and each header is overridden by
 * itself.
 *
 * Targets named on the command line are looked up in the file first, and take the place of all that are there. A `reference`
 * in the file, or of one of its targets, that is not among them does not count then, nor does that of any target beside one on the
 * command line; and where there is only one, so that it is compared with none, nor does a margin. Of the request in the file nothing
 * counts that every entry of `--mix` has one of its own of. Throws a `ConfigError` for a target that is neither in the file nor one
 * by itself.
 *
 * @param servers names of the servers that are a target by themselves.
 * @param plugins what plugins call themselves, by the path or package that a target is written as.
 */
export function mergeSources(
  { file, flags, targets }: InputSources,
  servers: readonly string[],
  plugins: ReadonlyMap<string, string> = new Map(),
): ParsedSweepInput {
  const { $schema: _, requests, duration, connections, rate, arrival, reference, margin, errorMargin, ...rest } = file;
  const loads = flags.connections === undefined && flags.rate === undefined ? { connections, rate } : {};
  const amount = flags.requests === undefined && flags.duration === undefined ? { requests, duration } : {};
  const nameOf: NameOf = (target) => nameTarget(target, plugins);
  const found = targets.map((word) => findTarget(word, file, servers, nameOf));
  const chosen = found.map((target) => withReferencesAmong(target, found, nameOf));
  const measured = chosen.length === 0 ? file.targets : chosen;
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
    // What every target is to be compared with, all of them are.
    targets: flags.reference === undefined ? measured : measured?.map(withoutReference),
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

function findTarget(
  word: string,
  { targets = [] }: ParsedSweepInput,
  servers: readonly string[],
  nameOf: NameOf,
): GivenTarget {
  const found = targets.find((target) => nameOf(target) === word || target === word);
  if (found === undefined) checkTargetWord(word, servers, targets.map(nameOf));
  return found ?? word;
}

/** Leaves out what a target is compared with where that is not measured. */
function withReferencesAmong(target: GivenTarget, chosen: readonly GivenTarget[], nameOf: NameOf): GivenTarget {
  if (typeof target === "string" || target.reference === undefined) return target;
  const kept = [target.reference].flat().filter((name) => chosen.some((one) => mayMake(one, name, nameOf)));
  return kept.length === 0 ? withoutReference(target) : { ...target, reference: kept };
}

function withoutReference(target: GivenTarget): GivenTarget {
  if (typeof target === "string") return target;
  const { reference: _, ...rest } = target;
  return rest;
}

/** Whether a target has that name, or may have it when its grid is expanded. */
function mayMake(target: GivenTarget, name: string, nameOf: NameOf): boolean {
  return nameOf(target) === name || (typeof target !== "string" && target.grid !== undefined);
}

type NameOf = (target: GivenTarget) => string;

/** The name that a target will have, but for those of a grid. */
function nameTarget(target: GivenTarget, plugins: ReadonlyMap<string, string>): string {
  if (typeof target !== "string") return target.name;
  if (isUrl(target) && URL.canParse(target)) return nameOfUrl(new URL(target));
  return plugins.get(target) ?? target;
}
