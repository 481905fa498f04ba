import type { LoadKind } from "../model/level.js";
import type { EngineChoice, Scenario, Target, TargetEngine } from "../model/scenario.js";
import type { Engine, EngineSupport, LoadAmount, Protocol } from "../plugin.js";
import { loadOf } from "../stats/load.js";
import { ConfigError, formatPath, listWords, suggestPlugin } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { flagOfOption } from "./settings.js";
import type { Plugins } from "./plugins.js";
import type { ParsedSweepInput } from "./sweep-input.js";
import { validate } from "./validate.js";

/** What of a scenario says what its engines are to be able to do. */
export type LoadDemand = Pick<Scenario, "levels" | "keepAlive" | "httpVersion" | "mix" | "request"> &
  Pick<EngineChoice, "generators">;

/** Which engine loads which target. */
export interface EngineChoices {
  /** The scenario's engine. */
  readonly engine: EngineChoice;
  /** The targets, with an engine of their own where it is another, or has other options. */
  readonly targets: readonly Target[];
}

type GivenEngines = Pick<ParsedSweepInput, "engine" | "engines">;

/**
 * Chooses an engine for each target: its own, else the one asked for, else the preferred one if it speaks what the target
 * speaks and can do what is asked, else the first that can. Throws a {@link ConfigError} for an engine that is unknown, that cannot do what is
 * asked, or whose options are wrong or used by no target.
 */
export function resolveEngines(
  given: GivenEngines,
  targets: readonly Target[],
  load: LoadDemand,
  { servers, engines }: Plugins,
): EngineChoices {
  const chosen = targets.map((target) => {
    const protocol = servers.get(target.server)?.protocol?.(target.options) ?? "http";
    const demands = demandsOn(target, protocol, load);
    const asked = target.engine?.name ?? given.engine ?? DEFAULTS.engine;
    const engine = findEngine(
      asked === DEFAULTS.engine ? engineFor(demands, engines) : asked,
      target.engine === undefined ? "engine (--engine)" : `${target.name}: engine`,
      engines,
    );
    checkEngine(engine, demands, engines);
    const common = new Map(Object.entries(given.engines ?? {})).get(engine.name);
    const options = engineOptions(engine, { ...common, ...target.engine?.options });
    return { target, protocol, engine: { name: engine.name, options } };
  });
  const used = chosen.map(({ engine }) => engine);
  checkAllUsed(given, used, new Set(chosen.map(({ protocol }) => protocol)), engines);
  const ofScenario = used.find(({ name }) => name === given.engine) ??
    used[0] ?? { name: DEFAULTS.engine, options: {} };
  return {
    engine: { ...ofScenario, generators: load.generators },
    targets: chosen.map(({ target: { name, server, options, references }, engine }) => ({
      name,
      server,
      options,
      ...(JSON.stringify(engine) === JSON.stringify(ofScenario) ? {} : { engine }),
      ...(references === undefined ? {} : { references }),
    })),
  };
}

/** One thing that is asked of an engine. */
interface Demand {
  /** What is asked, after "cannot": `open a connection for each request (--no-keepalive)`. */
  readonly what: string;
  readonly isMet: (supports: EngineSupport) => boolean;
}

/** What is asked of an engine that is to load a target: to speak its protocol, and all the rest. */
type Demands = readonly [speaks: Demand, ...others: Demand[]];

const LOAD_NAMES: Readonly<Record<LoadKind, string>> = {
  connections: "keep connections busy (-c)",
  rate: "send at a rate (-r)",
  users: "raise users over time (lbbench ramp)",
};

const AMOUNT_NAMES: Readonly<Record<LoadAmount, string>> = {
  requests: "send a number of requests (-n)",
  duration: "send for a time (-d)",
};

