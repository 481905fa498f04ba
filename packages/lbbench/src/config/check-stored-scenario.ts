import type { Scenario, TargetEngine } from "../model/scenario.js";
import { ConfigError } from "./config-error.js";
import { deepFreeze } from "./deep-freeze.js";
import { firstDifference } from "./first-difference.js";
import { formatPath } from "./format-path.js";
import { resolveEngines, type Plugins } from "./resolve-engines.js";
import { resolveTargets } from "./resolve-targets.js";

/**
 * Checks that a scenario that was stored means the same here as where it was resolved: its servers and engines are known,
 * accept its options, and the servers fill in no others. Returns it, frozen; throws a {@link ConfigError} that names the
 * first place that differs. An option of an engine that is not stored, as there was none yet, has its default.
 *
 * @param where what it is part of, for messages: the path of a result.
 */
export function checkStoredScenario(stored: Scenario, plugins: Plugins, where: string): Scenario {
  const resolved = { ...stored, ...resolveAgain(stored, plugins) };
  const filled = fillIn(stored, resolved);
  const difference = firstDifference(filled, resolved);
  if (difference === undefined) return deepFreeze(filled);
  const { path, before, after } = difference;
  throw new ConfigError(
    `${where}: scenario.${formatPath(path)}: expected what this lbbench makes of it, ${describe(after)}, got ${describe(before)}. ` +
      "The steps to come would not be like those that were measured: start anew.",
  );
}

function resolveAgain(stored: Scenario, plugins: Plugins): Pick<Scenario, "targets" | "engine"> {
  const { name, options, generators } = stored.engine;
  const given = stored.targets.map((target) => ({
    ...target,
    // Every target says which engine loads it, so that none has to be chosen.
    engine: target.engine ?? { name, options },
  }));
  const resolved = resolveTargets(given, plugins.servers);
  const { targets, engine } = resolveEngines({ engine: name }, resolved, { ...stored, generators }, plugins);
  return { targets, engine };
}

/** Puts the options of engines that are not stored where they are missing. */
function fillIn(stored: Scenario, { engine, targets }: Scenario): Scenario {
  return {
    ...stored,
    engine: withOptions(stored.engine, engine),
    targets: stored.targets.map((target, index) =>
      target.engine === undefined ? target : { ...target, engine: withOptions(target.engine, targets[index]?.engine) },
    ),
  };
}

function withOptions<Chosen extends TargetEngine>(stored: Chosen, resolved: TargetEngine | undefined): Chosen {
  return { ...stored, options: { ...resolved?.options, ...stored.options } };
}

function describe(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
