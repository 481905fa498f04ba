/** Words for single figures of comparisons, and for why two runs do not compare. */
import {
  intervalOf,
  type LevelJudgement,
  type MarginComparison,
  type Open,
  type TargetJudgement,
  type TestedComparison,
  verdictOf,
  worseOf,
} from "../judge/compare-targets.js";
import type { Difference, DifferenceCode } from "../judge/differences.js";
import { whyUntested, whyUntestedShort } from "../judge/findings.js";
import { speedMetric, type JudgedMetric, type Margins } from "../judge/metrics.js";
import { formatRecovery } from "../stats/faults.js";
import {
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatTenths,
  formatTime,
  countOf,
} from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { describeAmount, describeLoads } from "./describe-level.js";

/** How a metric is called in comparisons, and how its figures are printed. */
export interface MetricWords {
  readonly key: JudgedMetric;
  readonly label: string;
  /** The label with the unit. */
  readonly head: string;
  readonly name: string;
  readonly figure: (value: number) => string;
  /** The size of a change, without its unit. */
  readonly size: (size: number) => string;
  /** Behind a change. */
  readonly changeUnit: "" | " %" | " points";
}

/** A metric of a level, and how it compares. */
export interface ToldMetric {
  readonly words: MetricWords;
  readonly figures: MarginComparison;
}

/** `single`, or `old → new` where the two have different names. */
export function nameTarget({ reference, other }: Pick<TargetJudgement, "reference" | "other">): string {
  return reference === other ? other : `${reference} → ${other}`;
}

/** Whether any change has an interval. */
export function hasIntervals(targets: readonly TargetJudgement[]): boolean {
  return targets.some(({ levels }) => levels.flatMap(comparedAt).some(({ figures }) => intervalOf(figures) !== null));
}

/** Whether a difference is for the better or for the worse; of a draw there is none. */
export const TONES: ReadonlyMap<string, "good" | "bad"> = new Map([
  ["faster", "good"],
  ["fewer", "good"],
  ["slower", "bad"],
  ["more", "bad"],
]);

/** In the order in which they are listed. */
export const METRIC_WORDS: readonly MetricWords[] = (
  [
    ["throughput", "throughput", "Requests/s", "", formatRate, formatPercent, " %"],
    ["mean", "mean latency", "Mean", " (ms)", formatTime, formatPercent, " %"],
    ["p50", "p50", "p50", " (ms)", formatTime, formatPercent, " %"],
    ["p90", "p90", "p90", " (ms)", formatTime, formatPercent, " %"],
    ["p99", "p99", "p99", " (ms)", formatTime, formatPercent, " %"],
    ["errors", "failed requests", "Failed", " (%)", formatPercent, formatPercent, " points"],
    ["lost", "requests lost to faults", "Lost", "", formatTenths, formatTenths, ""],
    ["recovery", "recovery from faults", "Recovery", "", formatRecovery, formatDuration, ""],
  ] as const
).map(([key, name, label, unit, figure, size, changeUnit]) => {
  return { key, label, head: `${label}${unit}`, name, figure, size, changeUnit };
});

/** The metrics that a level was compared in. */
export function comparedAt(level: LevelJudgement): readonly ToldMetric[] {
  return METRIC_WORDS.flatMap((words) => {
    const figures = level[words.key];
    return figures === undefined ? [] : [{ words, figures }];
  });
}

/** The metrics that tell of a level: requests that failed only where there are some on either side, throughput where it was not what was asked for. */
export function metricsAt(level: LevelJudgement): readonly ToldMetric[] {
  const { reference, other } = level.errors;
  return comparedAt(level).filter(({ words: { key } }) => {
    if (key === "errors") return reference !== 0 || other !== 0;
    return key !== "throughput" || speedMetric(level.level) === "throughput";
  });
}

/** A change, with what bounds it. */
type Change = Pick<MarginComparison, "change"> & Partial<Pick<TestedComparison, "interval" | "atLeast">>;

/** `-12.4 % (-13.9 to -10.8)`, without brackets where there is no interval, or `at least -12.4 %`; empty without a change. */
export function describeChange(
  { change, interval = null, atLeast }: Change,
  { size, changeUnit }: Pick<MetricWords, "size" | "changeUnit">,
): string {
  if (change === null) return "";
  const signed = (one: number): string => `${one < 0 ? "-" : "+"}${size(Math.abs(one))}`;
  const told = `${signed(change)}${changeUnit}`;
  if (atLeast !== undefined) {
    const least = `at least ${signed(atLeast)}${changeUnit}`;
    return atLeast === change ? least : `${told} (${least})`;
  }
  return interval === null ? told : `${told} (${signed(interval.low)} to ${signed(interval.high)})`;
}

/** Says in a few words why nothing is known; of a finding in how many trials it is, where not in all. */
export function describeUnknown({ why, doubtful, trialsNeeded, canResume }: Open = { why: "WITHIN_NOISE" }): string {
  return whyUntested(why, { ...doubtful, trialsNeeded, canResume });
}

