import type { EngineChoice, Target, TargetEngine } from "../model/scenario.js";
import type { Engine, Protocol, Server } from "../plugin.js";
import { checkEngine } from "./check-engine.js";
import { ConfigError } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { flagOfOption } from "./engine-flags.js";
import { engineDemands, type EngineDemand, type LoadDemand } from "./engine-rules.js";
import { formatPath } from "./format-path.js";
import { listWords, suggestPlugin } from "./suggest.js";
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
 * Chooses an engine for each target: its own, else the one asked for, else the preferred one if it speaks what the target
 * speaks and can do what is asked, else the first that can. Throws a {@link ConfigError} for an engine that is unknown, that cannot do what is
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
    checkEngine(engine, { target, protocol, demands }, plugins.engines);
    return { name, options: engineOptions(engine, { ...optionsFor(name, input), ...target.engine?.options }) };
  };
  const chosen = targets.map((target) => ({ target, engine: choose(target) }));
  const used = chosen.map(({ engine }) => engine);
  const spoken = new Set(targets.map((target) => protocolOf(target, plugins.servers)));
  checkAllUsed(input, used, spoken, plugins.engines);
  const ofScenario = used.find(({ name }) => name === input.engine) ??
    used[0] ?? { name: DEFAULTS.engine, options: {} };
  return {
    engine: { ...ofScenario, generators: load.generators },
    targets: chosen.map(({ target: { name, server, options, references }, engine }) => ({
      name,
      server,
      options,
      ...(isSame(engine, ofScenario) ? {} : { engine }),
      ...(references === undefined ? {} : { references }),
    })),
  };
}

function protocolOf({ server, options }: Target, servers: ReadonlyMap<string, Server>): Protocol {
  return servers.get(server)?.protocol?.(options) ?? "http";
}

/**
 * The preferred engine if it can do what is asked, else the first that can, else whichever has the protocol; never one that
 * is to be asked for by name.
 */
function engineFor(protocol: Protocol, demands: readonly EngineDemand[], engines: ReadonlyMap<string, Engine>): string {
  const preferred = engines.get(DEFAULTS.preferredEngine);
  const inOrder = [...(preferred === undefined ? [] : [preferred]), ...engines.values()];
  const speaking = inOrder.filter(
    ({ supports }) => supports.automatic !== false && supports.protocols.includes(protocol),
  );
  const able = speaking.find(({ supports }) => demands.every(({ isMet }) => isMet(supports)));
  return (able ?? speaking[0])?.name ?? DEFAULTS.preferredEngine;
}

function findEngine(name: string, place: string, engines: ReadonlyMap<string, Engine>): Engine {
  const engine = engines.get(name);
  if (engine !== undefined) return engine;
  throw new ConfigError(
    `${place}: expected ${listWords(engines.keys())}, got "${name}".${suggestPlugin(name, engines.keys())}`,
  );
}

function optionsFor(name: string, { engines = {} }: Pick<ParsedSweepInput, "engines">): TargetEngine["options"] {
  return Object.hasOwn(engines, name) ? (engines[name] ?? {}) : {};
}

function engineOptions({ name, options }: Engine, given: TargetEngine["options"]): TargetEngine["options"] {
  if (options !== undefined) {
    return validate(options, given, (path) => formatPath(["engines", name, ...path]) + flagOfOption(name, path[0]));
  }
  const [first] = Object.keys(given);
  if (first === undefined) return {};
  throw new ConfigError(`engines.${name}: expected no options, which this engine has none of, got "${first}"`);
}

function checkAllUsed(
  { engines = {} }: Pick<ParsedSweepInput, "engines">,
  used: readonly TargetEngine[],
  spoken: ReadonlySet<Protocol>,
  known: ReadonlyMap<string, Engine>,
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

function isSame(one: TargetEngine, other: TargetEngine): boolean {
  return one.name === other.name && JSON.stringify(one.options) === JSON.stringify(other.options);
}
