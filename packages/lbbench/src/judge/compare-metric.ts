import type { FindingCode } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import { median } from "../stats/descriptive.js";
import { adjustHolm } from "../stats/holm.js";
import { compareTrials, judgeDifference, SIGNIFICANCE } from "../stats/trials.js";
import { smallestPValue, trialsNeeded } from "../stats/trials-needed.js";
import { canBeLeftOut, doubtAbout, mostLost } from "./doubtful-metrics.js";
import { speedWord, type ComparedMetric, type JudgedMetric } from "./compare-scales.js";
import { metricValue } from "./metric-value.js";

/** The trials of two targets at one level. */
export interface Sides {
  readonly reference: readonly StepResult[];
  readonly other: readonly StepResult[];
}

/** How one metric of a target compares with that of the reference. */
export interface MetricComparison {
  /** Ratio of the medians over the trials less one: 0.1 is ten percent more; `null` where one of them is missing. */
  readonly change: number | null;
  /** Two-sided, corrected for the number of levels; `null` where no test was possible. */
  readonly pValue: number | null;
  /** `faster`: more throughput, or less latency. `~`: no difference that can be told from noise. */
  readonly verdict: "faster" | "slower" | "~";
  /**
   * Why no test could find a difference, with verdict `~`: the code of the finding that makes the metric doubtful,
   * `NOT_MEASURED` when a side has no figure, `SINGLE_TRIAL`, or `TOO_FEW_TRIALS`, also when they are too few only for so many levels. Absent when a test could: then
   * `~` means that the difference is within the noise.
   */
  readonly reason?: FindingCode | "NOT_MEASURED" | "TOO_FEW_TRIALS";
  /** With `SINGLE_TRIAL` and `TOO_FEW_TRIALS`: the fewest on each side that can show a difference at so many levels. */
  readonly trialsNeeded?: number;
  /** Of the throughput: the change that is left when all is allowed for that makes it doubtful; only beside a difference. */
  readonly atLeast?: number;
  /** Present where doubtful trials were left out: of the side with the most of them. */
  readonly kept?: KeptTrials;
}

/** How many of the trials a figure rests on. */
export interface KeptTrials {
  readonly trials: number;
  readonly of: number;
  /** What made the others doubtful. */
  readonly because: FindingCode;
}

/** Compares one metric of two targets over several levels; p-values are corrected for their number. Same order. */
export function compareMetric(metric: ComparedMetric, levels: readonly Sides[]): readonly MetricComparison[] {
  return testLevels(metric, levels).map((test) => {
    const { change, reason, correctedPValue, lacking, kept, bound } = test;
    const { reference, other } = bound ?? test;
    const verdict = speedWord(metric, judgeDifference(reference, other, correctedPValue));
    const isBound = bound !== undefined && verdict !== "~";
    return {
      change,
      pValue: reason === undefined || isBound ? correctedPValue : null,
      verdict,
      ...(isBound ? { atLeast: bound.change } : explainLack(reason, verdict === "~" ? lacking : undefined)),
      ...(kept === undefined ? {} : { kept }),
    };
  });
}

/** Says why there is no difference to be found: for a reason of its own, or for want of trials. */
function explainLack(
  reason: MetricComparison["reason"],
  trialsNeeded: number | undefined,
): Pick<MetricComparison, "reason" | "trialsNeeded"> {
  if (trialsNeeded === undefined) {
    return reason === undefined ? {} : { reason };
  }
  return { reason: reason ?? "TOO_FEW_TRIALS", trialsNeeded };
}

/** A test among those of several levels. */
export interface LevelTest extends TrialsTest {
  /** As `pValue`, corrected for the number of levels. */
  readonly correctedPValue: number | null;
  /** Trials that it takes on each side, where there are too few for so many levels. */
  readonly lacking: number | undefined;
}

/** Tests one metric of two targets at several levels, corrected for their number by Holm's method. Same order. */
export function testLevels(metric: JudgedMetric, levels: readonly Sides[]): readonly LevelTest[] {
  const tests = levels.map((sides) => testTrials(metric, sides));
  const corrected = adjustHolm(tests.map(({ pValue, bound }) => pValue ?? bound?.pValue ?? null));
  const lacking = findLackingTrials(tests);
  return tests.map((test, index) => {
    const { kept } = test;
    const needed = lacking[index];
    // With those that were left out there would be enough, so it is not for want of trials.
    if (kept !== undefined && needed !== undefined && needed <= kept.of) {
      return { ...test, pValue: null, reason: kept.because, correctedPValue: null, lacking: undefined };
    }
    return { ...test, correctedPValue: corrected[index] ?? null, lacking: needed };
  });
}

/** The trials of one metric at one level, and their test. */
export interface TrialsTest {
  readonly reference: readonly number[];
  readonly other: readonly number[];
  /** Ratio of the medians less one; `null` where one of them is missing or that of the reference is 0. */
  readonly change: number | null;
  /** Two-sided, of this level alone; `null` with a reason. */
  readonly pValue: number | null;
  /** Why there was no test; as in {@link MetricComparison}. */
  readonly reason: MetricComparison["reason"] | undefined;
  readonly kept?: KeptTrials;
  /** In place of a test that is not made because of a doubt: one of what is left when all is allowed for that the doubt can explain. */
  readonly bound?: BoundTest;
}

