import type { Finding, FindingArgs } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import { median } from "../stats/descriptive.js";
import { formatFault, harms, roundRecovery } from "../stats/faults.js";
import { groupBy } from "../stats/group-by.js";
import { placeKey } from "../stats/identity.js";
import { adjustHolm, compareTrials, judgeDifference, trialsNeeded } from "../stats/trials.js";
import { asArrays, asCompared } from "./compare-trials.js";
import { faultResponses } from "./fault-response.js";
import { metricValue, type FaultMetric } from "./metrics.js";
import { found } from "./step-rule.js";
import { defined } from "../stats/defined.js";

/** What the faults cost a target: of each trial, over all levels. */
interface Costs {
  readonly target: string;
  readonly lost: readonly number[];
  /** The slowest, in ms; `Infinity` where one did not come. */
  readonly recovery: readonly number[];
  readonly sent: readonly number[];
  /** A fault that could not be done in some trial. */
  readonly undone: string | undefined;
}

/**
 * `FAULTS_COMPARED` {target, lost, sent, recoveryMs, trials}, medians over the trials, for each target, of which those with the fewest
 * requests lost come first; without {recoveryMs} where there was none. Of several targets with {lostIs: "fewest" | "more" | "alike"} and
 * {recoveryIs: "first" | "later" | "alike"}, as a test tells it from the best one, where all of them could be tested with {trialsNeeded}
 * trials; {undone} names a fault that could not be done, so that the target is not compared. Nothing without faults that took effect.
 */
export function compareFaultCosts({ scenario, steps }: Pick<Result, "scenario" | "steps">): readonly Finding[] {
  const { faults = [] } = scenario;
  // Of policies another figure tells what a fault costs.
  if (
    faults.length === 0 ||
    scenario.policies !== undefined ||
    steps.every((step) => faultResponses(step).length === 0)
  )
    return [];
  const all = [...groupBy(steps, ({ target }) => target)].flatMap(([target, own]) => costsOf(target, own));
  const compared = all.filter(({ undone }) => undone === undefined);
  const [lost, recovery] = [rank(compared, "lost"), rank(compared, "recovery")];
  const fewestFirst = all.toSorted((a, b) => median(a.lost) - median(b.lost));
  return fewestFirst.flatMap((costs) => {
    const recoveryMs = median(costs.recovery);
    return found("FAULTS_COMPARED", "info", {
      target: costs.target,
      lost: median(costs.lost),
      sent: median(costs.sent),
      ...defined({ recoveryMs: Number.isFinite(recoveryMs) ? recoveryMs : undefined }),
      trials: costs.lost.length,
      ...defined({ undone: costs.undone }),
      ...tell(lost, costs, { best: "fewest", worse: "more" }, "lostIs"),
      ...tell(recovery, costs, { best: "first", worse: "later" }, "recoveryIs"),
      ...defined({ trialsNeeded: compared.length < 2 ? undefined : lost.needed }),
    });
  });
}

function costsOf(target: string, steps: readonly StepResult[]): readonly Costs[] {
  const places = [...groupBy(steps, placeKey).values()].map((trials) => {
    const measured = trials.filter(({ measurement }) => measurement !== undefined);
    const completed = measured.filter(({ state }) => state === "completed");
    return completed.length > 0 ? completed : measured;
  });
  const trials = groupBy(places.flat(), ({ trial }) => String(trial));
  const whole = [...trials.values()].filter((own) => own.length === places.length);
  if (whole.length === 0) return [];
  const undone = steps.flatMap((step) => step.faults ?? []).find((fault) => harms(fault) && fault.effectMs === null);
  const valuesIn = (own: readonly StepResult[], metric: FaultMetric): readonly number[] =>
    own.map((step) => metricValue(step, metric) ?? 0);
  const sum = (values: readonly number[]): number => values.reduce((before, one) => before + one, 0);
  return [
    {
      target,
      lost: whole.map((own) => sum(valuesIn(own, "lost"))),
      recovery: whole.map((own) => roundRecovery(Math.max(...valuesIn(own, "recovery")))),
      sent: whole.map((own) => sum(own.map(({ measurement }) => measurement?.requests.sent ?? 0))),
      undone: undone && formatFault(undone),
    },
  ];
}

/** Targets by a metric: the one with the lowest median, and those that a test of all pairs, corrected by Holm, tells from it. */
interface Ranking {
  readonly best: Costs | undefined;
  readonly worse: readonly Costs[];
  readonly compared: readonly Costs[];
  /** The fewest trials with which a test could tell. */
  readonly needed: number;
}

const byTrial = (values: readonly number[]): ReadonlyMap<number, number> => new Map(values.entries());

function rank(compared: readonly Costs[], metric: FaultMetric): Ranking {
  const middle = (one: Costs): number => median(one[metric]);
  // Infinity less itself is no number.
  const sorted = compared.toSorted((a, b) => (middle(a) < middle(b) ? -1 : Number(middle(a) > middle(b))));
  const pairs = sorted.flatMap((one, at) =>
    sorted.slice(at + 1).map((other) => {
      const starts = { reference: byTrial(one[metric]), other: byTrial(other[metric]) };
      return { one, other, sides: asArrays(asCompared(metric, starts)) };
    }),
  );
  const pValues = adjustHolm(pairs.map(({ sides }) => compareTrials(...sides).pValue));
  const [best] = sorted;
  const told = pairs.filter(
    ({ one, sides }, at) => one === best && judgeDifference(...sides, pValues[at] ?? null) === "higher",
  );
  return { best, worse: told.map(({ other }) => other), compared, needed: trialsNeeded(Math.max(1, pairs.length)) };
}

function tell(
  { best, worse, compared }: Ranking,
  costs: Costs,
  words: { readonly best: string; readonly worse: string },
  key: "lostIs" | "recoveryIs",
): FindingArgs {
  if (compared.length < 2 || !compared.includes(costs)) return {};
  const isBest = costs === best && worse.length > 0;
  return { [key]: isBest ? words.best : worse.includes(costs) ? words.worse : "alike" };
}
