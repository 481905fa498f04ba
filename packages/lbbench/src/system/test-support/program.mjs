// Does what its first argument says. Told to end over its input, it says what it knows of itself and ends with code 3.
import cluster from "node:cluster";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

const require = createRequire(import.meta.url);
const [, , task] = process.argv;
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

if (cluster.isWorker) {
  process.on("disconnect", () => process.exit());
} else {
  await begin();
  await once(process.stdin.resume(), "end");
  end();
}

async function begin() {
  if (task === "block") process.stdin.once("data", block);
  if (task === "worker thread") {
    const worker = new Worker(`setTimeout(${block.toString()}, 100)`, { eval: true });
    await once(worker, "message");
    worker.unref();
  }
  if (task === "cluster") {
    cluster.setupPrimary({ exec: fileURLToPath(import.meta.url), silent: true });
    const workers = [cluster.fork(), cluster.fork()];
    await Promise.all(workers.map((worker) => once(worker, "online")));
    say(workers.map((worker) => worker.process.pid));
  } else {
    say([]);
  }
}

/** Says so and does nothing any more, in whatever thread it is called. */
function block() {
  const { parentPort } = require("node:worker_threads");
  if (parentPort === null) process.stdout.write('"blocked"\n');
  else parentPort.postMessage("blocked");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
}

function end() {
  process.stderr.write("ends\n");
  say({
    active: process.getActiveResourcesInfo().toSorted(),
    events: process.eventNames().map(String).toSorted(),
    globals: Object.getOwnPropertyNames(globalThis).toSorted(),
    argv: [process.execArgv, process.argv.slice(2)],
    stackTraceLimit: Error.stackTraceLimit,
  });
  for (const worker of Object.values(cluster.workers ?? {})) worker.disconnect();
  process.exitCode = 3;
}
