import type { Range } from "../stats/descriptive.js";
import { compareTrials, judgeDifference } from "../stats/trials.js";
import { changeInterval } from "./compare-interval.js";
import type { TrialsTest } from "./compare-metric.js";
import type { Margins, Scale } from "./compare-scales.js";

/** Whether one side is worse than the other by more than a margin; `unknown`: the trials support neither answer. */
export type Answer = "yes" | "no" | "unknown";

/** Two sides, the change of their medians, and the p-value of a change just as large as the margin. */
interface MarginTest extends Pick<TrialsTest, "reference" | "other"> {
  readonly change: number | null;
  /** Corrected for the number of levels. */
  readonly worsePValue: number | null;
}

/** Returns the p-value of a change just as large as the margin, of this level alone; `null` where there is no test. */
export function marginPValue(scale: Scale, test: TrialsTest, margins: Margins): number | null {
  const { reference, other } = test.bound ?? test;
  const isTested = test.reason === undefined || test.bound !== undefined;
  return isTested ? compareTrials(allow(scale, reference, margins), other).pValue : null;
}

/** Says whether a side is worse by more than the margin: by the interval of its change, which `yes` needs the test to confirm. */
export function answerMargin(
  scale: Scale,
  { reference, other, change, worsePValue }: MarginTest,
  margins: Margins,
): { readonly interval: Range | null; readonly worse: Answer } {
  const interval = change === null ? undefined : changeInterval(scale, { reference, other, change });
  if (interval === undefined) return { interval: null, worse: "unknown" };
  const isSignificant = judgeDifference(allow(scale, reference, margins), other, worsePValue) === scale.worse;
  const worse = placeInterval(interval, scale.bound(margins), scale.worse);
  return { interval, worse: worse === "yes" && !isSignificant ? "unknown" : worse };
}

/** The reference after a change that is just allowed. */
function allow({ apply, bound }: Scale, reference: readonly number[], margins: Margins): readonly number[] {
  return reference.map((value) => apply(value, bound(margins)));
}

function placeInterval({ low, high }: Range, bound: number, worse: Scale["worse"]): Answer {
  const [isAbove, isBelow] = [low > bound, high < bound];
  if (!isAbove && !isBelow) {
    return "unknown";
  }
  return isAbove === (worse === "higher") ? "yes" : "no";
}
