import type { TrialsComparison } from "../stats/trials.js";

/** A metric that targets are compared by. */
export type ComparedMetric = "throughput" | "p50" | "p99";

/** A metric that a comparison with a margin judges: beside those the share of requests that failed. */
export type JudgedMetric = ComparedMetric | "errors";

/** How much worse may be. */
export interface Margins {
  /** Part of throughput, p50 and p99, 0 to 1: 0.05 allows 5 % less throughput and 5 % more latency. */
  readonly margin: number;
  /** How much the share of failed requests may rise, 0 to 1: 0.001 allows 0.1 of a percentage point. */
  readonly errorMargin: number;
}

/** What a change of a metric is, and which one is for the worse. */
export interface Scale {
  readonly worse: "higher" | "lower";
  /** The change that is just allowed. */
  readonly bound: (margins: Margins) => number;
  /** What a value is after a change. */
  readonly apply: (value: number, change: number) => number;
  /** The change that makes the first value the second; not finite where there is none. */
  readonly between: (from: number, to: number) => number;
}

const RATIO: Pick<Scale, "apply" | "between"> = {
  apply: (value, change) => value * (1 + change),
  between: (from, to) => to / from - 1,
};

const LATENCY: Scale = { ...RATIO, worse: "higher", bound: ({ margin }) => margin };

/** Changes are ratios less one; those of `errors` differences, because the share of a good reference is 0. */
export const SCALES: Readonly<Record<JudgedMetric, Scale>> = {
  throughput: { ...RATIO, worse: "lower", bound: ({ margin }) => -margin },
  p50: LATENCY,
  p99: LATENCY,
  errors: {
    worse: "higher",
    bound: ({ errorMargin }) => errorMargin,
    apply: (value, change) => value + change,
    between: (from, to) => to - from,
  },
};

/** Says of a difference of a metric which side it is for: `faster` is more throughput, or less latency. */
export function speedWord(metric: ComparedMetric, difference: TrialsComparison["verdict"]): "faster" | "slower" | "~" {
  if (difference === "~") return "~";
  return difference === SCALES[metric].worse ? "slower" : "faster";
}
