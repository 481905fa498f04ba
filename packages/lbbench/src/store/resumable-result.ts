import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { ConfigError } from "../config/config-error.js";
import { resolveEngines } from "../config/engines.js";
import type { Plugins } from "../config/plugins.js";
import { resolveTargets } from "../config/targets.js";
import { formatPath } from "../config/validate.js";
import type { Environment, Result } from "../model/result.js";
import type { Scenario, TargetEngine, ToldScenario } from "../model/scenario.js";
import type { StoredResult } from "./read-result.js";
import { defined } from "../stats/defined.js";
import { frozenCopy, isRecord } from "../stats/plain-data.js";

/**
 * Checks that steps can be added to a stored result: made by this version of lbbench, on this machine, with the limits
 * that it had then. Returns its scenario; throws a {@link ConfigError} that says what differs.
 */
export function checkResumable({ path, result }: StoredResult, tool: Result["tool"], here: Environment): Scenario {
  const { environment } = result;
  if (environment === null || !isToldWhole(result.scenario)) {
    throw new ConfigError(
      `${path}: expected the result of a run of lbbench, got one that was imported. There is nothing to go on with: measure the target with lbbench sweep.`,
    );
  }
  const difference =
    firstDifference({ tool: result.tool }, { tool }) ??
    firstDifference({ environment: lasting(environment) }, { environment: lasting(here, environment) });
  if (difference === undefined) return result.scenario;
  throw new ConfigError(
    `${path}: ${formatPath(difference.path)}: expected that of this machine and this lbbench, ${difference.after}, got ${difference.before}. ` +
      "Figures of both cannot stand in one result: go on where it was begun, or start anew.",
  );
}

function isToldWhole(scenario: ToldScenario): scenario is Scenario {
  const { request, engine, httpVersion, warmupMs, timeoutMs, keepAlive, order, seed } = scenario;
  return ![request, engine.generators, httpVersion, warmupMs, timeoutMs, keepAlive, order, seed].includes(null);
}

/** The part of an environment that stays the same from one run to the next. */
function lasting(environment: Environment, { network: known }: Environment = environment): Partial<Environment> {
  const { loadAverage: _, network, ...rest } = environment;
  // A file of 0.1.0 has no network settings to compare.
  return { ...rest, ...defined({ network: known === undefined || network === undefined ? undefined : network }) };
}

/**
 * The folder in which the paths of a run begin that is gone on with: the one in which it began. Rejects with a
 * {@link ConfigError} where another one is given, or where it is gone and none is given, as the same path would be of another file.
 *
 * @param given what was asked for, if anything; counts alone for files of earlier releases, which do not say where they began.
 */
export async function folderOfRun({ path, result }: StoredResult, given: string | undefined): Promise<string> {
  const { folder: began } = result;
  if (began === undefined) return resolve(given ?? ".");
  const real = await realpath(began).catch(() => undefined);
  if (given !== undefined) {
    const other = await realpath(given).catch(() => resolve(given));
    if (real === undefined || real === other) return other;
    throw new ConfigError(
      `${path}: folder: expected that in which the run began, ${began}, got ${other}. Paths in its scenario would be those of ` +
        "other files: leave out --config, or give the config file that it began with.",
    );
  }
  if (real !== undefined) return real;
  throw new ConfigError(
    `${path}: folder: expected the folder in which the run began, ${began}, which is not there any more. Name the config file ` +
      "in the folder that has taken its place with --config FILE, or start anew.",
  );
}

/**
 * Checks that a scenario that was stored means the same here as where it was resolved: its servers and engines are known,
 * accept its options, and the servers fill in no others. Returns it, frozen; rejects with a {@link ConfigError} that names the
 * first place that differs. An option of an engine that is not stored, as there was none yet, has its default.
 *
 * @param where what it is part of, for messages: the path of a result.
 */
export async function checkStoredScenario(stored: Scenario, plugins: Plugins, where: string): Promise<Scenario> {
  const { name, options } = stored.engine;
  // Every target says which engine loads it, so that none has to be chosen.
  const given = stored.targets.map((target) => ({ ...target, engine: target.engine ?? { name, options } }));
  const load = { ...stored, generators: stored.engine.generators, workers: stored.engine.workers };
  const resolved = await resolveTargets(given, plugins.servers);
  const { engine, targets } = await resolveEngines({ engine: name }, resolved, load, plugins);
  const withOptions = <Chosen extends TargetEngine>(chosen: Chosen, now: TargetEngine | undefined): Chosen => ({
    ...chosen,
    options: { ...now?.options, ...chosen.options },
  });
  const filled: Scenario = {
    ...stored,
    engine: withOptions(stored.engine, engine),
    targets: stored.targets.map((target, index) =>
      target.engine === undefined ? target : { ...target, engine: withOptions(target.engine, targets[index]?.engine) },
    ),
  };
  const difference = firstDifference(filled, { ...stored, engine, targets });
  if (difference === undefined) return frozenCopy(filled);
  throw new ConfigError(
    `${where}: scenario.${formatPath(difference.path)}: expected what this lbbench makes of it, ${difference.after}, got ${difference.before}. ` +
      "The steps to come would not be like those that were measured: start anew.",
  );
}

/** The first place at which two values differ, and what is there as JSON, or `nothing`. */
interface Difference {
  readonly path: readonly PropertyKey[];
  readonly before: string;
  readonly after: string;
}

/** Compares plain data; an entry that is `undefined` is none, as in JSON. */
function firstDifference(before: unknown, after: unknown, path: readonly PropertyKey[] = []): Difference | undefined {
  if (Object.is(before, after)) return undefined;
  if (!isRecord(before) || !isRecord(after) || Array.isArray(before) !== Array.isArray(after)) {
    return { path, before: JSON.stringify(before) ?? "nothing", after: JSON.stringify(after) ?? "nothing" };
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const place = Array.isArray(before) ? Number(key) : key;
    const difference = firstDifference(before[key], after[key], [...path, place]);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
