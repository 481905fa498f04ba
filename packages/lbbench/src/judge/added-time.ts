import type { StepResult } from "../model/result.js";
import { median } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { judgeDifference } from "../stats/trials.js";
import { pairWithReference, significanceOf } from "./compare-targets.js";
import { asArrays, correctTogether, keepSound } from "./compare-trials.js";
import { doubtsBeyondChance } from "./doubts.js";
import type { Run } from "./found.js";

/** By how much more or less a target adds to the time of its backends than the one that it is compared with. */
export type AddedTime = ReturnType<typeof compareAddedTime>[number];

/** Part of the answers that may tell no time, or a false one: the median is that of all all the same. */
const MOST_UNTOLD = 0.01;

/** Below what clocks and histograms tell apart, in ms. */
const LEAST_MS = 0.001;

/**
 * Compares targets with their references by what is added to the time that backends tell in `Server-Timing`: by the p50 over requests of each
 * start, over the starts. All levels of a pair are tested together, and corrected for the number of pairs with the same reference. Levels in
 * which a latency is in doubt are left out: what waits for a processor that others have is no time of a balancer.
 */
export function compareAddedTime(run: Run) {
  if (run.scenario.serverTiming !== true) return [];
  const significance = significanceOf(run);
  const pairs = pairWithReference(run);
  const rivals = groupBy(pairs, ({ reference }) => reference);
  return pairs.map(({ reference, other: target, sides }) => {
    const levels = sides.flatMap((side) => {
      const [own, others] = [addedIn(side.reference), addedIn(side.other)];
      return own === undefined || others === undefined
        ? []
        : [{ level: side.level, starts: { reference: own, other: others } }];
    });
    const families = rivals.get(reference)?.length ?? 1;
    const corrected = correctTogether(levels, ({ starts }) => starts, { inTurn: true, families, significance });
    // Levels at which a test tells a difference: of the medians over the trials, in ms.
    const told = levels.flatMap((one) => {
      const { pValue = 1 } = corrected.get(one) ?? {};
      const [own, others] = asArrays(one.starts);
      const ms = median(others) - median(own);
      const isTold = judgeDifference(own, others, pValue, significance) !== "~" && Math.abs(ms) >= LEAST_MS;
      return isTold ? [{ level: one.level, ms, pValue }] : [];
    });
    return { target, reference, levels: told };
  });
}

/** The p50 of what was added in each trial, in ms; `undefined` where that is not known of all that count. */
function addedIn(trials: readonly StepResult[]): ReadonlyMap<number, number> | undefined {
  const steps = keepSound("p50", trials).filter(({ state }) => state === "completed");
  const isDoubted = steps.some((step) => doubtsBeyondChance("p50", step).length > 0);
  const added = steps.flatMap((step): readonly (readonly [trial: number, ms: number])[] => {
    const { told = 0, untold = 0, malformed = 0, negative = 0, added: of } = step.measurement?.serverTiming ?? {};
    const isTold = untold + malformed + negative <= MOST_UNTOLD * (told + untold + malformed);
    return isTold && of?.p50 !== undefined ? [[step.trial, of.p50]] : [];
  });
  return isDoubted || added.length === 0 || added.length < steps.length ? undefined : new Map(added);
}
