import { median } from "../stats/descriptive.js";
import type { Range } from "../stats/descriptive.js";
import { adjustHolm } from "../stats/holm.js";
import { judgeDifference } from "../stats/trials.js";
import type { PreventingCode } from "./compare-difference.js";
import { testLevels } from "./compare-metric.js";
import type { BoundTest, KeptTrials, LevelTest, MetricComparison, Sides, TrialsTest } from "./compare-metric.js";
import type { JudgedMetric } from "./compare-scales.js";
import { SCALES, speedWord } from "./compare-scales.js";
import type { Margins } from "./compare-scales.js";
import { answerMargin, marginPValue, type Answer } from "./margin-answer.js";

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
  /**
   * Where the trials are too few for any difference to show at so many levels, and `verdict` is `~` therefore, or `worse`
   * is `unknown`: the fewest on each side that could.
   */
  readonly trialsNeeded?: number;
  /** Of the throughput: the change that is left when all is allowed for that makes it doubtful; only beside a difference. */
  readonly atLeast?: number;
  /** Present where doubtful trials were left out: of the side with the most of them. */
  readonly kept?: KeptTrials;
  /** Beside `trialsNeeded`, where as many trials were planned: the run was cut short, and can be gone on with. */
  readonly canResume?: true;
}

/** What a comparison depends on beside figures and margins. */
export interface MarginCircumstances {
  /** By what the two cannot be compared at all: then there are medians and changes, and no judgement. */
  readonly prevented?: PreventingCode;
  /** Trials that each side was to have; 0 by default. */
  readonly planned?: number;
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
 */
export function compareByMargin(
  metric: JudgedMetric,
  levels: readonly Sides[],
  margins: Margins,
  { prevented, planned = 0 }: MarginCircumstances = {},
): readonly MarginComparison[] {
  const tests = testLevels(metric, levels);
  if (prevented !== undefined) {
    return tests.map((test) => unjudged(metric, test, prevented));
  }
  const worsePValues = adjustHolm(tests.map((test) => marginPValue(SCALES[metric], test, margins)));
  return tests.map((test, index) => {
    const judged = { worsePValue: worsePValues[index] ?? null, margins, planned };
    const bound = test.bound === undefined ? undefined : judgeBound(metric, test, test.bound, judged);
    const comparison =
      bound ??
      (test.reason === undefined
        ? judge(metric, test, judged)
        : { ...unjudged(metric, test, test.reason), ...nameLack(test.lacking, planned) });
    return test.kept === undefined ? comparison : { ...comparison, kept: test.kept };
  });
}

/**
 * Judges by what is left of a difference when all is allowed for that makes it doubtful; `undefined` where nothing is. That a side is
 * faster even so says that it is no worse; that it is slower by less than the margin does not.
 */
function judgeBound(
  metric: JudgedMetric,
  test: LevelTest,
  bound: BoundTest,
  { worsePValue, margins }: JudgedBy,
): MarginComparison | undefined {
  const { reference, other, change: atLeast } = bound;
  const verdict = wordFor(metric, judgeDifference(reference, other, test.correctedPValue));
  if (verdict === "~") return undefined;
  const { worse } = answerMargin(SCALES[metric], { reference, other, change: atLeast, worsePValue }, margins);
  const isKnown = (worse === "no") === (verdict === "faster") && worse !== "unknown";
  return {
    ...figuresOf(metric, test),
    interval: null,
    pValue: test.correctedPValue,
    verdict,
    worse: isKnown ? worse : "unknown",
    worsePValue,
    atLeast,
    ...(isKnown || test.reason === undefined ? {} : { reason: test.reason }),
  };
}

interface JudgedBy {
  readonly worsePValue: number | null;
  readonly margins: Margins;
  readonly planned: number;
}

function judge(metric: JudgedMetric, test: LevelTest, { worsePValue, margins, planned }: JudgedBy): MarginComparison {
  const { reference, other, lacking } = test;
  const figures = figuresOf(metric, test);
  const { interval, worse } = answerMargin(SCALES[metric], { ...test, change: figures.change, worsePValue }, margins);
  const verdict = wordFor(metric, judgeDifference(reference, other, test.correctedPValue));
  return {
    ...figures,
    interval,
    pValue: test.correctedPValue,
    verdict,
    worse,
    worsePValue,
    ...(worse === "unknown" ? { reason: lacking === undefined ? "WITHIN_NOISE" : "TOO_FEW_TRIALS" } : {}),
    ...(worse === "unknown" || verdict === "~" ? nameLack(lacking, planned) : {}),
  };
}

function nameLack(
  trialsNeeded: number | undefined,
  planned: number,
): Pick<MarginComparison, "trialsNeeded" | "canResume"> {
  if (trialsNeeded === undefined) return {};
  return { trialsNeeded, ...(planned >= trialsNeeded ? { canResume: true } : {}) };
}

function unjudged(metric: JudgedMetric, test: TrialsTest, reason: UnknownReason): MarginComparison {
  const nothing = { interval: null, pValue: null, verdict: "~", worse: "unknown", worsePValue: null } as const;
  return { ...figuresOf(metric, test), ...nothing, reason };
}

function figuresOf(metric: JudgedMetric, test: TrialsTest): Pick<MarginComparison, "reference" | "other" | "change"> {
  const [reference = null, other = null] = [test.reference, test.other].map((values) =>
    values.length === 0 ? null : median(values),
  );
  if (reference === null || other === null) return { reference, other, change: null };
  const change = SCALES[metric].between(reference, other);
  return { reference, other, change: Number.isFinite(change) ? change : null };
}

function wordFor(metric: JudgedMetric, difference: "higher" | "lower" | "~"): MarginComparison["verdict"] {
  if (metric !== "errors") return speedWord(metric, difference);
  if (difference === "~") return "~";
  return difference === "higher" ? "more" : "fewer";
}
