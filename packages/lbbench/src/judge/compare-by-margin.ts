import { median } from "../stats/descriptive.js";
import type { Range } from "../stats/descriptive.js";
import { adjustHolm } from "../stats/holm.js";
import { compareTrials, judgeDifference } from "../stats/trials.js";
import type { PreventingCode } from "./compare-difference.js";
import { changeInterval } from "./compare-interval.js";
import { testTrials } from "./compare-metric.js";
import type { JudgedMetric, MetricComparison, Sides, TrialsTest } from "./compare-metric.js";
import { SCALES } from "./compare-scales.js";
import type { Margins } from "./compare-scales.js";

/** Whether one side is worse than the other by more than a margin; `unknown`: the trials support neither answer. */
export type Answer = "yes" | "no" | "unknown";

/**
 * Why an answer is `unknown`: what `MetricComparison` gives for having no test; a difference between two results that
 * leaves them nothing to compare; or `WITHIN_NOISE`, when the trials vary too much to tell on which side of the margin
 * the change is.
 */
export type UnknownReason = NonNullable<MetricComparison["reason"]> | PreventingCode | "WITHIN_NOISE";

/** How one metric of one side compares with that of the reference, and with what a margin allows. */
export interface MarginComparison {
  /** Median over the trials: ok responses per second, ms, or a share from 0 to 1; `null` where there is none. */
  readonly reference: number | null;
  readonly other: number | null;
  /** Ratio of the medians less one; of `errors` their difference. `null` where there is none. */
  readonly change: number | null;
  /** Of the change, 95 % confidence; `null` where no test was possible. */
  readonly interval: Range | null;
  /** Of a difference at all: two-sided, corrected for the number of levels; `null` where no test was possible. */
  readonly pValue: number | null;
  /** Whether there is a difference at all; `fewer` and `more` of `errors` alone, `~` when it may be noise. */
  readonly verdict: "faster" | "slower" | "fewer" | "more" | "~";
  /** Whether the other side is worse by more than the margin. */
  readonly worse: Answer;
  /** Of a change just as large as the margin: two-sided, corrected for the number of levels. */
  readonly worsePValue: number | null;
  /** Why `worse` is `unknown`; absent otherwise. */
  readonly reason?: UnknownReason;
}

/**
 * Compares one metric of two sides over several levels, and with a margin. Same order as the levels.
 *
 * `worse` is decided as in trials of non-inferiority (Piaggio et al., "Reporting of noninferiority and equivalence
 * randomized trials", JAMA 308, 2012): `yes` when the whole interval of the change lies beyond the margin, `no` when
 * the whole interval lies short of it, else `unknown`.
 *
 * `yes` has to be significant as well when it is corrected for the number of levels (Holm), because one level is enough
 * to fail. `no` needs no correction, because it is asked of every level (Berger, "Multiparameter hypothesis testing and
 * acceptance sampling", Technometrics 24, 1982).
 *
 * @param prevented by what the two cannot be compared at all: then there are medians and changes, and no judgement.
 */
export function compareByMargin(
  metric: JudgedMetric,
  levels: readonly Sides[],
  margins: Margins,
  prevented?: PreventingCode,
): readonly MarginComparison[] {
  const tests = levels.map((sides) => testTrials(metric, sides));
  if (prevented !== undefined) {
    return tests.map((test) => unjudged(metric, test, prevented));
  }
  const tested = tests.filter(({ reason }) => reason === undefined).length;
  const pValues = adjustHolm(tests.map(({ pValue }) => pValue));
  const worsePValues = adjustHolm(tests.map((test) => marginPValue(metric, test, margins)));
  return tests.map((test, index) => {
    const [pValue, worsePValue] = [pValues[index] ?? null, worsePValues[index] ?? null];
    return test.reason === undefined
      ? judge(metric, test, { pValue, worsePValue, tested }, margins)
      : unjudged(metric, test, test.reason);
  });
}

interface Corrected {
  readonly pValue: number | null;
  readonly worsePValue: number | null;
  /** Levels that were tested together. */
  readonly tested: number;
}

function judge(metric: JudgedMetric, test: TrialsTest, corrected: Corrected, margins: Margins): MarginComparison {
  const { reference, other } = test;
  const { pValue, worsePValue, tested } = corrected;
  const figures = figuresOf(metric, test);
  const scale = SCALES[metric];
  const interval =
    figures.change === null ? undefined : changeInterval(scale, { reference, other, change: figures.change });
  const bound = scale.bound(margins);
  const moved = reference.map((value) => scale.apply(value, bound));
  const isSignificant = judgeDifference(moved, other, worsePValue) === scale.worse;
  const worse = interval === undefined ? "unknown" : placeInterval(interval, bound, scale.worse);
  const answer = worse === "yes" && !isSignificant ? "unknown" : worse;
  return {
    ...figures,
    interval: interval ?? null,
    pValue,
    verdict: wordFor(metric, judgeDifference(reference, other, pValue)),
    worse: answer,
    worsePValue,
    ...(answer === "unknown" ? { reason: canBeSignificant(test, tested) ? "WITHIN_NOISE" : "TOO_FEW_TRIALS" } : {}),
  };
}

function unjudged(metric: JudgedMetric, test: TrialsTest, reason: UnknownReason): MarginComparison {
  const nothing = { interval: null, pValue: null, verdict: "~", worse: "unknown", worsePValue: null } as const;
  return { ...figuresOf(metric, test), ...nothing, reason };
}

function figuresOf(metric: JudgedMetric, test: TrialsTest): Pick<MarginComparison, "reference" | "other" | "change"> {
  const [reference, other] = [test.reference, test.other].map((values) =>
    values.length === 0 ? null : median(values),
  );
  if (reference === undefined || other === undefined || reference === null || other === null) {
    return { reference: reference ?? null, other: other ?? null, change: null };
  }
  const change = SCALES[metric].between(reference, other);
  return { reference, other, change: Number.isFinite(change) ? change : null };
}

function marginPValue(metric: JudgedMetric, { reference, other, reason }: TrialsTest, margins: Margins): number | null {
  const scale = SCALES[metric];
  if (reason !== undefined) {
    return null;
  }
  const bound = scale.bound(margins);
  return compareTrials(
    reference.map((value) => scale.apply(value, bound)),
    other,
  ).pValue;
}

function placeInterval({ low, high }: Range, bound: number, worse: "higher" | "lower"): Answer {
  const [isAbove, isBelow] = [low > bound, high < bound];
  if (!isAbove && !isBelow) {
    return "unknown";
  }
  return isAbove === (worse === "higher") ? "yes" : "no";
}

/** Whether trials that lie wholly apart would be significant, corrected for the levels that are tested together. */
function canBeSignificant({ reference, other }: TrialsTest, tested: number): boolean {
  const low = reference.map((_, index) => index);
  const high = other.map((_, index) => reference.length + index);
  const { pValue } = compareTrials(low, high);
  return judgeDifference(low, high, pValue === null ? null : pValue * tested) !== "~";
}

function wordFor(metric: JudgedMetric, difference: "higher" | "lower" | "~"): MarginComparison["verdict"] {
  if (difference === "~") {
    return "~";
  }
  if (metric === "errors") {
    return difference === "higher" ? "more" : "fewer";
  }
  return difference === SCALES[metric].worse ? "slower" : "faster";
}
