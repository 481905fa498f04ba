import type { EngineChoice, Scenario, Target, TargetEngine } from "../model/scenario.js";
import type { Engine, EngineSupport, Protocol } from "../plugin.js";
import { ConfigError, formatPath, listWords } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { flagOfOption } from "./settings.js";
import type { PluginMap, Plugins } from "./plugins.js";
import type { ParsedSweepInput } from "./sweep-input.js";
import { validate } from "./validate.js";

/** What of a scenario says what its engines are to be able to do. */
export type LoadDemand = Pick<Scenario, "levels" | "keepAlive" | "httpVersion" | "mix" | "request"> &
  Pick<EngineChoice, "generators">;

/**
 * Chooses an engine for each target: its own, else the one asked for, else the first that can do what is asked. Resolves with the scenario's engine, and with the targets, which have one of
 * their own where it is another or has other options. Rejects with a {@link ConfigError} for an engine that is unknown, that cannot do
 * what is asked, or whose options are wrong or used by no target.
 */
export async function resolveEngines(
  { engine: asked = DEFAULTS.engine, engines: given = {} }: Pick<ParsedSweepInput, "engine" | "engines">,
  targets: readonly Target[],
  load: LoadDemand,
  { servers, engines }: Plugins,
): Promise<Pick<Scenario, "engine" | "targets">> {
  const used: TargetEngine[] = [];
  for (const target of targets) {
    const protocol = servers.get(target.server)?.protocol?.(target.options) ?? "http";
    const demands = demandsOn(target, protocol, load);
    const name = target.engine?.name ?? asked;
    const place = target.engine === undefined ? "engine (--engine)" : `${target.name}: engine`;
    const engine = await engines.find(name === DEFAULTS.engine ? engineFor(demands, engines) : name, place);
    checkEngine(engine, demands, engines);
    const common = Object.hasOwn(given, engine.name) ? given[engine.name] : {};
    used.push({ name: engine.name, options: checkOptions(engine, { ...common, ...target.engine?.options }) });
  }
  for (const [name, options] of Object.entries(given)) {
    if (used.some((engine) => engine.name === name)) continue;
    const { supports } = await engines.find(name, "engines");
    const flags = Object.keys(options).map((option) => flagOfOption(name, option));
    throw new ConfigError(
      `engines.${name}${flags.join("")}: expected options of an engine that loads a target, got those of "${name}", which loads none ` +
        `here. It speaks ${listWords(supports.protocols)}. Leave them out, or choose it with --engine ${name}.`,
    );
  }
  const ofScenario = used.find(({ name }) => name === asked) ?? used[0] ?? { name: DEFAULTS.engine, options: {} };
  return {
    engine: { ...ofScenario, generators: load.generators },
    targets: targets.map(({ name, server, options, references }, index) => ({
      name,
      server,
      options,
      ...(JSON.stringify(used[index]) === JSON.stringify(ofScenario) ? {} : { engine: used[index] as TargetEngine }),
      ...(references && { references }),
    })),
  };
}

/** One thing that is asked of an engine. */
interface Demand {
  /** What is asked, after "cannot": `open a connection for each request (--no-keepalive)`. */
  readonly what: string;
  readonly isMet: (can: EngineSupport) => boolean;
}

/** What is asked of an engine that is to load a target: to speak its protocol, and all the rest. */
type Demands = readonly [speaks: Demand, ...others: Demand[]];

function demandsOn(target: Target, protocol: Protocol, load: LoadDemand): Demands {
  const { levels, keepAlive, httpVersion, mix, request, generators } = load;
  const isAnswerExpected = (mix?.map((entry) => entry.request) ?? [request]).some(
    ({ expectBody, expectStatus }) => expectBody !== null || expectStatus !== DEFAULTS.request.expectStatus,
  );
  const hasLevel = (key: keyof Scenario["levels"][number]): boolean => levels.some((level) => level[key] !== undefined);
  const rows: readonly (readonly [isAsked: boolean, what: string, isMet: Demand["isMet"]])[] = [
    [hasLevel("connections"), "keep connections busy (-c)", ({ loads }) => loads.includes("connections")],
    [hasLevel("rate"), "send at a rate (-r)", ({ loads }) => loads.includes("rate")],
    [hasLevel("users"), "raise users over time (lbbench ramp)", ({ loads }) => loads.includes("users")],
    [hasLevel("requests"), "send a number of requests (-n)", ({ amounts }) => amounts?.includes("requests") ?? true],
    [hasLevel("durationMs"), "send for a time (-d)", ({ amounts }) => amounts?.includes("duration") ?? true],
    [!keepAlive, "open a connection for each request (--no-keepalive, keepAlive: false)", (can) => can.keepAliveOff],
    [
      httpVersion !== DEFAULTS.httpVersion && protocol === "http",
      `speak HTTP/${httpVersion}`,
      ({ httpVersions }) => httpVersions?.includes(httpVersion) ?? false,
    ],
    [mix !== null, "send a mix of requests (--mix)", ({ mixes }) => mixes ?? false],
    [
      isAnswerExpected,
      "be told what to expect of an answer (--expect-status, --expect-body)",
      ({ expectations }) => expectations ?? true,
    ],
    [
      generators !== "auto" && generators > 1,
      "split the load over several processes (--generators)",
      (can) => can.generators ?? true,
    ],
  ];
  return [
    {
      what: `load the target "${target.name}", which speaks ${protocol}`,
      isMet: ({ protocols }) => protocols.includes(protocol),
    },
    ...rows.flatMap(([isAsked, what, isMet]) => (isAsked ? [{ what, isMet }] : [])),
  ];
}

/** The first engine that can do what is asked, else the first that has the protocol; never one that is to be asked for by name. */
function engineFor(demands: Demands, engines: PluginMap<Engine>): string {
  const automatic = [...engines.values()].filter(({ supports }) => supports.automatic !== false);
  const speaking = automatic.filter(({ supports }) => demands[0].isMet(supports));
  const able = speaking.find(({ supports }) => demands.every(({ isMet }) => isMet(supports)));
  return (able ?? speaking[0] ?? automatic[0])?.name ?? DEFAULTS.engine;
}

/** Throws where an engine cannot do what is asked. It names those that can do all of it or, where none can, what this one cannot. */
function checkEngine({ name, supports }: Engine, demands: Demands, engines: PluginMap<Engine>): void {
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

function checkOptions({ name, options }: Engine, given: TargetEngine["options"]): TargetEngine["options"] {
  if (options !== undefined) {
    return validate(options, given, (path) => formatPath(["engines", name, ...path]) + flagOfOption(name, path[0]));
  }
  const [first] = Object.keys(given);
  if (first === undefined) return {};
  throw new ConfigError(`engines.${name}: expected no options, got "${first}": this engine has none`);
}
