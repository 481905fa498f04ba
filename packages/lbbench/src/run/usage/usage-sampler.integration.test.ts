import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { WatchedProcess } from "../../model/usage.js";
import type { Server } from "../../plugin.js";
import { startProbeHub } from "../../probe/probe-hub.js";
import { clusterServer } from "../../servers/cluster.js";
import { startServer } from "../../testing/started-server.js";
import { untilKept, type Attempt } from "../../../test/support/until-kept.js";
import { startUsageSampler } from "./usage-sampler.js";

const BURN_MS = 300;
const LONGER_THAN_BETWEEN_TWO_LOOKS_MS = 1500;
/** Processor time is counted in ticks of 10 ms, and taking turns with the process costs it a little. */
const TOLERANCE_MS = 60;

const ON_LINUX = process.platform === "linux";

describe("startUsageSampler", () => {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.disconnect();
      await once(child, "exit");
    }
  });

  function start(
    program: string,
    env: Readonly<Record<string, string>> = {},
    args: readonly string[] = [],
  ): ChildProcess {
    const url = new URL(`./test-support/${program}`, import.meta.url);
    const child = fork(url, args, { execArgv: [], env: { ...process.env, ...env } });
    children.push(child);
    return child;
  }

  /** Starts a program that burns processor time when it is asked, and waits until it has loaded. */
  async function startBurner(
    program: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly pid: number; readonly child: ChildProcess }> {
    const child = start(program, env);
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
    const child = start("burn-in-child.mjs");
    const sampler = await startUsageSampler([watch(child.pid ?? -1, true)]);
    const usedMs = await burn(child, BURN_MS);
    const { processes, windowMs } = await sampler.stop();
    expect((processes[0]?.cpu ?? 0) * windowMs).toBeGreaterThan(usedMs - TOLERANCE_MS);
  });

  it.runIf(ON_LINUX)("tells each descendant of a tree apart", async () => {
    const { pid, child } = await startBurner("burn-in-child.mjs");
    const sampler = await startUsageSampler([watch(pid, true)]);
    const usedMs = await burn(child, BURN_MS);
    const { processes, windowMs } = await sampler.stop();
    const [tree] = processes;
    const [descendant, ...others] = tree?.descendants ?? [];
    expect(others).toEqual([]);
    expect(descendant?.name).toMatch(/node|MainThread/);
    expect(descendant?.pid).not.toBe(pid);
    expect(Math.abs((descendant?.cpu ?? 0) * windowMs - usedMs)).toBeLessThan(TOLERANCE_MS);
    expect(descendant?.rssBytes).toBeLessThan(tree?.rssBytes ?? 0);
    expect(tree?.threads).toBeGreaterThan(2);
    expect(tree?.busiestThread).toBeGreaterThan(0.8 * (descendant?.cpu ?? 1));
  });

  it.runIf(ON_LINUX)("counts a descendant that was born in the window and ended in it", async () => {
    const { pid, child } = await startBurner("burn-and-end.mjs");
    const sampler = await startUsageSampler([watch(pid, true)]);
    const usedMs = (await burn(child, BURN_MS)) + (await burn(child, BURN_MS));
    const { processes, windowMs } = await sampler.stop();
    // More than they say, because starting and ending is work, too.
    expect((processes[0]?.cpu ?? 0) * windowMs).toBeGreaterThan(usedMs - TOLERANCE_MS);
  });

  it.runIf(ON_LINUX)("leaves out what a descendant that ended in the window used before it", async () => {
    const { pid, child } = await startBurner("burn-in-child.mjs");
    await burn(child, 2 * BURN_MS);
    const sampler = await startUsageSampler([watch(pid, true)]);
    child.send("end");
    await once(child, "message");
    const { processes, windowMs } = await sampler.stop();
    expect((processes[0]?.cpu ?? 0) * windowMs).toBeLessThan(BURN_MS);
  });

  it.runIf(ON_LINUX)("adds the threads of a process up, and finds the busiest", async () => {
    const { pid, child } = await startBurner("burn-in-threads.mjs");
    const sampler = await startUsageSampler([watch(pid)]);
    const usedMs = await burn(child, 2 * BURN_MS);
    const { processes, windowMs } = await sampler.stop();
    const [used] = processes;
    expect(Math.abs((used?.cpu ?? 0) * windowMs - usedMs)).toBeLessThan(TOLERANCE_MS);
    expect(Math.abs((used?.busiestThread ?? 0) * windowMs - usedMs / 2)).toBeLessThan(TOLERANCE_MS);
    expect(used?.threads).toBeGreaterThan(2);
  });

  it("finds an event loop busy that is blocked, and one that waits idle, whatever the processor does", async () => {
    const hub = await startProbeHub();
    try {
      const [blocked, idle] = await Promise.all([startBurner("block.mjs", hub.env), startBurner("block.mjs", hub.env)]);
      const pids = [blocked.pid, idle.pid];
      await vi.waitFor(async () => expect((await hub.read(pids)).size).toBe(2), { timeout: 20_000 });
      const sampler = await startUsageSampler(
        pids.map((pid) => watch(pid)),
        hub,
      );
      await burn(blocked.child, 2 * LONGER_THAN_BETWEEN_TWO_LOOKS_MS);
      const { processes } = await sampler.stop();
      expect(processes[0]?.eventLoopUtilization).toBeGreaterThan(0.8);
      expect(processes[0]?.cpu).toBeLessThan(0.5);
      expect(processes[1]?.eventLoopUtilization).toBeLessThan(0.5);
    } finally {
      await hub.close();
    }
  });

  it("knows of an event loop that is blocked when the window ends how busy it was until then", async () => {
    const hub = await startProbeHub();
    try {
      const { pid, child } = await startBurner("block.mjs", hub.env);
      await vi.waitFor(async () => expect((await hub.read([pid])).size).toBe(1), { timeout: 20_000 });
      const sampler = await startUsageSampler([watch(pid)], hub);
      await burn(child, 3 * BURN_MS);
      const answer = burn(child, 2 * BURN_MS);
      const { processes } = await sampler.stop();
      expect(processes[0]?.eventLoopUtilization).toBeGreaterThan(0.5);
      await answer;
    } finally {
      await hub.close();
    }
  });

  it.runIf(ON_LINUX)("costs less than 1 % of a core for two trees of ten Node processes", async () => {
    const roots = [start("many-children.mjs", {}, ["10"]), start("many-children.mjs", {}, ["10"])];
    await Promise.all(roots.map((root) => once(root, "message")));
    const windowMs = 5000;
    const sample = async (): Promise<Attempt<number>> => {
      const sampling = start("sampling-cost.mjs");
      sampling.send({ roots: roots.map(({ pid }) => pid), windowMs });
      const [{ cpuMs, seen }] = (await once(sampling, "message")) as [{ cpuMs: number; seen: readonly number[] }];
      expect(seen).toEqual([10, 10]);
      return { value: cpuMs / windowMs, isDisturbed: false };
    };
    // Includes the opening and the closing, which are done while there is no load.
    const isCheap = (share: number): boolean => share < 0.01;
    const shares = await untilKept(sample, isCheap);
    expect(shares.some(isCheap), JSON.stringify(shares)).toBe(true);
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

  it.runIf(ON_LINUX)("keeps no more descriptors open after many windows than after one", async () => {
    const window = async (): Promise<number> => {
      await (await startUsageSampler([watch(process.pid)])).stop();
      return readdirSync("/proc/self/fd").length;
    };
    const first = await window();
    for (let count = 0; count < 30; count += 1) await window();
    expect(await window()).toBeLessThan(first + 15);
  });
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
