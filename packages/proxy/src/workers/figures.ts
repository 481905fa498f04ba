import { mergeSnapshots } from "../observe/merge-snapshots.js";
import type { BalancerSnapshot } from "../options/options.js";
import type { BalancerWorker } from "./worker.js";
import { setTimeout } from "node:timers/promises";

/** What the workers have told of what they did. */
export interface Figures<Worker extends object> {
  /** Takes what a worker tells in place of what it told before. */
  readonly told: (worker: Worker, snapshot: BalancerSnapshot) => void;
  /** A worker has ended: what it told last is kept, what it had in flight has failed. */
  readonly ended: (worker: Worker) => void;
  /** Drops the figures of a backend that has been removed, so that another one of that name begins anew. */
  readonly forget: (name: string) => void;
  /** Adds everything to a snapshot, for the backends that are in it. */
  readonly addTo: (base: BalancerSnapshot) => BalancerSnapshot;
}

/** Begins to take figures. */
export function createFigures<Worker extends object>(): Figures<Worker> {
  const living = new Map<Worker, BalancerSnapshot>();
  const gone = new WeakSet<Worker>();
  let kept = mergeSnapshots([]);
  return {
    told(worker, snapshot) {
      if (!gone.has(worker)) living.set(worker, snapshot);
    },
    ended(worker) {
      const last = living.get(worker);
      living.delete(worker);
      gone.add(worker);
      if (last !== undefined) kept = mergeSnapshots([kept, lastingFigures(last)]);
    },
    forget(name) {
      const without = (snapshot: BalancerSnapshot): BalancerSnapshot => ({
        ...snapshot,
        backends: snapshot.backends.filter((backend) => backend.name !== name),
      });
      kept = without(kept);
      for (const [worker, snapshot] of living) living.set(worker, without(snapshot));
    },
    addTo(base) {
      const names = new Set(base.backends.map(({ name }) => name));
      const sum = mergeSnapshots([base, kept, ...living.values()]);
      return { ...sum, backends: sum.backends.filter(({ name }) => names.has(name)) };
    },
  };
}

/** What remains of a worker's figures: nothing is open any more, and nothing is said of how its backends are now. */
function lastingFigures({ backends, refused }: BalancerSnapshot): BalancerSnapshot {
  return {
    connections: 0,
    refused,
    backends: backends.map((backend) => ({
      ...backend,
      condition: "up",
      errors: backend.errors + backend.inFlight,
      inFlight: 0,
      queued: 0,
    })),
  };
}

/** How long a worker may take to tell its figures; one that is stopped must not keep the others' from being read. */
const ANSWER_LIMIT_MS = 2000;

/** Asks all workers for their figures, and adds them to those of the ones that have ended and to a base. */
export async function sumFigures(
  workers: readonly BalancerWorker[],
  figures: Figures<BalancerWorker>,
  base: () => BalancerSnapshot,
): Promise<BalancerSnapshot> {
  const limit = new AbortController();
  const answers = workers
    .filter((worker) => worker.state() === "listening")
    .map(async (worker) => {
      // One that ends meanwhile leaves what it told last.
      const told = await worker.call("snapshot").catch(() => undefined);
      if (told !== undefined) figures.told(worker, told);
    });
  await Promise.race([
    Promise.all(answers),
    setTimeout(ANSWER_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => undefined),
  ]);
  limit.abort();
  return figures.addTo(base());
}
