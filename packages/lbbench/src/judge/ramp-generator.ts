import type { StepResult } from "../model/result.js";
import { plateau } from "../stats/plateau.js";
import { finishedRequests } from "../stats/request-counts.js";
import { busyShare } from "./process-load.js";
import { GENERATOR_SATURATION } from "./saturation.js";

/**
 * Whether a generator was at its limit at some time of a ramp, or may have been. Its usage is known of the whole ramp alone; how
 * busy it was at the most is estimated in proportion to the requests that came to an end.
 */
export function mayHaveSaturatedGenerator({ usage, measurement }: Pick<StepResult, "usage" | "measurement">): boolean {
  if (usage === undefined || measurement === undefined || measurement.timeline.length === 0) return false;
  const { requests, elapsedMs, timeline } = measurement;
  const mean = (finishedRequests(requests) / elapsedMs) * 1000;
  const most = plateau(timeline.map(({ ok, failed }) => ok + failed));
  const busiest = Math.max(0, ...usage.generator.map(busyShare));
  return mean > 0 && busiest * Math.max(1, most / mean) >= GENERATOR_SATURATION;
}
