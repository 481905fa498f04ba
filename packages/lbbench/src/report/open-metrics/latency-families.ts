import type { LatencySummary, Measurement, Phases, PhaseSummary } from "../../model/measurement.js";
import { inSeconds, measured, type Figure, type StepFamily } from "./step-family.js";

const QUANTILES: readonly (readonly [quantile: string, key: keyof LatencySummary])[] = [
  ["0.0", "min"],
  ["0.5", "p50"],
  ["0.66", "p66"],
  ["0.75", "p75"],
  ["0.8", "p80"],
  ["0.9", "p90"],
  ["0.95", "p95"],
  ["0.98", "p98"],
  ["0.99", "p99"],
  ["0.999", "p999"],
  ["1.0", "max"],
];
const PHASES: readonly (keyof Phases)[] = ["connect", "processing", "waiting", "total"];
const STATISTICS: readonly (keyof PhaseSummary)[] = ["min", "mean", "stddev", "median", "max"];

/** How long requests took, and where the time went. */
export const LATENCY_FAMILIES: readonly StepFamily[] = [
  ...latencyFamilies("lbbench_latency", "Latency of good answers", ({ latency }) => latency),
  ...latencyFamilies("lbbench_failed_latency", "Time to failure of requests that failed", (measurement) => {
    return measurement.failedLatency;
  }),
  {
    name: "lbbench_phase_seconds",
    type: "gauge",
    help: "Where the time of good answers went.",
    labels: ["phase", "statistic"],
    of: measured(({ phases }) =>
      PHASES.flatMap((phase) =>
        STATISTICS.map((statistic): Figure => [{ phase, statistic }, inSeconds(phases?.[phase][statistic])]),
      ),
    ),
  },
];

function latencyFamilies(
  name: string,
  what: string,
  of: (measurement: Measurement) => LatencySummary | undefined,
): readonly StepFamily[] {
  return [
    {
      name: `${name}_seconds`,
      type: "gauge",
      help: `${what}, by quantile: 0.0 is the shortest, 1.0 the longest.`,
      labels: ["quantile"],
      of: measured((measurement) =>
        QUANTILES.map(([quantile, key]) => [{ quantile }, inSeconds(of(measurement)?.[key])]),
      ),
    },
    {
      name: `${name}_mean_seconds`,
      type: "gauge",
      help: `${what}: mean.`,
      of: measured((measurement) => [[{}, inSeconds(of(measurement)?.mean)]]),
    },
    {
      name: `${name}_stddev_seconds`,
      type: "gauge",
      help: `${what}: standard deviation.`,
      of: measured((measurement) => [[{}, inSeconds(of(measurement)?.stddev)]]),
    },
  ];
}
