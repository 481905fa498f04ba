/** Who is served, who waits and who is refused, when there is more to do than can be done at once. */

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

/** Ways to refuse a request. */
export const REFUSALS = ["status", "close"] as const;

/** How a request is refused: with a status 503 and `Retry-After`, or by closing its connection without an answer. */
export type Refusal = (typeof REFUSALS)[number];

/** How much is served at once, how much may wait, and what happens to what is more. */
export interface AdmissionOptions {
  /** How many jobs are in service at most, at least 1. */
  readonly pool: number;
  /** How many jobs wait at most; 0 for no queue. */
  readonly queue: number;
  readonly policy: OverloadPolicy;
}

/** What follows from an event. The caller does it; the counts have it done. */
export interface Decision<Job> {
  /** Counts as accepted from now on. */
  readonly accept?: Job;
  /** Goes into service. */
  readonly start?: Job;
  /** Is told that there is no room. */
  readonly refuse?: Job;
}

/** Always `accepted = served + refused + abandoned + waiting + inService`. */
export interface AdmissionCounts {
  /** Jobs that came, without those outside. */
  readonly accepted: number;
  readonly served: number;
  readonly refused: number;
  /** Jobs that nobody wanted any more before they were done. */
  readonly abandoned: number;
  readonly waiting: number;
  readonly inService: number;
  /** The most that ever waited at once. */
  readonly longestQueue: number;
  /** Jobs that wait outside until there is room; never any under a policy that refuses. */
  readonly outside: number;
}

/** Decides who is served, who waits and who is refused. */
export interface Admission<Job> {
  /** A job comes. */
  readonly arrive: (job: Job) => Decision<Job>;
  /** A job in service is done. Throws when it is not in service. */
  readonly finish: (job: Job) => Decision<Job>;
  /**
   * Nobody wants the job any more. One that waits gives up its place. One in service keeps its thread until it is done,
   * and counts as abandoned then. One outside was never accepted, and one that is over is over: neither is counted.
   */
  readonly leave: (job: Job) => Decision<Job>;
  readonly counts: () => AdmissionCounts;
}

/** Makes a state machine that knows neither time nor requests; each event takes the same time however many wait. */
export function createAdmission<Job extends object>({ pool, queue, policy }: AdmissionOptions): Admission<Job> {
  const refuses = policy === "drop-tail" || policy === "drop-head";
  /** Jobs in service, and whether somebody still wants them. */
  const inService = new Map<Job, boolean>();
  const waiting = createFifo<Job>();
  const outside = createFifo<Job>();
  let [accepted, served, refused, abandoned, longestQueue] = [0, 0, 0, 0, 0];

  const hasRoom = (): boolean => inService.size < pool || waiting.size < queue;

  /** Takes a job for which there is room, or is about to be. */
  function take(job: Job): Decision<Job> {
    accepted += 1;
    if (inService.size < pool) {
      inService.set(job, true);
      return { accept: job, start: job };
    }
    waiting.push(job);
    longestQueue = Math.max(longestQueue, waiting.size);
    return { accept: job };
  }

  /** Fills the room that one job has left. */
  function refill(): Decision<Job> {
    const start = inService.size < pool ? waiting.shift() : undefined;
    if (start !== undefined) inService.set(start, true);
    const next = hasRoom() ? outside.shift() : undefined;
    return { ...(start === undefined ? {} : { start }), ...(next === undefined ? {} : take(next)) };
  }

  return {
    arrive(job) {
      if (hasRoom()) return take(job);
      if (!refuses) {
        outside.push(job);
        return {};
      }
      refused += 1;
      const oldest = policy === "drop-head" ? waiting.shift() : undefined;
      if (oldest !== undefined) return { ...take(job), refuse: oldest };
      accepted += 1;
      return { accept: job, refuse: job };
    },
    finish(job) {
      const wanted = inService.get(job);
      if (wanted === undefined) throw new Error("finish: expected a job in service, got one that is not.");
      inService.delete(job);
      if (wanted) served += 1;
      else abandoned += 1;
      return refill();
    },
    leave(job) {
      if (inService.has(job)) inService.set(job, false);
      else if (waiting.remove(job)) {
        abandoned += 1;
        return refill();
      } else outside.remove(job);
      return {};
    },
    counts: () => ({
      accepted,
      served,
      refused,
      abandoned,
      waiting: waiting.size,
      inService: inService.size,
      longestQueue,
      outside: outside.size,
    }),
  };
}
/** A queue from whose middle things can be taken; every operation takes the same time, however long the queue is. */
function createFifo<Item extends object>() {
  const items = new Set<Item>();
  // Kept from call to call: an iterator made anew walks over the places of all that has left since the set last
  // grew, which takes longer the longer the queue is. What this one has passed is always gone from the set, and it never
  // comes to an end, after which it would give nothing more, because it is not asked when the set is empty.
  const fromOldest = items.values();
  return {
    get size(): number {
      return items.size;
    },
    /** Puts something at the end, which must not be in the queue already. */
    push: (item: Item): void => void items.add(item),
    /** Takes the one that has been there longest; `undefined` when the queue is empty. */
    shift(): Item | undefined {
      const oldest = items.size === 0 ? undefined : fromOldest.next().value;
      if (oldest !== undefined) items.delete(oldest);
      return oldest;
    },
    /** Takes something out, wherever it stands; tells whether it was there. */
    remove: (item: Item): boolean => items.delete(item),
  };
}
