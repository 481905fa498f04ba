import type { Level } from "../model/level.js";
import type { StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Search, SearchOutcome, TriedLevel } from "../model/search.js";
import { levelKey } from "../stats/identity.js";
import { decideLevel } from "./decide-level.js";
import type { Planner } from "./planner.js";
import { walkSearch } from "./walk-search.js";

/**
 * Plans the search for the largest load that each target holds. Targets take turns, so that a drift of the machine falls on
 * all of them alike. A step that was interrupted counts as not made.
 */
export function createSearch(scenario: Scenario, search: Search): Planner {
  const names = scenario.targets.map(({ name }) => name);
  const outcomes = (history: readonly StepResult[]): readonly TargetSearch[] =>
    names.map((name) => searchTarget(name, history, scenario, search));
  return {
    total: () => undefined,
    next: (history) =>
      outcomes(history)
        .flatMap(({ next, made }) => (next === undefined ? [] : [{ next, made }]))
        .reduce<{ readonly next?: StepKey; readonly made: number }>((a, b) => (b.made < a.made ? b : a), {
          made: Infinity,
        }).next,
    search: (history) => outcomes(history).map(({ outcome }) => outcome),
  };
}

interface TargetSearch {
  readonly outcome: SearchOutcome;
  /** Steps that were made. */
  readonly made: number;
  readonly next?: StepKey;
}

function searchTarget(
  target: string,
  history: readonly StepResult[],
  scenario: Scenario,
  search: Search,
): TargetSearch {
  const made = history.filter((step) => step.target === target && step.state !== "aborted");
  const stepsAt = (value: number): readonly StepResult[] => {
    const key = levelKey(levelAt(value, scenario, search));
    return made.filter(({ level }) => levelKey(level) === key).toSorted((a, b) => a.trial - b.trial);
  };
  const decide = (value: number): TriedLevel => decideLevel(value, stepsAt(value), scenario, search);
  const stepAt = (value: number): StepKey => ({
    target,
    level: levelAt(value, scenario, search),
    trial: firstMissing(stepsAt(value)),
  });
  const walk = walkSearch(search, decide);
  const outcome = { target, by: search.by, ...walk, beyond: null };
  const last = walk.tried.at(-1);
  if (walk.status === "unfinished" && last !== undefined) {
    return { outcome, made: made.length, next: stepAt(last.value) };
  }
  if (walk.status !== "found" || walk.held === null || search.beyond === null) return { outcome, made: made.length };
  const value = Math.max(walk.held + 1, Math.round(walk.held * search.beyond));
  const isMeasured = stepsAt(value).length >= scenario.trials;
  return {
    outcome: { ...outcome, beyond: stepsAt(value).length === 0 ? null : decide(value) },
    made: made.length,
    ...(isMeasured ? {} : { next: stepAt(value) }),
  };
}

function levelAt(value: number, { levels }: Scenario, { by }: Search): Level {
  const { durationMs = 0 } = levels[0] ?? {};
  return { [by]: value, durationMs };
}

/** The first trial that was not made: one may be missing between others, because it failed and is made again. */
function firstMissing(steps: readonly StepResult[]): number {
  const trials = new Set(steps.map(({ trial }) => trial));
  let trial = 1;
  while (trials.has(trial)) trial += 1;
  return trial;
}
