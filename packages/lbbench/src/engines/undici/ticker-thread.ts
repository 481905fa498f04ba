/** The thread of a ticker: waits for the moment that it is given and says that it has come. */
import { parentPort, workerData } from "node:worker_threads";
import { clockMs, NEVER, sharedTimes } from "./ticker.js";

const { signal, times } = sharedTimes(workerData as SharedArrayBuffer);
const READY = 0;
parentPort?.postMessage(READY);
let told = NEVER;
for (;;) {
  const seen = Atomics.load(signal, 0);
  const atMs = times[0] ?? NEVER;
  const leftMs = atMs - clockMs();
  if (atMs !== told && leftMs <= 0) {
    told = atMs;
    parentPort?.postMessage(READY);
  }
  // Woken by another moment, or because this one has come.
  Atomics.wait(signal, 0, seen, atMs === told ? NEVER : leftMs);
}
