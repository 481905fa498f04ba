// Samples what trees of processes use, as a sweep does, and tells what that costs itself.
import { startUsageSampler } from "../../../../dist/run/usage/usage-sampler.js";

process.on("message", (request) => void sample(request));
process.on("disconnect", () => process.exit());

async function sample({ roots, windowMs }) {
  const watched = roots.map((pid) => ({ pid, role: "backend", name: `tree of ${pid}`, tree: true }));
  const before = process.cpuUsage();
  const beside = [{ pid: process.pid, role: "generator", name: "generator-1", tree: false }];
  const sampler = await startUsageSampler(watched, undefined, { beside, onUsage: () => {} });
  await new Promise((resolve) => setTimeout(resolve, windowMs));
  const { processes } = await sampler.stop();
  const { user, system } = process.cpuUsage(before);
  process.send({ cpuMs: (user + system) / 1000, seen: processes.map(({ descendants = [] }) => descendants.length) });
}
