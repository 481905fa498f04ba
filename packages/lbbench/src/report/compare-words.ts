/** Words for single figures of comparisons, and for why two runs do not compare. */
import type { LevelJudgement, MarginComparison, TargetJudgement, UnknownReason } from "../judge/compare-targets.js";
import type { Difference, DifferenceCode } from "../judge/differences.js";
import { speedMetric, type JudgedMetric, type Margins } from "../judge/metrics.js";
import type { FindingCode } from "../model/finding.js";
import { FEWEST_FOR_SPREAD } from "../stats/spread.js";
import { countOf } from "../stats/count-of.js";
import { formatRecovery } from "../stats/faults.js";
import {
  formatChange,
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatTenths,
  formatTime,
} from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { describeAmount, describeLoads } from "./describe-level.js";
import { describeFinding } from "./finding-text.js";

/** How a metric is called in comparisons, and how its figures are printed. */
export interface MetricWords {
  readonly key: JudgedMetric;
  readonly head: string;
  readonly name: string;
  /** In a sentence, what a change for the worse and for the better is. */
  readonly worse: string;
  readonly better: string;
  readonly figure: (value: number) => string;
  /** Behind a figure in a sentence; empty where it has one. */
  readonly unit: string;
  readonly change: (change: number) => string;
}

/** A metric of a level, and how it compares. */
export interface ToldMetric {
  readonly words: MetricWords;
  readonly figures: MarginComparison;
}

/** Whether a difference is for the better or for the worse; of a draw there is none. */
export const TONES: ReadonlyMap<MarginComparison["verdict"], "good" | "bad"> = new Map([
  ["faster", "good"],
  ["fewer", "good"],
  ["slower", "bad"],
  ["more", "bad"],
]);

/** Formats a change of a share as `+1.2 points`. */
export const formatPoints = (points: number): string => formatChange(points).replace(" %", " points");

const signed =
  (format: (size: number) => string): MetricWords["change"] =>
  (change) =>
    `${change < 0 ? "-" : "+"}${format(Math.abs(change))}`;

