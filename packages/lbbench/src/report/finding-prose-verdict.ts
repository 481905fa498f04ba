import type { FindingCode } from "../model/finding.js";
import { inconclusiveSentence, worseSentence } from "./comparison-prose.js";
import type { FindingProse } from "./finding-figures.js";
import { noiseSentence } from "./mistake-sentences.js";

/** The words for findings about thresholds and comparisons. */
export const VERDICT_PROSE = {
  COMPARISON_INCONCLUSIVE: {
    title: "A comparison could not be judged",
    sentence: inconclusiveSentence,
    cause: "The trials are too few or differ too much, or another finding makes their figures doubtful.",
    remedy:
      "Use more --trials, or a longer --duration where the steps are short; fix the cause named above and run again.",
  },
  THRESHOLD_FAILED: {
    title: "A threshold was not met",
    sentence: (of) => `threshold ${of.text("threshold")} does not hold: ${of.metric("actual", "metric")}`,
    cause: "The target is slower, or fails more often, than was asked of it.",
    remedy: "Look for the bottleneck of that step, or set the threshold to what the target has to do.",
  },
  THRESHOLD_INCONCLUSIVE: {
    title: "A threshold could not be judged",
    sentence: (of) =>
      `threshold ${of.text("threshold")} cannot be judged because of ${of.text("because")}${
        of.has("actual") ? `; measured: ${of.metric("actual", "metric")}` : ""
      }`,
    cause: "Another finding of the same step says that the figure means less than it seems.",
    remedy: "Fix the cause named above and run again.",
  },
  WITHIN_NOISE: {
    title: "Differences within the noise",
    sentence: noiseSentence,
    cause: "The trials of each side differ from one another by as much, or are too few to show anything.",
    remedy:
      "Claim no difference; or find a smaller one by more --trials, a longer --duration, and with nothing else running.",
  },
  WORSE_THAN_REFERENCE: {
    title: "Worse than the reference",
    sentence: worseSentence,
    cause:
      "The target is slower than the reference, or fails more often, by more than the margin and than noise explains.",
    remedy: "Look for the bottleneck at that level, or set the margin to what the target may cost.",
  },
} satisfies Partial<Readonly<Record<FindingCode, FindingProse>>>;
