import type { LevelJudgement, MarginComparison, UnknownReason } from "../judge/compare-targets.js";
import type { Difference } from "../judge/differences.js";
import type { JudgedMetric, Margins } from "../judge/metrics.js";
import { FEWEST_FOR_SPREAD } from "../stats/spread.js";
import { countOf } from "../stats/count-of.js";
import { groupBy } from "../stats/group-by.js";
import { describeAmount, describeLoads } from "./describe-level.js";
import { describeFinding } from "./finding-text.js";
import { formatChange, formatCount, formatPercent, formatRate, formatTime } from "../stats/format-number.js";

/** How a metric is called in comparisons, and how its figures are printed. */
export interface MetricWords {
  readonly key: JudgedMetric;
  /** In a table, with its unit. */
  readonly head: string;
  /** In a sentence. */
  readonly name: string;
  /** In a sentence, what a change for the worse and for the better is. */
  readonly worse: string;
  readonly better: string;
  readonly figure: (value: number) => string;
  readonly change: (change: number) => string;
}

const LATENCY = { figure: formatTime, change: formatChange } as const;

/** In the order in which they are listed. */
export const METRIC_WORDS: readonly MetricWords[] = [
  {
    key: "throughput",
    head: "Requests/s",
    name: "throughput",
    worse: "lower throughput",
    better: "higher throughput",
    figure: formatRate,
    change: formatChange,
  },
  { key: "p50", head: "p50 (ms)", name: "p50", worse: "higher p50", better: "lower p50", ...LATENCY },
  { key: "p99", head: "p99 (ms)", name: "p99", worse: "higher p99", better: "lower p99", ...LATENCY },
  {
    key: "errors",
    head: "Failed (%)",
    name: "failed requests",
    worse: "more failed requests",
    better: "fewer failed requests",
    figure: formatPercent,
    change: (points) => formatChange(points).replace(" %", " points"),
  },
];

/** `-12.4 % (-13.9 to -10.8)`, or without brackets where no test was possible; empty without a change. */
export function describeChange({ change, interval, atLeast }: MarginComparison, words: MetricWords): string {
  if (change === null) {
    return "";
  }
  if (atLeast !== undefined) return `${words.change(change)} (at least ${words.change(atLeast)})`;
  if (interval === null) return words.change(change);
  const [middle = "", low = "", high = ""] = alike([change, interval.low, interval.high]).map(words.change);
  const bare = (text: string): string => text.replace(/ (%|points)$/, "");
  return `${middle} (${bare(low)} to ${bare(high)})`;
}

/** To the tenth of a percent where any is as large, so that figures side by side have as many digits. */
function alike(changes: readonly number[]): readonly number[] {
  return changes.every((change) => Math.abs(change) < 0.001)
    ? changes
    : changes.map((change) => Math.round(change * 1000) / 1000);
}

/** Whether requests failed at a level, on either side. */
export function hasFailures({ errors }: LevelJudgement): boolean {
  return errors.reference !== 0 || errors.other !== 0;
}

/** `-4.0 % to -12.1 %`: the smaller change first; where some are up and some down, from the lowest to the highest. */
export function describeChangeRange(
  changes: readonly number[],
  format: (change: number) => string = formatChange,
): string {
  const sorted = changes.toSorted((a, b) => a - b);
  const ordered = sorted.every((change) => change <= 0) ? sorted.toReversed() : sorted;
  const [least, most] = [format(ordered[0] ?? 0), format(ordered.at(-1) ?? 0)];
  return least === most ? least : `${least} to ${most}`;
}

/** Why no difference is claimed, in as few words as a cell of a table has room for; else a finding leaves the figures in doubt. */
const IN_SHORT: ReadonlyMap<NonNullable<MarginComparison["reason"]>, string> = new Map([
  ["IDENTICAL_FIGURES", "a copy"],
  ["NOT_MEASURED", "not measured"],
  ["OTHER_ENGINE", "other engine"],
  ["OTHER_LOAD", "other load"],
  ["OTHER_MACHINE", "other machine"],
  ["OTHER_REQUEST", "other request"],
  ["SINGLE_TRIAL", "too few trials"],
  ["TARGET_DIED", "target died"],
  ["TOO_FEW_TRIALS", "too few trials"],
  ["WITHIN_NOISE", "noise"],
]);

/**
 * `faster`, `faster (5 of 6 trials)`, or `~ (noise)`: with the reason, as it is no draw where the trials are too few or the figures in
 * doubt, and with the trials that it rests on where some were left out.
 */
export function describeDifferenceWord(comparison: MarginComparison): string {
  const { verdict, reason, trialsNeeded } = comparison;
  const why = reason ?? (trialsNeeded === undefined ? "WITHIN_NOISE" : "TOO_FEW_TRIALS");
  const draw =
    why === "WITHIN_NOISE" && trialsNeeded !== undefined ? "too few trials" : (IN_SHORT.get(why) ?? "in doubt");
  const notes = [...(verdict === "~" ? [draw] : []), ...describeKept([comparison])];
  return notes.length === 0 ? verdict : `${verdict} (${notes.join(", ")})`;
}

/** `5 of 6 trials`, of the one of some comparisons that rests on the smallest part; nothing where no doubtful trial was left out. */
export function describeKept(comparisons: readonly MarginComparison[]): readonly string[] {
  const [least] = comparisons.flatMap(({ kept }) => kept ?? []).toSorted((a, b) => a.trials / a.of - b.trials / b.of);
  return least === undefined ? [] : [`${least.trials} of ${countOf(least.of, "trial")}`];
}

