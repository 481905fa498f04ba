import type { Finding } from "../model/finding.js";
import type { StepKey, StepResult } from "../model/result.js";
import type { Threshold } from "../model/threshold.js";
import { groupBy } from "../stats/group-by.js";
import { plannedTrials, stepKey } from "../stats/identity.js";
import { loadOf, loadValue } from "../stats/load.js";
import { holds, metricValue } from "./metrics.js";
import { found, type Run } from "./found.js";

/** The lowest level at which a target met a stop rule. */
export interface Stop {
  readonly step: StepKey;
  readonly rule: Threshold;
  readonly actual: number;
}

/**
 * Returns where each target met a stop rule, by the name of the target: at the lowest level, and there in the step that
 * was first. A rule asks about the figure that was measured, whatever the reason for it; a step that was interrupted says nothing.
 */
export function findStops(rules: readonly Threshold[], steps: readonly StepResult[]): ReadonlyMap<string, Stop> {
  const met = steps.flatMap((step) => rules.flatMap((rule) => meets(step, rule)));
  return new Map(
    [...groupBy(met, ({ step }) => step.target)].flatMap(([target, stops]) => {
      const [lowest] = stops.toSorted((a, b) => loadValue(a.step.level) - loadValue(b.step.level));
      return lowest === undefined ? [] : [[target, lowest] as const];
    }),
  );
}

/** Whether a step is of a level above the one at which its target met a stop rule. */
export function isStopped(stops: ReadonlyMap<string, Stop>, { target, level }: Omit<StepKey, "trial">): boolean {
  const stop = stops.get(target);
  return stop !== undefined && loadValue(level) > loadValue(stop.step.level);
}

/** `STOPPED_EARLY` for every target with `skipped` levels that were not measured, or not in every trial, because of a stop rule. */
export function judgeStops({ scenario, steps }: Run): readonly Finding[] {
  const done = new Set(steps.map(stepKey));
  return [...findStops(scenario.stopOn, steps).entries()].flatMap(([target, { step, rule, actual }]) => {
    const above = scenario.levels.filter((level) => loadValue(level) > loadValue(step.level));
    const trials = Array.from({ length: plannedTrials(scenario, steps) }, (_, index) => index + 1);
    const skipped = above.filter((level) =>
      trials.some((trial) => !done.has(stepKey({ target, level, trial }))),
    ).length;
    const { kind, value } = loadOf(step.level);
    const args = { target, rule: rule.source, metric: rule.metric, actual, [kind]: value, trial: step.trial, skipped };
    return skipped === 0 ? [] : found("STOPPED_EARLY", "info", args);
  });
}

function meets(step: StepResult, rule: Threshold): readonly Stop[] {
  if (step.state === "aborted" || step.measurement === undefined) return [];
  const actual = metricValue(step, rule.metric);
  return actual !== null && holds(rule, actual) ? [{ step, rule, actual }] : [];
}
