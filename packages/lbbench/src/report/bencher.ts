import type { Reporter } from "../plugin.js";
import type { TrialsSummary } from "../stats/trials.js";
import { benchmarkFigures, type BenchmarkFigures } from "./benchmark-figures.js";

/** A metric of Bencher: a value and, of several trials, what they span. */
interface Metric {
  readonly value: number;
  readonly lower_value?: number;
  readonly upper_value?: number;
}

const NANOSECONDS_PER_MS = 1_000_000;

/**
 * Writes `bencher.json` in Bencher Metric Format, for `bencher run --adapter json`: measures of each target at each level. `throughput`
 * (operations per second) and `latency` (nanoseconds) are those that Bencher has itself; `latency` is the median (p50). Beside them
 * `latency-mean` and `latency-p99`, in nanoseconds too, and `failed-share`, 0 to 1.
 */
export const bencherReporter: Reporter = {
  format: "bencher",
  render: (result) => {
    const benchmarks = benchmarkFigures(result).map((one) => [one.name, measuresOf(one)] as const);
    return [{ name: "bencher.json", content: `${JSON.stringify(Object.fromEntries(benchmarks), null, 2)}\n` }];
  },
};

function measuresOf({ throughput, p50, mean, p99, errors }: BenchmarkFigures): Readonly<Record<string, Metric>> {
  return {
    throughput: toMetric(throughput, 1),
    ...(p50 === undefined ? {} : { latency: toMetric(p50, NANOSECONDS_PER_MS) }),
    ...(mean === undefined ? {} : { "latency-mean": toMetric(mean, NANOSECONDS_PER_MS) }),
    ...(p99 === undefined ? {} : { "latency-p99": toMetric(p99, NANOSECONDS_PER_MS) }),
    ...(errors === undefined ? {} : { "failed-share": toMetric(errors, 1) }),
  };
}

function toMetric({ median, low, high, n }: TrialsSummary, factor: number): Metric {
  const scale = (value: number): number => Number((value * factor).toPrecision(12));
  return n < 2 ? { value: scale(median) } : { value: scale(median), lower_value: scale(low), upper_value: scale(high) };
}
