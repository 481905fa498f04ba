import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import type { WatchedProcess } from "../model/usage.js";
import { clusterServer } from "../servers/cluster.js";
import { startServer } from "../testing/started-server.js";
import type { Server } from "../plugin.js";
import { startUsageSampler } from "./usage-sampler.js";

const BURN_MS = 300;
const LONGER_THAN_BETWEEN_TWO_LOOKS_MS = 500;
/** Processor time is counted in ticks of 10 ms, and taking turns with the process costs it a little. */
const TOLERANCE_MS = 60;

describe("startUsageSampler", () => {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.disconnect();
      await once(child, "exit");
    }
  });

  /** Starts a program that burns processor time when it is asked, and waits until it has loaded. */
  async function startBurner(program: string): Promise<{ readonly pid: number; readonly child: ChildProcess }> {
    const child = fork(new URL(`./test-support/${program}`, import.meta.url), { execArgv: [] });
    children.push(child);
    await burn(child, 1);
    return { pid: child.pid ?? -1, child };
  }

  it("finds the processor time that a process says it used, and its share of the window", async () => {
    const { pid, child } = await startBurner("burn.mjs");
    const sampler = await startUsageSampler([watch(pid)]);
    const usedMs = await burn(child, BURN_MS);
    const { processes, windowMs, machine } = await sampler.stop();
    expect(windowMs).toBeGreaterThan(usedMs - TOLERANCE_MS);
    expect(Math.abs((processes[0]?.cpu ?? 0) * windowMs - usedMs)).toBeLessThan(TOLERANCE_MS);
    expect(processes[0]?.rssBytes).toBeGreaterThan(10_000_000);
    expect(machine).toBeGreaterThan(0);
    expect(machine).toBeLessThanOrEqual(1);
  });

  it("leaves out what was used before the window", async () => {
    const { pid, child } = await startBurner("burn.mjs");
    await burn(child, BURN_MS);
    const { processes, windowMs } = await (await startUsageSampler([watch(pid)])).stop();
    expect((processes[0]?.cpu ?? 0) * windowMs).toBeLessThan(TOLERANCE_MS);
  });

  it("counts the descendants of a tree, and those that were not asked for do not count", async () => {
    const { pid, child } = await startBurner("burn-in-child.mjs");
    const sampler = await startUsageSampler([watch(pid, true), { ...watch(pid), name: "alone" }]);
    const usedMs = await burn(child, BURN_MS);
    const { processes, windowMs } = await sampler.stop();
    const [tree, alone] = processes;
    expect(Math.abs((tree?.cpu ?? 0) * windowMs - usedMs)).toBeLessThan(TOLERANCE_MS);
    expect((alone?.cpu ?? 0) * windowMs).toBeLessThan(TOLERANCE_MS);
    expect(tree?.rssBytes).toBeGreaterThan((alone?.rssBytes ?? 0) * 1.5);
  });

  it("counts a descendant that was born in the window", async () => {
    const child = fork(new URL("./test-support/burn-in-child.mjs", import.meta.url), { execArgv: [] });
    children.push(child);
    const sampler = await startUsageSampler([watch(child.pid ?? -1, true)]);
    const usedMs = await burn(child, BURN_MS);
    const { processes, windowMs } = await sampler.stop();
    expect((processes[0]?.cpu ?? 0) * windowMs).toBeGreaterThan(usedMs - TOLERANCE_MS);
  });

  it("keeps what was last seen of a process that dies in the window", async () => {
    const { pid, child } = await startBurner("burn.mjs");
    const sampler = await startUsageSampler([watch(pid)]);
    await burn(child, LONGER_THAN_BETWEEN_TWO_LOOKS_MS);
    child.kill("SIGKILL");
    await once(child, "exit");
    const { processes } = await sampler.stop();
    expect(processes[0]?.cpu).toBeGreaterThan(0);
    expect(processes[0]?.rssBytes).toBeGreaterThan(10_000_000);
  });

  it("takes a process that is not there for one that uses nothing", async () => {
    const { pid, child } = await startBurner("burn.mjs");
    child.kill("SIGKILL");
    await once(child, "exit");
    const sampler = await startUsageSampler([watch(pid), watch(pid, true), watch(-1), watch(-1, true)]);
    const { processes } = await sampler.stop();
    expect(processes.map(({ cpu, rssBytes }) => [cpu, rssBytes])).toEqual(Array.from({ length: 4 }, () => [0, 0]));
  });

  it("sees every worker of a cluster beside its primary", async () => {
    const running = await startServer(clusterServer as Server, { workers: 2, handler: "cpu:2ms" });
    try {
      const sampler = await startUsageSampler(running.processes);
      await Promise.all(Array.from({ length: 100 }, async () => (await fetch(running.url)).text()));
      const { processes } = await sampler.stop();
      expect(processes.map(({ name, role }) => [name, role])).toEqual([
        ["cluster primary", "balancer"],
        ["cluster worker-1", "backend"],
        ["cluster worker-2", "backend"],
      ]);
      expect(processes.every(({ rssBytes }) => rssBytes > 10_000_000)).toBe(true);
      expect(processes.slice(1).reduce((sum, { cpu }) => sum + cpu, 0)).toBeGreaterThan(0);
    } finally {
      await running.stop();
    }
  });

  it.runIf(process.platform === "linux")(
    "keeps no more descriptors open after many windows than after one",
    async () => {
      const window = async (): Promise<number> => {
        await (await startUsageSampler([watch(process.pid)])).stop();
        return readdirSync("/proc/self/fd").length;
      };
      const first = await window();
      for (let count = 0; count < 30; count += 1) await window();
      expect(await window()).toBeLessThan(first + 15);
    },
  );
});

function watch(pid: number, tree = false): WatchedProcess {
  return { pid, role: "backend", name: `${pid}${tree ? " and its descendants" : ""}`, tree };
}

/** Resolves with the processor time that was burnt, in ms. */
async function burn(child: ChildProcess, wantedMs: number): Promise<number> {
  child.send(wantedMs);
  const [usedMs] = (await once(child, "message")) as [number];
  return usedMs;
}
