import type { RequestCounts } from "../model/measurement.js";

/** Returns which share (0 to 1) of the requests that came to an end failed; `null` when none came to an end. */
export function errorShare({ sent, ok, inFlight }: RequestCounts): number | null {
  const finished = sent - inFlight;
  return finished > 0 ? (finished - ok) / finished : null;
}