/** In the order in which they are listed. */
export const METRIC_WORDS: readonly MetricWords[] = (
  [
    ["throughput", "throughput", "lower", "higher", "Requests/s", "requests/s", formatRate, formatChange],
    ["mean", "mean latency", "higher", "lower", "Mean (ms)", "ms", formatTime, formatChange],
    ["p50", "p50", "higher", "lower", "p50 (ms)", "ms", formatTime, formatChange],
    ["p90", "p90", "higher", "lower", "p90 (ms)", "ms", formatTime, formatChange],
    ["p99", "p99", "higher", "lower", "p99 (ms)", "ms", formatTime, formatChange],
    ["errors", "failed requests", "more", "fewer", "Failed (%)", "%", formatPercent, formatPoints],
    ["lost", "requests lost to faults", "more", "fewer", "Lost", "", formatTenths, signed(formatTenths)],
    ["recovery", "recovery from faults", "slower", "faster", "Recovery", "", formatRecovery, signed(formatDuration)],
  ] as const
).map(([key, name, worse, better, head, unit, figure, change]) => {
  return { key, name, worse: `${worse} ${name}`, better: `${better} ${name}`, head, unit, figure, change };
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
  const silent = new Set<JudgedMetric>([
    ...(reference === 0 && other === 0 ? ["errors" as const] : []),
    ...(speedMetric(level.level) === "throughput" ? [] : ["throughput" as const]),
  ]);
  return comparedAt(level).filter(({ words: { key } }) => !silent.has(key));
}

/** `-12.4 % (-13.9 to -10.8)`, or without brackets where no test was possible; empty without a change. */
export function describeChange({ change, interval, atLeast }: MarginComparison, words: MetricWords): string {
  if (change === null) return "";
  if (atLeast !== undefined) return `${words.change(change)} (at least ${words.change(atLeast)})`;
  if (interval === null) return words.change(change);
  const [low = "", high = ""] = [interval.low, interval.high].map((one) =>
    words.change(one).replace(/ (%|points)$/, ""),
  );
  return `${words.change(change)} (${low} to ${high})`;
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

/** How many trials it takes, and whether they were planned, so that going on with the run gives them. */
type TrialsLack = Pick<MarginComparison, "trialsNeeded" | "canResume">;

/** Why nothing is claimed: for a cell of a table, and for a sentence. Any other reason is a finding that leaves the figures in doubt. */
const REASONS = new Map<UnknownReason, readonly [short: string, long: (lack: TrialsLack) => string]>([
  ["WITHIN_NOISE", ["noise", () => "the trials vary too much to say on which side of the margin it is"]],
  [
    "OTHER_SESSION",
    ["noise", () => "two runs of the same target may differ as much; as targets of one run they can be told apart"],
  ],
  ["OTHER_MACHINE", ["other machine", () => "measured on another machine"]],
  ["OTHER_ENGINE", ["other engine", () => "measured by another engine"]],
  ["OTHER_REQUEST", ["other request", () => "another request was sent"]],
  ["OTHER_LOAD", ["other load", () => "another load was sent"]],
  ["IDENTICAL_FIGURES", ["a copy", () => "one is a copy of the other"]],
  ["NOT_MEASURED", ["not measured", () => "a side has no measurement"]],
  ["SINGLE_TRIAL", ["too few trials", (lack) => `one trial cannot be told from noise, ${adviseTrials(lack)}`]],
  [
    "TOO_FEW_TRIALS",
    [
      "too few trials",
      (lack) =>
        `too few trials: a difference takes ${lack.trialsNeeded ?? FEWEST_FOR_SPREAD} on each side, ${adviseTrials(lack)}`,
    ],
  ],
]);

function adviseTrials({ trialsNeeded = 0, canResume }: TrialsLack): string {
  return canResume ? "go on with --resume" : `use --trials ${Math.max(trialsNeeded, FEWEST_FOR_SPREAD)}`;
}

/** Says in a few words why it is not known whether something is worse beyond a margin; of a finding in how many trials, where not in all. */
export function describeUnknown(
  reason: UnknownReason = "WITHIN_NOISE",
  lack: TrialsLack & Pick<MarginComparison, "doubtful"> = {},
): string {
  const [, long] = REASONS.get(reason) ?? [];
  if (long !== undefined) return long(lack);
  const { title } = describeFinding({ code: reason as FindingCode, severity: "warning", args: {} });
  const { trials, of } = lack.doubtful ?? { trials: 1, of: 1 };
  const where = trials < of ? ` in ${trials} of ${countOf(of, "trial")}` : "";
  return `${title.charAt(0).toLowerCase()}${title.slice(1)}${where} [${reason}]`;
}

/** Why no difference is claimed; without a reason the trials were too few, or do not tell. */
function drawReason({ reason, trialsNeeded }: MarginComparison): UnknownReason {
  const isNoise = reason === undefined || reason === "WITHIN_NOISE";
  if (!isNoise) return reason;
  return trialsNeeded === undefined ? "WITHIN_NOISE" : "TOO_FEW_TRIALS";
}

/** Says in a few words why no difference is claimed. */
export function describeDraw(comparison: MarginComparison): string {
  const reason = drawReason(comparison);
  return reason === "WITHIN_NOISE" ? "within the noise of the trials" : describeUnknown(reason, comparison);
}

/** `faster`, `faster (5 of 6 trials)`, or with the reason `~ (noise)`: a level with too few trials, or with doubtful figures, is no draw. */
export function describeDifferenceWord(comparison: MarginComparison): string {
  const { verdict } = comparison;
  const [draw = "in doubt"] = REASONS.get(drawReason(comparison)) ?? [];
  const notes = [...(verdict === "~" ? [draw] : []), ...describeKept([comparison])];
  return notes.length === 0 ? verdict : `${verdict} (${notes.join(", ")})`;
}

/** `5 of 6 trials`, of the one of some comparisons that rests on the smallest part; nothing where no doubtful trial was left out. */
export function describeKept(comparisons: readonly MarginComparison[]): readonly string[] {
  const [least] = comparisons.flatMap(({ kept }) => kept ?? []).toSorted((a, b) => a.trials / a.of - b.trials / b.of);
  return least === undefined ? [] : [`${least.trials} of ${countOf(least.of, "trial")}`];
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
  TARGET_ONLY_IN_A: "this target is in A alone. --target NAME=NAME says what to compare it with, or leaves it out.",
  TARGET_ONLY_IN_B: "this target is in B alone.",
  LEVELS_ONLY_IN_A: "only A was measured at {}.",
  LEVELS_ONLY_IN_B: "only B was measured at {}.",
  BYTES_DIFFER: "other answers, or counted in another way: {}. Transfer rates do not compare.",
  IDENTICAL_FIGURES:
    "the latencies of B are those of A, digit for digit, though it is another run. One of them is a copy: measure it again.",
  NOT_TOLD: "not told, so that it is taken for alike: {}.",
  NOT_COMPLETE: "{} was interrupted: it may lack levels or trials.",
  SAME_RUN: "A and B are the same run.",
};

/** Says in a sentence in what A and B differ beside their figures, and what that means; plain text, words as they came. */
export function describeDifference({ code, effect, target, what = "", a, b, levels }: Difference): string {
  const value = (one: string | number | boolean): string => (typeof one === "number" ? formatCount(one) : String(one));
  const differs = a === undefined || b === undefined ? what : `${what} ${value(a)} in A, ${value(b)} in B`;
  const places = [...groupBy(levels ?? [], describeAmount)].map(
    ([amount, those]) => `${describeLoads(those)} (${amount})`,
  );
  const means = DIFFERENCES[code];
  const sentence = (typeof means === "string" ? means : means[effect]).replace("{}", () =>
    code.startsWith("LEVELS") ? places.join(", ") : differs,
  );
  return target === undefined ? sentence : `${target}: ${sentence}`;
}