/** Two sides of which the lower is as high as it may be. */
export interface BoundTest {
  readonly reference: readonly number[];
  readonly other: readonly number[];
  /** In the direction of the measured change, and smaller. */
  readonly change: number;
  readonly pValue: number;
}

/**
 * Takes a metric from the trials of two targets at one level and tests it. A doubtful trial is left out where most of its side stand
 * ({@link canBeLeftOut}); else there is no test, but perhaps that of a bound.
 */
export function testTrials(metric: JudgedMetric, given: Sides): TrialsTest {
  const sides = { reference: keepSound(metric, given.reference), other: keepSound(metric, given.other) };
  const reference = valuesOf(sides.reference, metric);
  const other = valuesOf(sides.other, metric);
  const doubt = [...sides.reference, ...sides.other].map((step) => doubtAbout(metric, step)).find(Boolean);
  const kept = describeKept(metric, given, sides);
  if (reference.length === 0 || other.length === 0) {
    return { reference, other, change: null, pValue: null, reason: doubt ?? "NOT_MEASURED" };
  }
  const { change, pValue } = compareTrials(reference, other);
  const few = Math.min(reference.length, other.length) === 1 ? "SINGLE_TRIAL" : "TOO_FEW_TRIALS";
  const reason = doubt ?? (pValue === null ? few : undefined);
  const bound = doubt !== undefined && metric === "throughput" ? testBound(sides) : undefined;
  return { reference, other, change, pValue: reason === undefined ? pValue : null, reason, ...kept, ...bound };
}

function keepSound(metric: JudgedMetric, trials: readonly StepResult[]): readonly StepResult[] {
  const sound = trials.filter((step) => doubtAbout(metric, step) === undefined);
  const isMost = sound.length * 2 > trials.length;
  return isMost && trials.every((step) => canBeLeftOut(metric, step)) ? sound : trials;
}

function describeKept(metric: JudgedMetric, given: Sides, sides: Sides): Pick<TrialsTest, "kept"> {
  const [least] = (["reference", "other"] as const)
    .map((side) => ({ trials: sides[side].length, of: given[side].length }))
    .toSorted((a, b) => a.trials / a.of - b.trials / b.of);
  const because = [...given.reference, ...given.other].map((step) => doubtAbout(metric, step)).find(Boolean);
  return least === undefined || least.trials >= least.of || because === undefined
    ? {}
    : { kept: { ...least, because } };
}

/** Allows the slower side all the throughput that it may have lost; what the faster one lost only makes the difference larger. */
function testBound({ reference, other }: Sides): Pick<TrialsTest, "bound"> {
  const [one, two] = [allowed(reference), allowed(other)];
  if (one === undefined || two === undefined) return {};
  const isHigher = median(two.measured) > median(one.measured);
  const sides = { reference: isHigher ? one.possible : one.measured, other: isHigher ? two.measured : two.possible };
  const { change, pValue, verdict } = Object.values(sides).flat().every(Number.isFinite)
    ? compareTrials(sides.reference, sides.other)
    : { change: null, pValue: null, verdict: "~" };
  return verdict === (isHigher ? "higher" : "lower") && change !== null && pValue !== null
    ? { bound: { ...sides, change, pValue } }
    : {};
}

function allowed(
  steps: readonly StepResult[],
): { measured: readonly number[]; possible: readonly number[] } | undefined {
  const told = steps.map((step) => ({ throughput: step.measurement?.throughput, lost: mostLost(step) }));
  const sound = told.flatMap(({ throughput, lost }) =>
    throughput === undefined || lost === undefined ? [] : [{ throughput, possible: throughput * lost }],
  );
  return sound.length === 0 || sound.length < steps.length
    ? undefined
    : { measured: sound.map(({ throughput }) => throughput), possible: sound.map(({ possible }) => possible) };
}

/** Of completed steps, or of the others where none was completed: figures of a step that failed are not like the rest. */
function valuesOf(steps: readonly StepResult[], metric: JudgedMetric): readonly number[] {
  const measured = steps.filter(({ measurement }) => measurement !== undefined);
  const completed = measured.filter(({ state }) => state === "completed");
  return (completed.length > 0 ? completed : measured).flatMap(({ measurement }) =>
    measurement === undefined ? [] : (metricValue(measurement, metric) ?? []),
  );
}

/**
 * Says of tests that are made together which of them cannot find any difference with the trials there are, however large,
 * once they are corrected for being several: the fewest trials on each side that could, or `undefined` where there are
 * enough or something else stands in the way. Same order.
 */
function findLackingTrials(tests: readonly TrialsTest[]): readonly (number | undefined)[] {
  // Corrected p-values rise with each of those they are made of, so that of these nothing can be below.
  const smallest = adjustHolm(
    tests.map(({ reference, other, reason }) =>
      reason === undefined ? smallestPValue(reference.length, other.length) : null,
    ),
  );
  const tested = tests.filter(({ reason }) => reason === undefined || isLack(reason)).length;
  return tests.map(({ reason }, index) => {
    const lacks = reason === undefined ? (smallest[index] ?? 1) > SIGNIFICANCE : isLack(reason);
    return lacks ? trialsNeeded(tested) : undefined;
  });
}

function isLack(reason: TrialsTest["reason"]): boolean {
  return reason === "SINGLE_TRIAL" || reason === "TOO_FEW_TRIALS";
}
