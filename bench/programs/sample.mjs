/** Watches trees of processes as a sweep does, run with `fork`: a message says which and how long. Tells what that cost itself, and what it saw. */
import { setTimeout as sleep } from "node:timers/promises";
import { startUsageSampler } from "../../packages/lbbench/dist/system/usage.js";

process.on("message", (request) => void sample(request));
process.on("disconnect", () => process.exit());
process.send("ready");

async function sample({ roots, windowMs }) {
  const watched = roots.map((pid) => ({ pid, role: "backend", name: `tree of ${pid}`, tree: true }));
  const beside = [{ pid: process.pid, role: "generator", name: "generator-1", tree: false }];
  const before = process.cpuUsage();
  const sampler = await startUsageSampler(watched, undefined, { beside, onUsage: () => {} });
  await sleep(windowMs);
  const { processes } = await sampler.stop();
  const { user, system } = process.cpuUsage(before);
  process.send({ cpuMs: (user + system) / 1000, seen: processes.map(({ descendants = [] }) => descendants.length) });
}
