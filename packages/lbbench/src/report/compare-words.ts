import type { MarginComparison, UnknownReason } from "../judge/compare-by-margin.js";
import type { JudgedMetric } from "../judge/compare-metric.js";
import type { Margins } from "../judge/compare-scales.js";
import { describeReason } from "./comparison-reason.js";
import { formatChange, formatPercent, formatRate, formatTime } from "./format-number.js";

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
export function describeChange({ change, interval }: MarginComparison, words: MetricWords): string {
  if (change === null) {
    return "";
  }
  const bare = (value: number): string => words.change(value).replace(/ (%|points)$/, "");
  const between = interval === null ? "" : ` (${bare(interval.low)} to ${bare(interval.high)})`;
  return `${words.change(change)}${between}`;
}

/** `5 %`. */
export function describeMargin({ margin }: Pick<Margins, "margin">): string {
  return `${Number((margin * 100).toPrecision(6))} %`;
}

/** `0.1 points`. */
export function describeErrorMargin({ errorMargin }: Pick<Margins, "errorMargin">): string {
  return `${Number((errorMargin * 100).toPrecision(6))} points`;
}

/** Says in a few words why it is not known whether something is worse beyond a margin. */
export function describeUnknown(reason: UnknownReason | undefined): string {
  switch (reason) {
    case undefined:
    case "WITHIN_NOISE":
      return "the trials vary too much to say on which side of the margin it is, more of them narrow the interval";
    case "TOO_FEW_TRIALS":
      return "too few trials to be told from noise, --trials 5 is enough for up to six levels";
    case "OTHER_MACHINE":
      return "measured on another machine";
    case "OTHER_ENGINE":
      return "measured by another engine";
    case "OTHER_REQUEST":
      return "another request was sent";
    case "OTHER_LOAD":
      return "another load was sent";
    default:
      return describeReason(reason);
  }
}
