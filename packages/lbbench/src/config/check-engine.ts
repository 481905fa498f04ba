import type { Target } from "../model/scenario.js";
import type { Engine, Protocol } from "../plugin.js";
import { ConfigError } from "./config-error.js";
import type { EngineDemand } from "./engine-rules.js";
import { listWords } from "./suggest.js";

/** What an engine is to load, and all that is asked of it beside speaking the protocol. */
export interface EngineTask {
  readonly target: Target;
  readonly protocol: Protocol;
  readonly demands: readonly EngineDemand[];
}

/**
 * Throws a `ConfigError` where an engine does not speak what the target speaks, or cannot do what is asked. It names the
 * engines that can do all of it; where there is none, those that can do what this one cannot.
 */
export function checkEngine(engine: Engine, task: EngineTask, engines: ReadonlyMap<string, Engine>): void {
  checkProtocol(engine, task, engines);
  checkDemands(engine, task, engines);
}

function checkProtocol({ name, supports }: Engine, task: EngineTask, engines: ReadonlyMap<string, Engine>): void {
  const { target, protocol, demands } = task;
  if (supports.protocols.includes(protocol)) return;
  const able = enginesThat(engines, protocol, demands, []);
  throw new ConfigError(
    `The engine "${name}" cannot load the target "${target.name}": it speaks ${listWords(supports.protocols)}, the target ` +
      `${protocol}. ${able.length === 0 ? "No engine of this version speaks that." : `Engines that do: ${listWords(able)}.`}`,
  );
}

function checkDemands({ name, supports }: Engine, task: EngineTask, engines: ReadonlyMap<string, Engine>): void {
  const { protocol, demands } = task;
  const missing = demands.find(({ isMet }) => !isMet(supports));
  if (missing === undefined) return;
  const able = enginesThat(engines, protocol, demands, [missing]);
  throw new ConfigError(
    `The engine "${name}" cannot ${missing.what}. ` +
      (able.length === 0
        ? `No engine of this version that speaks ${protocol} can; leave it out.`
        : `Use one that can, with --engine: ${listWords(able)}.`),
  );
}

/** Names of the engines that speak a protocol and meet all demands or, where none does, at least some of them. */
function enginesThat(
  engines: ReadonlyMap<string, Engine>,
  protocol: Protocol,
  demands: readonly EngineDemand[],
  atLeast: readonly EngineDemand[],
): readonly string[] {
  const meeting = (asked: readonly EngineDemand[]): readonly string[] =>
    [...engines.values()]
      .filter(({ supports }) => supports.protocols.includes(protocol) && asked.every(({ isMet }) => isMet(supports)))
      .map(({ name }) => name);
  const able = meeting(demands);
  return able.length > 0 ? able : meeting(atLeast);
}
