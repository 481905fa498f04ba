import type { Server } from "../plugin.js";
import { DEFAULTS } from "./defaults.js";
import type { RunCommand } from "./field.js";
import { expandGrid, protocolOf, resolveTargets, targetOfWord } from "./targets.js";
import type { PluginMap, Plugins } from "./plugins.js";
import { overlayRequest, withoutUnused } from "./requests.js";
import type { GivenTarget, ParsedSweepInput } from "./schema.js";
import { unusedIn } from "./settings.js";
import { defined } from "../stats/defined.js";
import { isOfFaults } from "../stats/faults.js";
import { isRecord } from "../stats/plain-data.js";

/** What was read: from the config file, from the flags, and the targets that the command line names. */
export interface InputSources {
  readonly file: ParsedSweepInput;
  readonly flags: ParsedSweepInput;
  /** Names of targets of the file or of built-in servers, URLs, or plugins by their path or package; those of the file without any. */
  readonly targets: readonly string[];
  /** What it is for: what the file says for other commands does not count then. By default everything does. */
  readonly command?: RunCommand;
}

/** Settings of the command line, and what of the file does not count beside each; what it says of rates goes with its rates. */
const REPLACED = [
  ["connections", "rate"],
  ["connections", "arrival"],
  ["rate", "connections"],
  ["requests", "duration"],
  ["duration", "requests"],
  // Their parts belong together.
  ["workers", "workers"],
  ["workersListen", "workersListen"],
] as const;

/**
 * Puts what the command line says over what the config file says, setting by setting, at any depth. Targets named on the command line
 * are looked up in the file first, and take the place of all that are there. Of the file does not count then: a `reference` that is not
 * among them, a margin and `trials: "auto"` where one target is left, options of engines that load none of them, and what of its
 * request every entry of `--mix` has for itself. Rejects with a `ConfigError` for a target that is neither in the file nor one by itself.
 */
export async function mergeSources(
  { file: whole, flags, targets: words, command }: InputSources,
  plugins: Plugins,
): Promise<ParsedSweepInput> {
  const file = command === undefined ? whole : withoutOthers(command, whole, flags);
  const { targets, names } = await chooseTargets(words, file.targets, plugins.servers);
  const isThere = (name: string): boolean => names?.includes(name) ?? true;
  const gone: ReadonlySet<string> = new Set([
    "$schema",
    ...REPLACED.flatMap(([setting, replaced]) => (flags[setting] === undefined ? [] : [replaced])),
    ...(names?.length === 1 ? ["margin", "errorMargin", ...(file.trials === "auto" ? ["trials"] : [])] : []),
    ...(file.reference !== undefined && isThere(file.reference) ? [] : ["reference"]),
  ]);
  const kept = Object.fromEntries(Object.entries(file).filter(([key]) => !gone.has(key))) as ParsedSweepInput;
  const { by = file.search?.by ?? DEFAULTS.search.by } = flags.search ?? {};
  const isOfOtherKind = by !== (file.search?.by ?? DEFAULTS.search.by);
  const request = flags.mix === undefined ? file.request : withoutUnused(file.request ?? {}, flags.mix);
  const merged: ParsedSweepInput = {
    ...(overlay(kept, flags) as ParsedSweepInput),
    ...defined({
      // A number of connections is no rate.
      search: isOfOtherKind ? { ...file.search, start: undefined, most: undefined, ...flags.search } : undefined,
      request: (file.request ?? flags.request) ? overlayRequest(request ?? {}, flags.request ?? {}) : undefined,
      targets: targets?.map((target) => {
        if (typeof target === "string" || target.references === undefined) return target;
        const { references, ...rest } = target;
        // What every target is to be compared with, all of them are.
        const left = flags.reference === undefined ? references.filter(isThere) : [];
        return left.length === 0 ? rest : { ...rest, references: left };
      }),
    }),
  };
  if (names === undefined || file.engines === undefined) return merged;
  const isUsed = await engineTest(merged, plugins);
  const engines = Object.entries(merged.engines ?? {}).filter(([name]) => flags.engines?.[name] || isUsed(name));
  return { ...merged, engines: Object.fromEntries(engines) };
}

