/** Which requests are served, wait or are refused, if there are more than can be served at once. */
import { type OVERLOAD_POLICIES, POOL_DEFAULTS, type REFUSALS } from "./defaults.js";

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

/** How a request is refused: with a status 503 and `Retry-After`, or by closing its connection without an answer. */
export type Refusal = (typeof REFUSALS)[number];

/** How much is served at once, how much may wait, and what happens to the rest. */
export interface AdmissionOptions {
  /** Number of threads, from 1 to 256; 4 by default. */
  readonly pool: number;
  /** Number of requests that may wait for a thread, from 0 to a million; 10 by default. */
  readonly queue: number;
  /** What happens to a request that finds all threads busy and the queue full; `drop-tail` by default. */
  readonly policy: OverloadPolicy;
}

/** Threads and places in the queue, and what of them does not go with the policy. */
interface Room extends Pick<AdmissionOptions, "pool" | "queue"> {
  readonly fault?: { readonly option: "pool" | "queue"; readonly message: string };
}

/** Fills in what is usual under a policy, and says what does not go with it: `simple` has one thread and no queue. */
export function completeRoom(
  policy: OverloadPolicy,
  given: { readonly pool?: number | undefined; readonly queue?: number | undefined },
): Room {
  const usual = policy === "simple" ? { pool: 1, queue: 0 } : POOL_DEFAULTS;
  const room = { pool: given.pool ?? usual.pool, queue: given.queue ?? usual.queue };
  const option = (["pool", "queue"] as const).find((one) => policy === "simple" && room[one] !== usual[one]);
  if (option === undefined) return room;
  const message =
    `expected ${usual[option]} with the policy "simple", which serves one request at a time, got ${room[option]}. ` +
    `Leave ${option} out, or choose another policy`;
  return { ...room, fault: { option, message } };
}

/** Always `accepted = served + refused + abandoned + waiting + inService`. */
export interface AdmissionCounts {
  readonly accepted: number;
  readonly served: number;
  readonly refused: number;
  /** Jobs that were given up before they were done. */
  readonly abandoned: number;
  readonly waiting: number;
  readonly inService: number;
  /** The most that ever waited at once. */
  readonly longestQueue: number;
  /** Jobs that wait outside until there is room; never any under a policy that refuses. */
  readonly outside: number;
}

/**
 * Makes a state machine that knows neither time nor requests; each event takes the same time however many wait. It tells of a job that
 * counts as accepted from now on, of one that goes into service, and of one for which there is no room.
 */
export function createAdmission<Job extends object>(
  { pool, queue, policy }: AdmissionOptions,
  { accept, start, refuse }: Readonly<Record<"accept" | "start" | "refuse", (job: Job) => void>>,
) {
  /** Jobs in service, and whether they are still wanted. */
  const inService = new Map<Job, boolean>();
  const waiting = createFifo<Job>();
  const outside = createFifo<Job>();
  let [accepted, served, refused, abandoned, longestQueue] = [0, 0, 0, 0, 0];

  const hasRoom = (): boolean => inService.size < pool || waiting.size < queue;

  function serve(job: Job): void {
    inService.set(job, true);
    start(job);
  }

  function take(job: Job): void {
    accepted += 1;
    accept(job);
    if (inService.size < pool) return serve(job);
    waiting.push(job);
    longestQueue = Math.max(longestQueue, waiting.size);
  }

  function refill(): void {
    const next = inService.size < pool ? waiting.shift() : undefined;
    if (next !== undefined) serve(next);
    const newcomer = hasRoom() ? outside.shift() : undefined;
    if (newcomer !== undefined) take(newcomer);
  }

  return {
    arrive(job: Job): void {
      if (hasRoom()) return take(job);
      if (policy === "block" || policy === "simple") return outside.push(job);
      refused += 1;
      const oldest = policy === "drop-head" ? waiting.shift() : undefined;
      if (oldest === undefined) {
        accepted += 1;
        accept(job);
      } else take(job);
      refuse(oldest ?? job);
    },
    /** A job in service is done. Throws when it is not in service. */
    finish(job: Job): void {
      const wanted = inService.get(job);
      if (wanted === undefined) throw new Error("finish: expected a job in service, got one that is not.");
      inService.delete(job);
      if (wanted) served += 1;
      else abandoned += 1;
      refill();
    },
    /** The job is given up. One in service keeps its thread until it is done; one outside, or over, is not counted. */
    leave(job: Job): void {
      if (inService.has(job)) inService.set(job, false);
      else if (waiting.remove(job)) {
        abandoned += 1;
        refill();
      } else outside.remove(job);
    },
    counts: (): AdmissionCounts => ({
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

/** A queue from whose middle things can be taken. */
function createFifo<Item extends object>() {
  const items = new Set<Item>();
  // Kept from call to call: an iterator made anew walks over the places of all that has left since the set last grew. This one
  // never comes to an end, because it is not asked when the set is empty.
  const fromOldest = items.values();
  return {
    get size(): number {
      return items.size;
    },
    push: (item: Item): void => void items.add(item),
    shift(): Item | undefined {
      const oldest = items.size === 0 ? undefined : fromOldest.next().value;
      if (oldest !== undefined) items.delete(oldest);
      return oldest;
    },
    remove: (item: Item): boolean => items.delete(item),
  };
}
