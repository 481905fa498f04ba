import type { RequestCounts } from "../model/measurement.js";

/** Returns how many requests came to an end, one way or another. */
export function finishedRequests({ sent, inFlight = 0 }: RequestCounts): number {
  return sent - inFlight;
}

/** Returns how many requests failed: all that came to an end and were not ok. */
export function failedRequests(requests: RequestCounts): number {
  return finishedRequests(requests) - requests.ok;
}