/** Says in a few words why no difference is claimed. */
export function describeDraw({ reason, ...lack }: MarginComparison): string {
  const isNoise = reason === undefined || reason === "WITHIN_NOISE";
  if (isNoise && lack.trialsNeeded === undefined) return "within the noise of the trials";
  return describeUnknown(isNoise ? "TOO_FEW_TRIALS" : reason, lack);
}

/** `5 %`. */
export function describeMargin({ margin }: Pick<Margins, "margin">): string {
  return `${Number((margin * 100).toPrecision(6))} %`;
}

/** `0.1 percentage points`. */
export function describeErrorMargin({ errorMargin }: Pick<Margins, "errorMargin">): string {
  return `${Number((errorMargin * 100).toPrecision(6))} percentage points`;
}

/** What the intervals of a comparison are, and why a verdict may seem to contradict one. */
export const INTERVAL_NOTE =
  "Change: of the median over the trials; in brackets the changes that the trials of this level alone do not contradict, with " +
  "95 % confidence. The difference is tested more strictly, corrected for the number of levels, so it may be ~ beside an interval without 0.";

/** Says what counts as worse. */
export function describeRule(margins: Margins): string {
  return (
    `Worse: throughput lower or a latency higher by more than ${describeMargin(margins)}, ` +
    `or the share of failed requests higher by more than ${describeErrorMargin(margins)}.`
  );
}

/** How many trials it takes, and whether they were planned, so that going on with the run gives them. */
interface TrialsLack {
  readonly trialsNeeded?: number;
  readonly canResume?: boolean;
}

/** Says in a few words why it is not known whether something is worse beyond a margin; `lack` as in `MarginComparison`. */
export function describeUnknown(
  reason: UnknownReason | undefined,
  // Fewer find only differences that nobody needs a test for.
  { trialsNeeded = FEWEST_FOR_SPREAD, canResume = false }: TrialsLack = {},
): string {
  const trials = canResume ? "go on with --resume" : `use --trials ${Math.max(trialsNeeded, FEWEST_FOR_SPREAD)}`;
  switch (reason) {
    case undefined:
    case "WITHIN_NOISE":
      return "the trials vary too much to say on which side of the margin it is, more of them narrow the interval";
    case "OTHER_MACHINE":
      return "measured on another machine";
    case "OTHER_ENGINE":
      return "measured by another engine";
    case "OTHER_REQUEST":
      return "another request was sent";
    case "OTHER_LOAD":
      return "another load was sent";
    case "IDENTICAL_FIGURES":
      return "one is a copy of the other";
    case "SINGLE_TRIAL":
      return `one trial cannot be told from noise, ${trials}`;
    case "TOO_FEW_TRIALS":
      return `too few trials${canResume ? " were measured" : ""}: a difference takes at least ${trialsNeeded} on each side here, ${trials}`;
    case "NOT_MEASURED":
      return "a side has no measurement";
    default: {
      const { title } = describeFinding({ code: reason, severity: "warning", args: {} });
      return `${title.charAt(0).toLowerCase()}${title.slice(1)} [${reason}]`;
    }
  }
}

/** Says in a sentence in what A and B differ beside their figures, and what that means; plain text, words as they came. */
export function describeDifference(difference: Difference): string {
  const { code, effect, target } = difference;
  const place = target === undefined || code.startsWith("TARGET") ? "" : `${target}: `;
  const what = describeWhat(difference);
  switch (code) {
    case "OTHER_MACHINE":
      return `${place}another machine: ${what}. Figures of one are no reference for another: measure both on the same.`;
    case "OTHER_ENGINE":
      return `${place}another engine: ${what}. Measure both with the same one, set alike.`;
    case "OTHER_REQUEST":
      return effect === "note"
        ? `${place}other credentials: ${what}.`
        : `${place}another request: ${what}. Measure both with the same one.`;
    case "OTHER_LOAD":
      return effect === "note" ? `${place}${what}.` : `${place}another load: ${what}. Measure both in the same way.`;
    case "OTHER_SOFTWARE":
      return `${place}other software: ${what}. Part of a difference may be due to that.`;
    case "OTHER_SERVER":
      return `${place}the target is set up in another way: ${what}.`;
    case "TARGET_ONLY_IN_A":
      return `${target} is a target of A alone; --target NAME=NAME says what to compare it with, or leaves it out.`;
    case "TARGET_ONLY_IN_B":
      return `${target} is a target of B alone.`;
    case "LEVELS_ONLY_IN_A":
    case "LEVELS_ONLY_IN_B":
      return `${place}only ${code.at(-1)} was measured at ${describeLevels(difference)}.`;
    case "BYTES_DIFFER":
      return `${place}other answers, or counted in another way: ${what}. Transfer rates do not compare.`;
    case "IDENTICAL_FIGURES":
      return `${place}the latencies of B are those of A, digit for digit, though it is another run: one of them is a copy. Measure it again.`;
    case "NOT_TOLD":
      return `not told, so that it is taken for alike: ${what}.`;
    case "NOT_COMPLETE":
      return `${what} was interrupted: it may lack levels or trials.`;
    case "SAME_RUN":
      return "A and B are the same run.";
  }
}

function describeWhat({ what = "", a, b }: Difference): string {
  return a === undefined || b === undefined ? what : `${what} ${describeValue(a)} in A, ${describeValue(b)} in B`;
}

function describeValue(value: string | number | boolean): string {
  return typeof value === "number" ? formatCount(value) : String(value);
}

function describeLevels({ levels = [] }: Difference): string {
  return [...groupBy(levels, describeAmount)]
    .map(([amount, those]) => `${describeLoads(those)} (${amount})`)
    .join(", ");
}
