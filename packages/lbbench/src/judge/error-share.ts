import type { RequestCounts } from "../model/measurement.js";
import { failedRequests, finishedRequests } from "../stats/request-counts.js";

/** Returns which share (0 to 1) of the requests that came to an end failed; `null` when none came to an end. */
export function errorShare(requests: RequestCounts): number | null {
  const finished = finishedRequests(requests);
  return finished > 0 ? failedRequests(requests) / finished : null;
}
