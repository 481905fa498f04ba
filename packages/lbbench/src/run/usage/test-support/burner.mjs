// Told a number, it burns so many milliseconds of processor time and tells how many they were: itself, or as its argument says
// in a `child` that stays, in a `short` lived child each time, or in two `threads`. Told a negative one, it blocks its event loop
// for so long without using its processor. Told "end", it ends its child.
import { fork } from "node:child_process";
import { once } from "node:events";
import { Worker } from "node:worker_threads";

const [, own, mode] = process.argv;
const parts = [];
process.on("message", (wanted) => void act(wanted).then((answer) => process.send(answer)));
process.on("disconnect", () => process.exit());

async function act(wanted) {
  if (wanted === "end") return end(parts.pop());
  if (wanted < 0) return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, -wanted);
  if (mode === undefined) return burn(wanted);
  if (parts.length === 0) parts.push(...(mode === "threads" ? [thread(), thread()] : [fork(own)]));
  let usedMs = 0;
  for (const part of parts) {
    if (mode === "threads") part.postMessage(wanted / parts.length);
    else part.send(wanted);
    usedMs += (await once(part, "message"))[0];
  }
  if (mode === "short") await end(parts.pop());
  return usedMs;
}

async function end(child) {
  child.disconnect();
  await once(child, "exit");
  return 0;
}

function burn(wantedMs) {
  const before = process.cpuUsage();
  let usedMs = 0;
  while (usedMs < wantedMs) {
    const { user, system } = process.cpuUsage(before);
    usedMs = (user + system) / 1000;
  }
  return usedMs;
}

function thread() {
  const code = `const { parentPort } = require("node:worker_threads");
    ${burn.toString()}
    parentPort.on("message", (wantedMs) => parentPort.postMessage(burn(wantedMs)));`;
  return new Worker(code, { eval: true });
}
