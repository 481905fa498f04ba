import { setTimeout } from "node:timers/promises";
import type { BalancerSnapshot } from "../options/options.js";
import type { Figures } from "./figures.js";
import type { BalancerWorker } from "./worker.js";

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