/** `faster`, `faster (5 of 6 trials)`, or with the reason `~ (noise)`: a level with too few trials, or with doubtful figures, is no draw. */
export function describeDifferenceWord(comparison: MarginComparison): string {
  const verdict = verdictOf(comparison);
  const { kept, open } = comparison;
  const notes = [
    ...(verdict === "~" ? [whyUntestedShort(open?.why ?? "WITHIN_NOISE")] : []),
    ...(kept === undefined ? [] : [`${kept.trials} of ${countOf(kept.of, "trial")}`]),
  ];
  return notes.length === 0 ? verdict : `${verdict} (${notes.join(", ")})`;
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
  "Change: of the median over the trials. In brackets: its 95 % confidence interval, from the trials of this level alone. " +
  "The test is stricter, because it is corrected for all that is compared. So `~` may stand beside an interval without 0.";

/**
 * Says of targets that are not worse how far that goes: their speed is judged over all levels together where these tell it, but for one
 * connection, which has nothing to share out. Nothing where it is judged at each level.
 */
export function describeReach(targets: readonly TargetJudgement[]): readonly string[] {
  const together = targets.filter(({ overall }) => overall !== undefined && overall.worse !== "unknown");
  const [least] = together.flatMap(({ overall }) => overall ?? []).toSorted((a, b) => a.levels - b.levels);
  if (least === undefined) return [];
  const isOpenAtOne = ({ level, throughput }: LevelJudgement): boolean =>
    level.connections === 1 && throughput.reference !== null && worseOf(throughput) === "unknown";
  const over = `${least.levels < least.of ? `${formatCount(least.levels)} of ` : ""}${countOf(least.of, "level")}`;
  return [
    `Speed is judged on average over ${over}.`,
    ...(together.some(({ levels }) => levels.some(isOpenAtOne)) ? ["With 1 connection it is not known."] : []),
  ];
}

/** Says what counts as worse. */
export function describeRule(margins: Margins, targets: readonly TargetJudgement[]): string {
  const hasFaults = targets.some(({ levels }) => levels.some(({ lost }) => lost !== undefined));
  const part = describeMargin(margins);
  return (
    `Worse: throughput lower or a latency higher by more than ${part}, ` +
    `or the share of failed requests higher by more than ${describeErrorMargin(margins)}` +
    `${hasFaults ? `; more than ${part} more requests lost to faults, or a recovery that takes longer by more than ${part} and 100 ms` : ""}.`
  );
}

/** What each difference means, after its place; `{}` is what differs. Those of a note are another sentence where it has one. */
const DIFFERENCES: Readonly<Record<DifferenceCode, string | { readonly prevents: string; readonly note: string }>> = {
  OTHER_MACHINE: "another machine: {}. Figures of one are no reference for another: measure both on the same.",
  OTHER_ENGINE: "another engine: {}. Measure both with the same one, set alike.",
  OTHER_REQUEST: { prevents: "another request: {}. Measure both with the same one.", note: "other credentials: {}." },
  OTHER_LOAD: { prevents: "another load: {}. Measure both in the same way.", note: "{}." },
  OTHER_SOFTWARE: "other software: {}. Part of a difference may be due to that.",
  OTHER_SERVER: "the target is set up in another way: {}.",
  TARGET_ONLY_IN_A: "in A alone. --target NAME=NAME says what to compare with that, or leaves it out.",
  TARGET_ONLY_IN_B: "in B alone.",
  LEVELS_ONLY_IN_A: "only A was measured at {}.",
  LEVELS_ONLY_IN_B: "only B was measured at {}.",
  BYTES_DIFFER: "other answers, or counted in another way: {}. Transfer rates do not compare.",
  IDENTICAL_FIGURES:
    "the latencies of B are those of A, digit for digit, though it is another run. One of them is a copy: measure it again.",
  NOT_TOLD: "not told, so that it is taken for alike: {}.",
  NOT_COMPLETE: "{} was interrupted: it may lack levels or trials.",
  SAME_RUN: "A and B are the same run.",
};

/** Says in what A and B differ besides their figures, and what that means. Each thing is said once, with all its targets; plain text, words as they came. */
export function describeDifferences(differences: readonly Difference[]): readonly string[] {
  return [...groupBy(differences, describeOne)].map(([sentence, those]) => {
    const targets = those.flatMap(({ target }) => target ?? []);
    return targets.length === 0 ? sentence : `${targets.join(", ")}: ${sentence}`;
  });
}

function describeOne({ code, effect, what = "", a, b, levels }: Difference): string {
  const value = (one: string | number | boolean): string => (typeof one === "number" ? formatCount(one) : String(one));
  const differs = a === undefined || b === undefined ? what : `${what} ${value(a)} in A, ${value(b)} in B`;
  const places = [...groupBy(levels ?? [], describeAmount)].map(
    ([amount, those]) => `${describeLoads(those)} (${amount})`,
  );
  const means = DIFFERENCES[code];
  return (typeof means === "string" ? means : means[effect]).replace("{}", () =>
    code.startsWith("LEVELS") ? places.join(", ") : differs,
  );
}
