import { isDecided } from "../judge/compare-targets.js";
import { findStops, isStopped } from "../judge/stop-rules.js";
import type { StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Search, SearchOutcome } from "../model/search.js";
import { stepKey } from "../stats/identity.js";
import { elapsedBetweenMs } from "../stats/iso-time.js";
import { seededRandom } from "../stats/seeded-random.js";
import { searchTarget } from "./search.js";

/** Decides the next step from the steps done. */
export interface Planner {
  /** How many steps there will be in all, as far as the steps done tell; of a search the most that there can be. */
  readonly total: (history: readonly StepResult[]) => number;
  /** Returns the next step, or `undefined` when all is done. Pure: the same history gives the same step. */
  readonly next: (history: readonly StepResult[]) => StepKey | undefined;
  /** What a search has found so far, for each target; absent in a planner that searches nothing. */
  readonly search?: (history: readonly StepResult[]) => readonly SearchOutcome[];
}

/**
 * Returns the planner of a scenario: a search where it has one, else the sweep of its levels.
 *
 * @param resumedAt when its run was resumed, each time: what passed before is no time of measuring.
 */
export function createPlanner(scenario: Scenario, resumedAt: readonly string[] = []): Planner {
  return scenario.search === null ? planSweep(scenario, resumedAt) : planSearch(scenario, scenario.search);
}

/**
 * Plans every step once. Where a target met a stop rule, the levels above are left out, in this trial and in those to come. Of trials that
 * are looked at, those up to the next look are planned.
 */
function planSweep(scenario: Scenario, resumedAt: readonly string[]): Planner {
  // A level that was asked for twice is one level: steps are told apart by target, level and trial alone.
  const steps = new Map(orderSteps(scenario).map((step) => [stepKey(step), step]));
  const { looks } = scenario.sequential ?? { looks: [scenario.trials] };
  const look = (history: readonly StepResult[]) => {
    const done = new Set(history.map(stepKey));
    const stops = findStops(scenario.stopOn, history);
    const missing = [...steps].flatMap(([key, step]) => (done.has(key) || isStopped(stops, step) ? [] : [step]));
    let planned: readonly StepKey[] = [];
    const made = Math.max(0, ...history.map(({ trial }) => trial));
    for (const [at, trials] of looks.entries()) {
      planned = missing.filter(({ trial }) => trial <= trials);
      const next = looks[at + 1];
      if (planned.length > 0 || next === undefined) break;
      // Where more were made it was seen before that these did not decide.
      if (made <= trials && isEnough(scenario, history, (spentMs(history, resumedAt) / trials) * next)) break;
    }
    return { total: done.size + planned.length, next: planned[0] };
  };
  return { total: (history) => look(history).total, next: (history) => look(history).next };
}

/** Whether no more trials are made after a look at some, if the next look comes after so much time of measuring. */
function isEnough(scenario: Scenario, steps: readonly StepResult[], nextMs: number): boolean {
  return nextMs > (scenario.sequential?.limitMs ?? 0) || isDecided({ scenario, steps });
}

/** The time from the first step to the last, without that in which the run was interrupted. */
function spentMs(history: readonly StepResult[], resumedAt: readonly string[]): number {
  const starts = history.flatMap(({ measurement }) => measurement?.startedAt ?? []);
  // Texts of one form, which are in the order of the times.
  const isApart = (from: string, to: string): boolean => resumedAt.some((at) => from < at && at <= to);
  return starts.reduce((sum, to, at) => {
    const from = starts[at - 1] ?? to;
    return isApart(from, to) ? sum : sum + (elapsedBetweenMs(from, to) ?? 0);
  }, 0);
}

/**
 * Every (trial, level, target) of a scenario: trials outermost, targets innermost, so that the targets are measured at the same
 * level one right after the other. In order `interleaved` the order of the targets is reversed from one level to the next, and for each
 * level from one trial to the next, so that a drift of the machine falls on all of them alike.
 */
function orderSteps({ order, seed, trials, levels, targets }: Scenario): readonly StepKey[] {
  const random = seededRandom(seed);
  const names = targets.map(({ name }) => name);
  const isRandom = order === "random";
  return Array.from({ length: trials }, (_, index) => index + 1).flatMap((trial) =>
    (isRandom ? shuffle(levels, random) : levels).flatMap((level, index) => {
      // The sum alternates along both axes; a running number would not when the number of levels is even.
      const inTurn = (trial + index) % 2 === 1 ? names : names.toReversed();
      return (isRandom ? shuffle(names, random) : inTurn).map((target) => ({ target, level, trial }));
    }),
  );
}

/** The items in an order drawn by `random` (0 to below 1): Fisher and Yates, every order equally likely. */
function shuffle<T>(items: readonly T[], random: () => number): readonly T[] {
  const shuffled = [...items];
  for (let end = shuffled.length; end > 1; end -= 1) {
    shuffled.push(...shuffled.splice(Math.floor(random() * end), 1));
  }
  return shuffled;
}

/**
 * Plans the search for the largest load that each target holds. Targets take turns, so that a drift of the machine falls on
 * all of them alike. A step that was interrupted counts as not made.
 */
function planSearch(scenario: Scenario, search: Search): Planner {
  const searches = (history: readonly StepResult[]) =>
    scenario.targets.map(({ name }) => searchTarget(name, history, scenario, search));
  return {
    total: (history) => searches(history).reduce((sum, { made, left }) => sum + made + left, 0),
    next: (history) =>
      searches(history)
        .filter(({ next }) => next !== undefined)
        .toSorted((a, b) => a.made - b.made)[0]?.next,
    search: (history) => searches(history).map(({ outcome }) => outcome),
  };
}
