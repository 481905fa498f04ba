import { ConfigError } from "../config/config-error.js";
import { firstDifference } from "../config/first-difference.js";
import { formatPath } from "../config/format-path.js";
import type { Environment, Result } from "../model/result.js";
import type { Scenario, ToldScenario } from "../model/scenario.js";
import type { StoredResult } from "./read-result.js";

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
  const { path: place, before, after } = difference;
  throw new ConfigError(
    `${path}: ${formatPath(place)}: expected that of this machine and this lbbench, ${JSON.stringify(after)}, got ${JSON.stringify(before)}. ` +
      "Figures of both cannot stand in one result: go on where it was begun, or start anew.",
  );
}

function isToldWhole(scenario: ToldScenario): scenario is Scenario {
  const { request, engine, httpVersion, warmupMs, timeoutMs, keepAlive, order, seed } = scenario;
  return ![request, engine.generators, httpVersion, warmupMs, timeoutMs, keepAlive, order, seed].includes(null);
}

/** What of an environment does not change from one run to the next. */
function lasting(environment: Environment, { network: known }: Environment = environment): Partial<Environment> {
  const { loadAverage: _, network, ...rest } = environment;
  // A file of 0.1.0 has no network settings to compare.
  return { ...rest, ...(known === undefined || network === undefined ? {} : { network }) };
}
