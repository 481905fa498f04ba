import { setTimeout } from "node:timers/promises";
import type { ListenAddress } from "../options/options.js";
import type { BalancerWorker } from "./worker.js";

/** How long after its death a worker is replaced; twice as long each time that its replacement does not last. */
const FIRST_DELAY_MS = 100;
/** The longest of these delays, and how long a worker has to last for the next one to be the shortest again. */
const LONGEST_DELAY_MS = 5000;

/** Workers whose number is kept. */
interface Crew {
  /** Those that have not ended, also those that do not serve yet. */
  readonly workers: () => readonly BalancerWorker[];
  /** From now on those that end are not replaced. */
  readonly dismiss: () => void;
}

/** The time, as far as replacing depends on it. */
export interface CrewClock {
  readonly nowMs: () => number;
  /** Resolves after a time, or at once when `signal` aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const systemClock: CrewClock = {
  nowMs: () => performance.now(),
  wait: async (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
};

/**
 * Starts workers and replaces those that end. Resolves, with where they listen, when all of them do; rejects with why
 * one does not, when none is left.
 */
export async function startCrew(
  size: number,
  start: () => BalancerWorker,
  clock: CrewClock = systemClock,
): Promise<Crew & { readonly address: ListenAddress }> {
  const present = new Set<BalancerWorker>();
  const dismissed = new AbortController();

  const enlist = (): BalancerWorker => {
    const worker = start();
    present.add(worker);
    // One that cannot listen is of no use; its end says so to those who wait for it.
    worker.listening.catch(() => void worker.kill());
    void worker.ended.then(() => present.delete(worker));
    return worker;
  };

  const keep = async (first: BalancerWorker): Promise<void> => {
    let worker: BalancerWorker | undefined = first;
    let sinceMs = clock.nowMs();
    let delayMs = FIRST_DELAY_MS;
    for (;;) {
      await worker?.ended;
      if (clock.nowMs() - sinceMs >= LONGEST_DELAY_MS) delayMs = FIRST_DELAY_MS;
      await clock.wait(delayMs, dismissed.signal);
      if (dismissed.signal.aborted) return;
      delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
      sinceMs = clock.nowMs();
      worker = tryTo(enlist);
    }
  };

  try {
    const workers = Array.from({ length: size }, enlist);
    const [address] = await Promise.all(workers.map(({ listening }) => listening));
    if (address === undefined) throw new RangeError(`Expected at least one worker, got ${size}.`);
    for (const worker of workers) void keep(worker);
    return { workers: () => [...present], dismiss: () => dismissed.abort(), address };
  } catch (error) {
    await Promise.all([...present].map((worker) => worker.kill()));
    throw error;
  }
}

/** A process that cannot be started now, for want of memory say, may be a little later. */
function tryTo<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
