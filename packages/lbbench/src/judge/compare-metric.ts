import type { FindingCode } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import { adjustHolm } from "../stats/holm.js";
import { compareTrials, judgeDifference } from "../stats/trials.js";
import { doubtAbout } from "./doubtful-metrics.js";
import { metricValue } from "./metric-value.js";

/** A metric that targets are compared by. */
export type ComparedMetric = "throughput" | "p50" | "p99";

/** A metric that a comparison with a margin judges: beside those the share of requests that failed. */
export type JudgedMetric = ComparedMetric | "errors";

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
   * Why there was no test, with verdict `~`: the code of the finding that makes the metric doubtful, `SINGLE_TRIAL`, or
   * `TOO_FEW_TRIALS`. Absent when a test was made: then `~` means that the difference is within the noise.
   */
  readonly reason?: FindingCode | "TOO_FEW_TRIALS";
}

/** Compares one metric of two targets over several levels; p-values are corrected for their number. Same order. */
export function compareMetric(metric: ComparedMetric, levels: readonly Sides[]): readonly MetricComparison[] {
  const tests = levels.map((sides) => testTrials(metric, sides));
  const pValues = adjustHolm(tests.map(({ pValue }) => pValue));
  return tests.map(({ reference, other, change, reason }, index) => {
    const pValue = pValues[index] ?? null;
    const verdict = pValue === null ? "~" : verdictOf(metric, judgeDifference(reference, other, pValue));
    return { change, pValue, verdict, ...(reason === undefined ? {} : { reason }) };
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
}

/** Takes a metric from the trials of two targets at one level and tests it; no test where a trial makes it doubtful. */
export function testTrials(metric: JudgedMetric, sides: Sides): TrialsTest {
  const reference = valuesOf(sides.reference, metric);
  const other = valuesOf(sides.other, metric);
  const doubt = [...sides.reference, ...sides.other].map((step) => doubtAbout(metric, step)).find(Boolean);
  if (reference.length === 0 || other.length === 0) {
    return { reference, other, change: null, pValue: null, reason: doubt ?? "STEP_FAILED" };
  }
  const { change, pValue } = compareTrials(reference, other);
  const few = Math.min(reference.length, other.length) === 1 ? "SINGLE_TRIAL" : "TOO_FEW_TRIALS";
  const reason = doubt ?? (pValue === null ? few : undefined);
  return { reference, other, change, pValue: reason === undefined ? pValue : null, reason };
}

function verdictOf(metric: ComparedMetric, difference: "higher" | "lower" | "~"): MetricComparison["verdict"] {
  if (difference === "~") {
    return "~";
  }
  return (difference === "higher") === (metric === "throughput") ? "faster" : "slower";
}

function valuesOf(steps: readonly StepResult[], metric: JudgedMetric): readonly number[] {
  return steps.flatMap(({ measurement }) =>
    measurement === undefined ? [] : (metricValue(measurement, metric) ?? []),
  );
}
