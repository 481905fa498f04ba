// Burns what it is asked to one half after the other, each in a thread of its own that stays.
import { once } from "node:events";
import { Worker } from "node:worker_threads";

const BURN = `
  const { parentPort } = require("node:worker_threads");
  parentPort.on("message", (wantedMs) => {
    const before = process.cpuUsage();
    let usedMs = 0;
    while (usedMs < wantedMs) {
      const { user, system } = process.cpuUsage(before);
      usedMs = (user + system) / 1000;
    }
    parentPort.postMessage(usedMs);
  });
`;

let workers;
process.on("message", (wantedMs) => void burn(wantedMs));
process.on("disconnect", () => process.exit());

async function burn(wantedMs) {
  workers ??= [new Worker(BURN, { eval: true }), new Worker(BURN, { eval: true })];
  let usedMs = 0;
  for (const worker of workers) {
    worker.postMessage(wantedMs / workers.length);
    const [used] = await once(worker, "message");
    usedMs += used;
  }
  process.send(usedMs);
}