function demandsOn(target: Target, protocol: Protocol, load: LoadDemand): Demands {
  const { levels, keepAlive, httpVersion, mix, request, generators } = load;
  const kinds = new Set(levels.map((level) => loadOf(level).kind));
  const amounts = new Set(levels.map(({ requests }): LoadAmount => (requests === undefined ? "duration" : "requests")));
  const isAnswerExpected = (mix?.map((entry) => entry.request) ?? [request]).some(
    ({ expectBody, expectStatus }) => expectBody !== null || expectStatus !== DEFAULTS.request.expectStatus,
  );
  const when = (isAsked: boolean, what: string, isMet: Demand["isMet"]): readonly Demand[] =>
    isAsked ? [{ what, isMet }] : [];
  return [
    {
      what: `load the target "${target.name}", which speaks ${protocol}`,
      isMet: (can) => can.protocols.includes(protocol),
    },
    ...[...kinds].flatMap((kind) => when(true, LOAD_NAMES[kind], ({ loads }) => loads.includes(kind))),
    ...[...amounts].flatMap((one) => when(true, AMOUNT_NAMES[one], (can) => can.amounts?.includes(one) ?? true)),
    ...when(
      !keepAlive,
      "open a connection for each request (--no-keepalive, keepAlive: false)",
      (can) => can.keepAliveOff,
    ),
    ...when(
      httpVersion !== DEFAULTS.httpVersion && protocol === "http",
      `speak HTTP/${httpVersion}`,
      (can) => can.httpVersions?.includes(httpVersion) ?? false,
    ),
    ...when(mix !== null, "send a mix of requests (--mix)", (can) => can.mixes ?? false),
    ...when(
      isAnswerExpected,
      "be told what to expect of an answer (--expect-status, --expect-body)",
      (can) => can.expectations ?? true,
    ),
    ...when(
      generators !== "auto" && generators > 1,
      "split the load over several processes (--generators)",
      (can) => can.generators ?? true,
    ),
  ];
}

/**
 * The preferred engine if it can do what is asked, else the first that can, else whichever has the protocol; never one that
 * is to be asked for by name.
 */
function engineFor(demands: Demands, engines: Plugins["engines"]): string {
  const preferred = engines.get(DEFAULTS.preferredEngine);
  const speaking = [...(preferred === undefined ? [] : [preferred]), ...engines.values()].filter(
    ({ supports }) => supports.automatic !== false && demands[0].isMet(supports),
  );
  const able = speaking.find(({ supports }) => demands.every(({ isMet }) => isMet(supports)));
  return (able ?? speaking[0])?.name ?? DEFAULTS.preferredEngine;
}

function findEngine(name: string, place: string, engines: Plugins["engines"]): Engine {
  const engine = engines.get(name);
  if (engine !== undefined) return engine;
  throw new ConfigError(
    `${place}: expected ${listWords(engines.keys())}, got "${name}".${suggestPlugin(name, engines.keys())}`,
  );
}

/** Throws where an engine cannot do what is asked. It names those that can do all of it or, where none can, what this one cannot. */
function checkEngine({ name, supports }: Engine, demands: Demands, engines: Plugins["engines"]): void {
  const missing = demands.find(({ isMet }) => !isMet(supports));
  if (missing === undefined) return;
  const [speaks] = demands;
  const meeting = (asked: readonly Demand[]): readonly string[] =>
    [...engines.values()].filter((engine) => asked.every(({ isMet }) => isMet(engine.supports))).map((one) => one.name);
  const [able = []] = [meeting(demands), meeting([speaks, missing])].filter((names) => names.length > 0);
  const spoken = missing === speaks ? ` (it speaks ${listWords(supports.protocols)})` : "";
  const remedy =
    able.length === 0
      ? "No engine of this version can: leave it out."
      : `Use one that can, with --engine: ${listWords(able)}.`;
  throw new ConfigError(`The engine "${name}" cannot ${missing.what}${spoken}. ${remedy}`);
}

function engineOptions({ name, options }: Engine, given: TargetEngine["options"]): TargetEngine["options"] {
  if (options !== undefined) {
    return validate(options, given, (path) => formatPath(["engines", name, ...path]) + flagOfOption(name, path[0]));
  }
  const [first] = Object.keys(given);
  if (first === undefined) return {};
  throw new ConfigError(`engines.${name}: expected no options, got "${first}": this engine has none`);
}

function checkAllUsed(
  { engines = {} }: GivenEngines,
  used: readonly TargetEngine[],
  spoken: ReadonlySet<Protocol>,
  known: Plugins["engines"],
): void {
  for (const [name, options] of Object.entries(engines)) {
    const { supports } = findEngine(name, "engines", known);
    if (used.some((engine) => engine.name === name)) continue;
    const flags = Object.keys(options).map((option) => flagOfOption(name, option));
    const remedy = supports.protocols.some((protocol) => spoken.has(protocol))
      ? `Leave them out, or choose it with --engine ${name}.`
      : `It speaks ${listWords(supports.protocols)}, and no target does: leave them out.`;
    throw new ConfigError(
      `engines.${name}${flags.join("")}: expected options of an engine that loads a target, got those of "${name}", which loads none ` +
        `here. ${remedy}`,
    );
  }
}
