/** What a threshold may ask about. Latency is of `ok` responses. */
export type ThresholdMetric =
  | "throughput"
  | "errors"
  | "min"
  | "mean"
  | "p50"
  | "p66"
  | "p75"
  | "p80"
  | "p90"
  | "p95"
  | "p98"
  | "p99"
  | "p999"
  | "max";

/** A condition every step has to meet, as the user wrote it and as it is evaluated. */
export interface Threshold {
  /** The text it was parsed from: `p99<50ms`, `errors<1%`, `throughput>1000`. */
  readonly source: string;
  readonly metric: ThresholdMetric;
  readonly operator: "<" | "<=" | ">" | ">=";
  /** Milliseconds for latencies, a ratio from 0 to 1 for `errors`, ok responses per second for `throughput`. */
  readonly value: number;
}
