import type { Scenario } from "../model/scenario.js";
import type { Search } from "../model/search.js";
import type { Threshold } from "../model/threshold.js";
import { ConfigError } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { deepFreeze } from "./deep-freeze.js";
import { parseThreshold } from "./parse-threshold.js";
import { refuseSettings } from "./refuse-settings.js";
import type { Plugins } from "./resolve-engines.js";
import { resolveScenario } from "./resolve-scenario.js";
import type { ParsedSweepInput } from "./sweep-input.js";

/** Settings that a search has no use for; of a config file for others as well `lbbench max` leaves them out. */
export const NOT_IN_SEARCH = [
  "connections",
  "rate",
  "requests",
  "reference",
  "margin",
  "errorMargin",
  "stopOn",
  "order",
  "ramp",
] as const;

/**
 * Fills in every default of a search, as `resolveScenario` does for a sweep; the scenario is frozen. Unless a threshold asks
 * about errors, none is allowed. Throws a {@link ConfigError} that says what was expected and what came.
 */
export function resolveSearch(input: ParsedSweepInput, plugins: Plugins): Scenario {
  refuseSettings(
    input,
    NOT_IN_SEARCH,
    "in a search, which finds its levels itself and runs for a duration. Leave it out, or sweep.",
  );
  const trials = input.trials ?? DEFAULTS.search.trials;
  const search = fillIn(input.search ?? {}, trials);
  const durationMs = input.duration ?? DEFAULTS.durationMs;
  const scenario = resolveScenario(
    {
      ...input,
      [search.by]: [search.start],
      trials,
      duration: durationMs,
      // Longer than a step nothing can be waited for, so that what never gets an answer would never count.
      timeout: input.timeout ?? Math.min(DEFAULTS.timeoutMs, durationMs * DEFAULTS.search.timeoutShare),
      thresholds: criteria(input.thresholds ?? []),
    },
    plugins,
  );
  // Every target has levels of its own, so there is nothing to compare.
  return deepFreeze({ ...scenario, reference: null, search });
}

function fillIn(given: NonNullable<ParsedSweepInput["search"]>, trials: number): Search {
  const by = given.by ?? DEFAULTS.search.by;
  const most = given.most ?? DEFAULTS.search.most[by];
  const start = given.start ?? Math.min(DEFAULTS.search.start[by], most);
  const needed = given.needed ?? Math.floor(trials / 2) + 1;
  if (start > most) {
    throw new ConfigError(
      `search.start (--start): expected at most ${most}, which is search.most (--most), got ${start}`,
    );
  }
  if (needed > trials) {
    throw new ConfigError(
      `search.needed (--needed): expected at most ${trials}, the number of trials (--trials), got ${needed}`,
    );
  }
  const { growth, resolution } = { ...DEFAULTS.search, ...withoutMissing(given) };
  return { by, start, growth, most, resolution, needed, beyond: given.beyond ?? null };
}

function withoutMissing<T extends object>(given: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}

function criteria(thresholds: readonly Threshold[]): Threshold[] {
  const isAboutErrors = thresholds.some(({ metric }) => metric === "errors");
  return [...(isAboutErrors ? [] : [parseThreshold(DEFAULTS.search.threshold)]), ...thresholds];
}
