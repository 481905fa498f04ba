import type { FindingCode } from "../model/finding.js";
import { describeMiss } from "./describe-search.js";
import { noiseSentence } from "./figures-prose.js";
import { countThings, type Figures, type FindingProse } from "./finding-figures.js";

/** The words for findings about runs and steps that did not go to their end. */
export const RUN_PROSE = {
  INTERRUPTED: {
    title: "Interrupted",
    sentence: () => "the measurement was interrupted and holds what was counted until then",
    cause: "The run was stopped from outside, by Ctrl-C or by its caller.",
    remedy: "Repeat the run if the missing part matters.",
  },
  START_REPEATED: {
    title: "The target had to be started once more",
    sentence: (of) => `the target had to be started once more: ${withoutFullStop(of.text("message"))}`,
    cause: "The target ended by itself, was not yet free to start again, or wants the port of another target.",
    remedy: "Read the message. If this happens often, run the target alone and find out why it does not start.",
  },
  STEP_FAILED: {
    title: "The step failed",
    sentence: (of) => `the step failed with ${of.text("code")}: ${withoutFullStop(of.text("message"))}`,
    cause: "The message says what was expected and what came.",
    remedy: "Correct what the message names and run again.",
  },
  STOPPED_EARLY: {
    title: "Not all levels were measured",
    sentence: (of) =>
      `${of.count("skipped")} higher ${of.text("skipped") === "1" ? "level was" : "levels were"} not measured, because the stop rule ${of.text("rule")} was met (${of.metric("actual", "metric")})`,
    cause: "The target was at its limit, and the sweep was asked to go no further where that shows.",
    remedy: "Nothing, if that is far enough; else leave out --stop-on, or allow more with it.",
  },
  TARGET_DIED: {
    title: "The target died",
    sentence: (of) =>
      `the target ended while it was measured${
        of.has("atUsers") ? `, in second ${of.count("second")} with ${countThings(of, "atUsers", "user")}` : ""
      }: ${withoutFullStop(of.text("message"))}`,
    cause: "The target crashed, ran out of memory, or was stopped by something else.",
    remedy: "Read the output above and the target's log; find the level it survives with fewer connections.",
  },
} satisfies Partial<Readonly<Record<FindingCode, FindingProse>>>;

function withoutFullStop(message: string): string {
  return message.trimEnd().replace(/\.$/, "");
}

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

/** The words for findings about what a search found. */
export const SEARCH_PROSE = {
  LIMIT_DOUBTFUL: {
    title: "The limit may not be the target's",
    sentence: (of) => `${missOf(of)}, but ${of.text("doubt")} says that the figure means less than it seems`,
    cause: "The load generator or the machine was at its limit as well, and what it did to the target cannot be told.",
    remedy: "Fix its cause (more --generators, another machine), then search again.",
  },
  LIMIT_FOUND: {
    title: "The limit was found",
    sentence: (of) => `the largest load that held; at ${of.count("broken")}, ${missOf(of)}`,
    cause: "The search went up until a level did not hold, then halved the way between.",
    remedy: "Nothing.",
  },
  LIMIT_NOT_FOUND: {
    title: "The limit was not found",
    sentence: (of) => NOT_FOUND.get(of.text("reason"))?.(of) ?? `the search ended: ${of.text("reason")}`,
    cause: "The target holds more than was tried, the numbers of a level do not decide, or the search was cut short.",
    remedy: (of) => FIND.get(of.text("reason")) ?? "Raise --most, or go on with --resume.",
  },
  NOTHING_HELD: {
    title: "Not even the smallest load held",
    sentence: (of) => `not even this held: ${missOf(of)}`,
    cause: "The threshold asks for more than the target does at rest, or the target does not work.",
    remedy: "Request the URL once by hand, then set the thresholds to what the target has to do.",
  },
} satisfies Partial<Readonly<Record<FindingCode, FindingProse>>>;

function missOf(of: Figures): string {
  return describeMiss(of.text("because"));
}

const NOT_FOUND: ReadonlyMap<string, (of: Figures) => string> = new Map([
  ["unbounded", () => "the largest load that was tried held, so the limit is above it"],
  ["unclear", (of: Figures) => `it cannot be said whether this held, because of ${of.text("because")}`],
  ["unfinished", () => "the search was cut short here"],
]);

/** What to do to find it all the same. */
const FIND: ReadonlyMap<string, string> = new Map([
  ["unbounded", "Raise --most to find it."],
  ["unclear", "Fix the cause named above, then search again."],
  ["unfinished", "Go on with --resume."],
]);

/** By metric, what a change for the worse is. */
const WORSE: ReadonlyMap<string, (size: string) => string> = new Map([
  ["throughput", (size: string) => `throughput is ${size} % lower`],
  ["p50", (size: string) => `p50 is ${size} % higher`],
  ["p99", (size: string) => `p99 is ${size} % higher`],
  ["errors", (size: string) => `the share of failed requests is ${size} points higher`],
]);

/** Says by how much a target is worse than the reference, and how much it might be: the sentence of `WORSE_THAN_REFERENCE`. */
function worseSentence(of: Figures): string {
  const metric = of.text("metric");
  if (metric === "deaths") {
    return `it died in ${of.count("died")} of ${of.count("trials")} trials, ${of.text("reference")} in none`;
  }
  const what = WORSE.get(metric)?.(of.size("change")) ?? `${metric} is worse`;
  // Of less throughput the smaller change is the higher one.
  const [from, to] = metric === "throughput" ? (["high", "low"] as const) : (["low", "high"] as const);
  const interval = of.has("low") ? ` (95 % interval ${of.size(from)} to ${of.size(to)})` : "";
  const worst = of.text("levels").includes(",") ? "at worst " : "";
  const unit = metric === "errors" ? "points" : "%";
  return `${worst}${what} than that of ${of.text("reference")}${interval}, where the margin allows ${margin(of)} ${unit}`;
}

/** Says why it is not known whether a target is worse: the sentence of `COMPARISON_INCONCLUSIVE`. */
function inconclusiveSentence(of: Figures): string {
  const asked = `whether it is worse than ${of.text("reference")} by more than ${margin(of)} %`;
  switch (of.text("because")) {
    case "SINGLE_TRIAL":
    case "TOO_FEW_TRIALS": {
      if (of.has("planned")) {
        return `too few of the ${of.count("planned")} trials were measured (--resume goes on) to tell ${asked}`;
      }
      const least = of.has("trialsNeeded") ? ` (what is compared takes at least ${of.count("trialsNeeded")})` : "";
      return `too few trials${least} to tell ${asked}`;
    }
    case "WITHIN_NOISE":
      return `the trials vary too much to tell ${asked}`;
    case "NOT_MEASURED":
      return `a side has no measurement to tell ${asked}`;
    default:
      return `because of ${of.text("because")} it cannot be told ${asked}`;
  }
}

/** As it was given: `5`, not `5.0`. */
function margin(of: Figures): string {
  return of.size("margin").replace(/\.0$/, "");
}
