import type { AdmissionCounts } from "./admission.js";
import type { DurationSummary } from "./durations.js";

/**
 * What a pool has done since its start, and what it is doing. At any moment
 *
 *     accepted = served + refused + abandoned + waiting + inService
 *
 * A request counts as soon as it has come whole. It is `served` when it was answered, with whatever status; `abandoned`
 * when its client went away before that: at once when it waited, and when its thread is done when it was in service.
 * Requests `outside` are not yet accepted; their clients may go away without being counted.
 */
export interface PoolStats extends AdmissionCounts {
  /** Threads that ended by themselves; each was replaced, and its request, if it had one, was answered with 500. */
  readonly threadsDied: number;
  /** From being accepted to the start of service, of all requests that came so far. */
  readonly timeInQueue: DurationSummary;
  /** From the start of service until the thread was done, of all requests that came so far. */
  readonly timeInService: DurationSummary;
}
