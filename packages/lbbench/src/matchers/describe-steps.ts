import { metricValue } from "../judge/metric-value.js";
import { judgeThresholds } from "../judge/thresholds.js";
import type { Result, StepResult } from "../model/result.js";
import type { Threshold } from "../model/threshold.js";
import { describeAmount, describeLoad } from "../report/describe-level.js";
import { readFigures } from "../report/finding-figures.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey, placeKey } from "../stats/identity.js";
import { shortTarget } from "./describe-doubts.js";
import type { Answer } from "./judgement.js";

/**
 * Says how a threshold fares, in a line for each target and level: the worst of its trials, the bound, and in how many trials.
 * Where the answer is `no` the levels that miss it, where it is `unknown` those that miss it or cannot be judged (all of them
 * where it is not for the threshold), else all.
 */
export function describeSteps(threshold: Threshold, result: Result, answer: Answer): readonly string[] {
  const levels = trialsByPlace(result).map((trials) => judgeLevel(threshold, trials));
  const wanted = levels.filter(({ missed, doubtful }) => {
    if (answer === "yes") return true;
    return missed > 0 || (answer === "unknown" && doubtful > 0);
  });
  const shown = wanted.length === 0 && answer === "unknown" ? levels : wanted;
  return shown.map(({ line }) => line);
}

/** The trials of every target at every level that was measured, in the order of the scenario, whatever that of the steps was. */
export function trialsByPlace({ scenario, steps }: Result): readonly (readonly StepResult[])[] {
  const places = groupBy(steps, placeKey);
  const levels = new Map(scenario.levels.map((level) => [levelKey(level), level]));
  return scenario.targets.flatMap(({ name: target }) =>
    [...levels.values()].flatMap((level) => {
      const trials = places.get(placeKey({ target, level }));
      return trials === undefined ? [] : [trials];
    }),
  );
}

interface JudgedLevel {
  readonly missed: number;
  readonly doubtful: number;
  readonly line: string;
}

function judgeLevel(threshold: Threshold, trials: readonly StepResult[]): JudgedLevel {
  const findings = trials.flatMap((step) => judgeThresholds([threshold], [step]));
  const missed = findings.filter(({ code }) => code === "THRESHOLD_FAILED").length;
  const doubtful = findings.length - missed;
  const because = [...new Set(findings.flatMap(({ args }) => args["because"] ?? []))].join(", ");
  const parts = [
    ...(missed > 0 ? [`missed in ${missed} of ${trialsOf(trials)}`] : []),
    ...(doubtful > 0 ? [`cannot be judged in ${doubtful} of ${trialsOf(trials)} because of ${because}`] : []),
    ...(findings.length === 0 ? [`met in ${trialsOf(trials)}`] : []),
  ];
  return {
    missed,
    doubtful,
    line: `${describePlace(trials)}: ${describeWorst(threshold, trials)}, ${threshold.source} ${parts.join(", ")}`,
  };
}

/** `single at 50 connections (3 s)`. */
export function describePlace([first]: readonly StepResult[]): string {
  if (first === undefined) return "";
  const amount = describeAmount(first.level);
  return `${shortTarget(first.target)} at ${describeLoad(first.level)}${amount === "" ? "" : ` (${amount})`}`;
}

/** `3 trials`. */
export function trialsOf({ length }: readonly StepResult[]): string {
  return `${length} ${length === 1 ? "trial" : "trials"}`;
}

function describeWorst({ metric, operator }: Threshold, trials: readonly StepResult[]): string {
  const values = trials.flatMap(({ measurement }) =>
    measurement === undefined ? [] : (metricValue(measurement, metric) ?? []),
  );
  if (values.length === 0) return `no ${metric}`;
  const actual = operator.startsWith("<") ? Math.max(...values) : Math.min(...values);
  const worst = values.length > 1 ? " at worst" : "";
  return `${metric} ${readFigures({ actual, metric }).metric("actual", "metric")}${worst}`;
}