/** What a config file says of one command, without what is meant for others. What flags say counts always. */
function withoutOthers(name: RunCommand, file: ParsedSweepInput, flags: ParsedSweepInput): ParsedSweepInput {
  const { faults = [], policies, connections = [], rate = [], requests = [], trials } = file;
  const isSearchedByRate = (flags.search?.by ?? file.search?.by) === "rate";
  const isOneLoad = [connections, rate, requests].every(({ length }) => length <= 1);
  const leftOut = new Set<string>([
    ...unusedIn(name),
    // The schedule of a config file goes with its rates, which a search has not, unless it searches a rate itself.
    ...(name === "max" && !isSearchedByRate ? ["arrival"] : []),
    // Without faults its duration is meant for sweeps, and so is its load without policies, or of several levels.
    ...(name === "faults" && faults.length === 0 ? ["duration"] : []),
    ...(name === "policies" && !(policies && isOneLoad)
      ? ["connections", "rate", "arrival", "requests", "duration"]
      : []),
    ...(name !== "sweep" && trials === "auto" ? ["trials"] : []),
  ]);
  const { by: _, ...arrival } = file.arrival ?? {};
  // Conditions on what only these have go with them.
  const isAsked = (rule: NonNullable<ParsedSweepInput["stopOn"]>[number]): boolean =>
    rule === "thresholds" ||
    !(
      (isOfFaults(rule.metric) && faults.length > 0 && leftOut.has("faults")) ||
      (rule.metric === "within" && policies !== undefined && leftOut.has("policies"))
    );
  const kept = {
    ...file,
    ...defined({
      arrival: file.arrival && name === "max" ? arrival : file.arrival,
      thresholds: file.thresholds?.filter(isAsked),
      stopOn: file.stopOn?.filter(isAsked),
    }),
  };
  return Object.fromEntries(Object.entries(kept).filter(([field]) => !leftOut.has(field)));
}

/** Returns what tells whether an engine may load one of the targets. */
async function engineTest(
  { targets = [], engine: asked = DEFAULTS.engine }: ParsedSweepInput,
  { servers, engines }: Plugins,
): Promise<(name: string) => boolean> {
  // A target that is wrong is refused later, and so is an engine that there is not.
  const resolved = await resolveTargets(targets, servers).catch(() => undefined);
  const used = resolved?.map((target) => [target.engine?.name ?? asked, protocolOf(target, servers)] as const);
  return (name) => {
    const supports = engines.get(name)?.supports;
    if (used === undefined || supports === undefined) return true;
    const isChosen = supports.automatic !== false;
    return used.some(([own, spoken]) =>
      own === DEFAULTS.engine ? isChosen && supports.protocols.includes(spoken) : own === name,
    );
  };
}

/** Puts a value over another one: field by field where both are objects, at any depth; anything else takes its place. */
function overlay(under: unknown, over: unknown): unknown {
  if (over === undefined) return under;
  if (!isRecord(under) || !isRecord(over) || Array.isArray(over)) return over;
  const inner = Object.entries(over).map(([key, value]) => [key, overlay(under[key], value)]);
  return { ...under, ...Object.fromEntries(inner) };
}

/** The targets that words choose, and the names that they will have; a grid makes several. */
async function chooseTargets(words: readonly string[], given: ParsedSweepInput["targets"], servers: PluginMap<Server>) {
  if (words.length === 0) return { targets: given };
  const named = new Map<string | GivenTarget, string>();
  for (const target of given ?? []) {
    // A target that is wrong is refused when it is resolved.
    const search = async (word: string) => targetOfWord(word, "targets", servers).catch(() => ({ name: word }));
    named.set(target, (typeof target === "string" ? await search(target) : target).name);
  }
  const chosen: (readonly [target: string | GivenTarget, name: string])[] = [];
  for (const word of words) {
    const found = [...named].find(([target, name]) => target === word || name === word);
    chosen.push(found ?? [word, (await targetOfWord(word, "targets", servers, [...named.values()])).name]);
  }
  const names = chosen.flatMap(([target, name]) =>
    typeof target === "string"
      ? [name]
      : expandGrid(target, `targets[${given?.indexOf(target)}]`).map((one) => one.name),
  );
  return { targets: chosen.map(([target]) => target), names };
}
