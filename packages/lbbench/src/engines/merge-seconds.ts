import type { TimelineSecond } from "../model/measurement.js";
import { decodeHistogram, mergeHistograms, percentileMs } from "../stats/histogram.js";
import { addCounts } from "./add-counts.js";
import type { SecondRecord } from "./record.js";

/** Makes one timeline of those of several generators, as long as the longest. */
export function mergeSeconds(
  timelines: readonly (readonly SecondRecord[])[],
  areUsersTold: boolean,
): readonly TimelineSecond[] {
  const length = Math.max(0, ...timelines.map((timeline) => timeline.length));
  return Array.from({ length }, (_, second) =>
    mergeSecond(
      second,
      timelines.flatMap((timeline) => timeline[second] ?? []),
      areUsersTold,
    ),
  );
}

/**
 * Makes one second of what several generators recorded in it: counts are added, histograms merged.
 *
 * @param parts of the generators that had not ended before; they keep histograms where there are several.
 */
export function mergeSecond(second: number, parts: readonly SecondRecord[], areUsersTold: boolean): TimelineSecond {
  const total = (value: (part: SecondRecord) => number): number => parts.reduce((sum, part) => sum + value(part), 0);
  return {
    second,
    sent: total((part) => part.sent),
    ok: total((part) => part.ok),
    failed: total((part) => part.failed),
    failures: addCounts(parts.map((part) => part.failures)),
    ...mergeLatency(parts),
    ...(areUsersTold ? { users: total((part) => part.users) } : {}),
  };
}

function mergeLatency(parts: readonly SecondRecord[]): Record<"p50" | "p90" | "p99" | "max", number | null> {
  const latencies = parts.flatMap((part) => part.latency ?? []);
  const [only] = latencies;
  if (only === undefined) return { p50: null, p90: null, p99: null, max: null };
  const { p50, p90, p99 } = only;
  if (latencies.length === 1) return { p50, p90, p99, max: only.max };
  const max = Math.max(...latencies.map((latency) => latency.max));
  const merged = mergeHistograms(latencies.map((latency) => decodeHistogram(latency.histogram ?? "")));
  const percentile = (percent: number): number => Math.min(percentileMs(merged, percent), max);
  return { p50: percentile(50), p90: percentile(90), p99: percentile(99), max };
}
