/** Names of the overload policies. */
export const OVERLOAD_POLICIES = ["block", "drop-tail", "drop-head", "simple"] as const;

/**
 * What happens to a request that finds all threads busy and the queue full:
 *
 * - `block`: it waits outside, in order of arrival, and is taken when there is room; none is refused.
 * - `drop-tail`: it is refused.
 * - `drop-head`: the one that has waited longest is refused, and the newcomer goes to the end of the queue; without a
 *   queue the newcomer is refused.
 * - `simple`: as `block`, with one thread and no queue: one request at a time.
 */
export type OverloadPolicy = (typeof OVERLOAD_POLICIES)[number];
