import { perSecond } from "../stats/ramp-seconds.js";
import { medianLatency, medianOf, type TargetRamp } from "./cells.js";
import { formatCount, formatRate, formatTime } from "./format-number.js";
import { countOf } from "../stats/count-of.js";

/** Says what a ramp came to: throughput on average and in its best second, latency of the whole; plain text. */
export function describeRampPeak({ cell, seconds }: TargetRamp): string {
  const throughput = medianOf(cell, (measurement) => measurement.throughput) ?? 0;
  const [first, ...others] = seconds;
  if (throughput === 0 || first === undefined) return `${cell.target}: no request was answered as expected`;
  const best = others.reduce((a, b) => (perSecond(b, b.ok) > perSecond(a, a.ok) ? b : a), first);
  const [p50, p90, p99] = (["p50", "p90", "p99"] as const).map((key) => medianLatency(cell, key));
  const latency = [
    ["p50", p50],
    ["p90", p90],
    ["p99", p99],
  ].flatMap(([name, ms]) => (typeof ms === "number" ? [`${name} ${formatTime(ms)} ms`] : []));
  const peak = `at most ${formatRate(perSecond(best, best.ok))} in one (second ${formatCount(best.second)}, ${countOf(best.users, "user")})`;
  const course = `${cell.target}: ${formatRate(throughput)} ok responses per second on average, ${peak}`;
  return latency.length === 0 ? course : `${course}; ${latency.join(", ")}`;
}
