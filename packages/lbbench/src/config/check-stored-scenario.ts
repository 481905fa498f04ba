import type { Scenario } from "../model/scenario.js";
import { ConfigError } from "./config-error.js";
import { deepFreeze } from "./deep-freeze.js";
import { firstDifference } from "./first-difference.js";
import { formatPath } from "./format-path.js";
import { resolveEngines, type Plugins } from "./resolve-engines.js";
import { resolveTargets } from "./resolve-targets.js";

/**
 * Checks that a scenario that was stored means the same here as where it was resolved: its servers and engines are known,
 * accept its options and fill in no others. Returns it, frozen; throws a {@link ConfigError} that names the first place
 * that differs.
 *
 * @param where what it is part of, for messages: the path of a result.
 */
export function checkStoredScenario(stored: Scenario, plugins: Plugins, where: string): Scenario {
  const resolved = { ...stored, ...resolveAgain(stored, plugins) };
  const difference = firstDifference(stored, resolved);
  if (difference === undefined) return deepFreeze(stored);
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

function describe(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
