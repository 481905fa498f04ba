import type { Measurement, TimelineSecond } from "../model/measurement.js";

/** A run of 10 s ends some milliseconds before they are over, since its first request takes a moment to leave. */
const TOLERANCE_MS = 50;

/**
 * Returns the seconds of a measurement that were not cut short by its end. A second in which nothing happened is there with zeros. Empty
 * where the engine does not tell seconds apart.
 */
export function wholeSeconds({
  elapsedMs,
  timeline,
}: Pick<Measurement, "elapsedMs" | "timeline">): readonly TimelineSecond[] {
  if (timeline.length === 0) return [];
  const told = new Map(timeline.map((one) => [one.second, one]));
  const length = Math.floor((elapsedMs + TOLERANCE_MS) / 1000);
  return Array.from(
    { length },
    (_, second) => told.get(second) ?? { second, sent: 0, ok: 0, failed: 0, p50: null, p99: null, max: null },
  );
}
