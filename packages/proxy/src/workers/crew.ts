import type { ListenAddress } from "../options/options.js";

/** How long after its death a worker is replaced; twice as long each time that its replacement does not last. */
const FIRST_DELAY_MS = 100;
/** The longest of these delays, and how long a worker has to last for the next one to be the shortest again. */
const LONGEST_DELAY_MS = 5000;

/** One of a crew: resolves when it listens, and when it has ended. */
interface Worker {
  readonly listening: Promise<ListenAddress>;
  readonly ended: Promise<void>;
  /** Ends it at once; resolves when it has ended. */
  readonly kill: () => Promise<void>;
}

/** Starts workers and replaces ended ones. Resolves, with their address, when all listen. Rejects with why one does not, when none is left. */
export async function startCrew<Member extends Worker>(size: number, start: () => Member) {
  const present = new Set<Member>();
  const waiting = new Set<NodeJS.Timeout>();
  let dismissed = false;
  const enlist = (): Member => {
    const worker = start();
    present.add(worker);
    // A worker that cannot listen is ended, which is how its caller learns of it.
    worker.listening.catch(() => void worker.kill());
    void worker.ended.then(() => present.delete(worker));
    return worker;
  };
  const keep = (worker: Member | undefined, lastDelayMs: number): void => {
    const startedMs = performance.now();
    const replace = (): void => {
      if (dismissed) return;
      const hasLasted = performance.now() - startedMs >= LONGEST_DELAY_MS;
      const delayMs = hasLasted ? FIRST_DELAY_MS : Math.min(lastDelayMs * 2, LONGEST_DELAY_MS);
      const timer = setTimeout(() => {
        waiting.delete(timer);
        let next: Member | undefined;
        try {
          next = enlist();
        } catch {
          // A process that cannot be started now, for want of memory say, may be a little later.
        }
        keep(next, delayMs);
      }, delayMs);
      waiting.add(timer);
    };
    void (worker?.ended ?? Promise.resolve()).then(replace);
  };
  try {
    const workers = Array.from({ length: size }, enlist);
    const [address] = await Promise.all(workers.map(({ listening }) => listening));
    if (address === undefined) throw new RangeError(`Expected at least one worker, got ${size}.`);
    for (const worker of workers) keep(worker, FIRST_DELAY_MS / 2);
    return {
      address,
      /** Workers that have not ended; some may not serve yet. */
      workers: (): readonly Member[] => [...present],
      /** From now on workers that end are not replaced. */
      dismiss: (): void => {
        dismissed = true;
        for (const timer of waiting) clearTimeout(timer);
      },
    };
  } catch (error) {
    await Promise.all([...present].map((worker) => worker.kill()));
    throw error;
  }
}
