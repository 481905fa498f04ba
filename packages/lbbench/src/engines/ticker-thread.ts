/** The thread of a ticker: says that it is there, and then whenever the moment has come that it is given. */
import { parentPort, workerData } from "node:worker_threads";

const dueNs = workerData as BigInt64Array<SharedArrayBuffer>;
parentPort?.postMessage("ready");
for (;;) {
  const seenNs = Atomics.load(dueNs, 0);
  const leftMs = Number(seenNs - process.hrtime.bigint()) / 1e6;
  if (leftMs <= 0) parentPort?.postMessage("due");
  // Until then, or until another moment is given.
  Atomics.wait(dueNs, 0, seenNs, leftMs <= 0 ? Infinity : leftMs);
}
