import type { EngineChoice, Target, TargetEngine } from "../model/scenario.js";
import type { Engine, Protocol, Server } from "../plugin.js";
import { ConfigError } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { engineDemands, type EngineDemand, type LoadDemand } from "./engine-rules.js";
import { formatPath } from "./format-path.js";
import { listWords, suggest } from "./suggest.js";
import type { ParsedSweepInput } from "./sweep-input.js";
import { validate } from "./validate.js";

/** Plugins by name. */
export interface Plugins {
  readonly servers: ReadonlyMap<string, Server>;
  readonly engines: ReadonlyMap<string, Engine>;
}

/** Which engine loads which target. */
export interface EngineChoices {
  /** The scenario's engine. */
  readonly engine: EngineChoice;
  /** The targets, with an engine of their own where it is another, or has other options. */
  readonly targets: readonly Target[];
}

/**
 * Chooses an engine for each target: its own, else the one asked for, else the default or, where that does not speak what
 * the target speaks, the first that does. Throws a {@link ConfigError} for an engine that is unknown, that cannot do what is
 * asked, or whose options are wrong or used by no target.
 */
export function resolveEngines(
  input: Pick<ParsedSweepInput, "engine" | "engines">,
  targets: readonly Target[],
  load: LoadDemand,
  plugins: Plugins,
): EngineChoices {
  const choose = (target: Target): TargetEngine => {
    const protocol = protocolOf(target, plugins.servers);
    const asked = target.engine?.name ?? input.engine ?? DEFAULTS.engine;
    const demands = engineDemands(load, protocol);
    const name = asked === DEFAULTS.engine ? engineFor(protocol, demands, plugins.engines) : asked;
    const engine = findEngine(
      name,
      target.engine === undefined ? "engine (--engine)" : `${target.name}: engine`,
      plugins.engines,
    );
    checkProtocol(engine, target, protocol, plugins.engines);
    checkDemands(engine, protocol, demands, plugins.engines);
    return { name, options: engineOptions(engine, { ...optionsFor(name, input), ...target.engine?.options }) };
  };
  const chosen = targets.map((target) => ({ target, engine: choose(target) }));
  const used = chosen.map(({ engine }) => engine);
  checkAllUsed(input, used, plugins.engines);
  const ofScenario = used.find(({ name }) => name === input.engine) ??
    used[0] ?? { name: DEFAULTS.engine, options: {} };
  return {
    engine: { ...ofScenario, generators: load.generators },
    targets: chosen.map(({ target: { name, server, options }, engine }) => ({
      name,
      server,
      options,
      ...(isSame(engine, ofScenario) ? {} : { engine }),
    })),
  };
}

function protocolOf({ server, options }: Target, servers: ReadonlyMap<string, Server>): Protocol {
  return servers.get(server)?.protocol?.(options) ?? "http";
}

/** The preferred engine if it can do what is asked, else the first that can, else whichever has the protocol. */
function engineFor(protocol: Protocol, demands: readonly EngineDemand[], engines: ReadonlyMap<string, Engine>): string {
  const preferred = engines.get(DEFAULTS.preferredEngine);
  const inOrder = [...(preferred === undefined ? [] : [preferred]), ...engines.values()];
  const speaking = inOrder.filter(({ supports }) => supports.protocols.includes(protocol));
  const able = speaking.find(({ supports }) => demands.every(({ isMet }) => isMet(supports)));
  return (able ?? speaking[0])?.name ?? DEFAULTS.preferredEngine;
}

function enginesWith(engines: ReadonlyMap<string, Engine>, can: (engine: Engine) => boolean): readonly string[] {
  return [...engines.values()].filter(can).map(({ name }) => name);
}

function findEngine(name: string, place: string, engines: ReadonlyMap<string, Engine>): Engine {
  const engine = engines.get(name);
  if (engine !== undefined) return engine;
  throw new ConfigError(
    `${place}: expected ${listWords(engines.keys())}, got "${name}".${suggest(name, engines.keys())}`,
  );
}

function checkProtocol(
  { name, supports }: Engine,
  target: Target,
  protocol: Protocol,
  engines: ReadonlyMap<string, Engine>,
): void {
  if (supports.protocols.includes(protocol)) return;
  const able = enginesWith(engines, (engine) => engine.supports.protocols.includes(protocol));
  throw new ConfigError(
    `The engine "${name}" cannot load the target "${target.name}": it speaks ${listWords(supports.protocols)}, the target ` +
      `${protocol}. ${able.length === 0 ? "No engine of this version speaks that." : `Engines that do: ${listWords(able)}.`}`,
  );
}

function checkDemands(
  { name, supports }: Engine,
  protocol: Protocol,
  demands: readonly EngineDemand[],
  engines: ReadonlyMap<string, Engine>,
): void {
  const missing = demands.find(({ isMet }) => !isMet(supports));
  if (missing === undefined) return;
  const able = enginesWith(
    engines,
    (engine) => engine.supports.protocols.includes(protocol) && missing.isMet(engine.supports),
  );
  throw new ConfigError(
    `The engine "${name}" cannot ${missing.what}. ` +
      (able.length === 0
        ? `No engine of this version that speaks ${protocol} can; leave it out.`
        : `Use one that can, with --engine: ${listWords(able)}.`),
  );
}

function optionsFor(name: string, { engines = {} }: Pick<ParsedSweepInput, "engines">): TargetEngine["options"] {
  return Object.hasOwn(engines, name) ? (engines[name] ?? {}) : {};
}

function engineOptions({ name, options }: Engine, given: TargetEngine["options"]): TargetEngine["options"] {
  if (options !== undefined) return validate(options, given, (path) => formatPath(["engines", name, ...path]));
  const [first] = Object.keys(given);
  if (first === undefined) return {};
  throw new ConfigError(`engines.${name}: expected no options, which this engine has none of, got "${first}"`);
}

function checkAllUsed(
  { engines = {} }: Pick<ParsedSweepInput, "engines">,
  used: readonly TargetEngine[],
  known: ReadonlyMap<string, Engine>,
): void {
  for (const name of Object.keys(engines)) {
    findEngine(name, "engines", known);
    if (used.some((engine) => engine.name === name)) continue;
    throw new ConfigError(
      `engines.${name}: expected options of an engine that loads a target, got those of "${name}", which loads none here. ` +
        `Leave them out, or choose it with --engine ${name}.`,
    );
  }
}

function isSame(one: TargetEngine, other: TargetEngine): boolean {
  return one.name === other.name && JSON.stringify(one.options) === JSON.stringify(other.options);
}
