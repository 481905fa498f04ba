import type { Level, LoadKind } from "../model/level.js";
import type { EngineChoice, Target, TargetEngine } from "../model/scenario.js";
import type { Engine, Protocol, Server } from "../plugin.js";
import { loadOf } from "../stats/load.js";
import { ConfigError } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
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
  input: Pick<ParsedSweepInput, "engine" | "engines" | "generators" | "keepAlive">,
  targets: readonly Target[],
  levels: readonly Level[],
  plugins: Plugins,
): EngineChoices {
  const keepAlive = input.keepAlive ?? DEFAULTS.keepAlive;
  const kinds = [...new Set(levels.map((level) => loadOf(level).kind))];
  const choose = (target: Target): TargetEngine => {
    const protocol = protocolOf(target, plugins.servers);
    const asked = target.engine?.name ?? input.engine ?? DEFAULTS.engine;
    const name = asked === DEFAULTS.engine ? engineFor({ protocol, kinds, keepAlive }, plugins.engines) : asked;
    const engine = findEngine(
      name,
      target.engine === undefined ? "engine (--engine)" : `${target.name}: engine`,
      plugins.engines,
    );
    checkProtocol(engine, target, protocol, plugins.engines);
    checkLoads(engine, kinds, plugins.engines);
    checkKeepAlive(engine, keepAlive, plugins.engines);
    return { name, options: engineOptions(engine, { ...optionsFor(name, input), ...target.engine?.options }) };
  };
  const chosen = targets.map((target) => ({ target, engine: choose(target) }));
  const used = chosen.map(({ engine }) => engine);
  checkAllUsed(input, used, plugins.engines);
  const ofScenario = used.find(({ name }) => name === input.engine) ??
    used[0] ?? { name: DEFAULTS.engine, options: {} };
  return {
    engine: { ...ofScenario, generators: input.generators ?? DEFAULTS.generators },
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

/** What an engine is to do. */
interface Demand {
  readonly protocol: Protocol;
  readonly kinds: readonly LoadKind[];
  readonly keepAlive: boolean;
}

/** The preferred engine if it can do what is asked, else the first that can, else whichever has the protocol. */
function engineFor({ protocol, kinds, keepAlive }: Demand, engines: ReadonlyMap<string, Engine>): string {
  const preferred = engines.get(DEFAULTS.preferredEngine);
  const inOrder = [...(preferred === undefined ? [] : [preferred]), ...engines.values()];
  const speaking = inOrder.filter(({ supports }) => supports.protocols.includes(protocol));
  const able = speaking.find(
    ({ supports }) => kinds.every((kind) => supports.loads.includes(kind)) && (keepAlive || supports.keepAliveOff),
  );
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

const LOAD_NAMES: Readonly<Record<LoadKind, string>> = {
  connections: "keep connections busy (-c)",
  rate: "send at a rate (-r)",
  users: "raise users over time",
};

function checkLoads(
  { name, supports }: Engine,
  kinds: readonly LoadKind[],
  engines: ReadonlyMap<string, Engine>,
): void {
  const missing = kinds.find((kind) => !supports.loads.includes(kind));
  if (missing === undefined) return;
  const able = enginesWith(engines, (engine) => engine.supports.loads.includes(missing));
  throw new ConfigError(
    `The engine "${name}" cannot ${LOAD_NAMES[missing]}. ` +
      (able.length === 0 ? "No engine of this version can." : `Use one that can, with --engine: ${listWords(able)}.`),
  );
}

function checkKeepAlive({ name, supports }: Engine, keepAlive: boolean, engines: ReadonlyMap<string, Engine>): void {
  if (keepAlive || supports.keepAliveOff) return;
  const able = enginesWith(engines, (engine) => engine.supports.keepAliveOff);
  throw new ConfigError(
    `The engine "${name}" cannot open a connection for each request (--no-keepalive, keepAlive: false). ` +
      (able.length === 0
        ? "No engine of this version can; leave it out."
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
