import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { describe, expect, it } from "vitest";
import type { Role, WatchedProcess } from "../../model/usage.js";
import { aProcessUsage } from "../../test-support/fixtures.js";
import { allowedCores, machineShares, parseCoreList, parseMachineTimes } from "../../system/proc.js";
import { createLiveUsage } from "./live-usage.js";
import type { ProcessReading } from "./read-processes.js";
import { stepUsage } from "./step-usage.js";

describe("the cores that a process may use", () => {
  it.each([
    ["0-1,4,6-7", [0, 1, 4, 6, 7]],
    ["0", [0]],
    ["nonsense", []],
  ])("are read from %s", (list, cores) => {
    expect(parseCoreList(list)).toEqual(cores);
  });

  it.runIf(process.platform === "linux").each([
    ["1", 1],
    ["100000", cpus().length],
    ["nonsense", cpus().length],
  ])("are no more than GOMAXPROCS=%s, here %d", async (limit, most) => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { env: { FIRST: "1", GOMAXPROCS: limit } });
    try {
      await once(child, "spawn");
      const { numbers = [], count } = allowedCores(child.pid ?? -1) ?? {};
      expect(numbers.length).toBeGreaterThan(0);
      expect(count).toBe(Math.min(most, numbers.length));
    } finally {
      child.stdin.end();
      await once(child, "exit");
    }
    expect(allowedCores(-1)).toBeUndefined();
  });
});

describe("the time of the machine", () => {
  it.each([
    // Interrupts are busy, waiting for a disk is idle, guests are in the time of the user already.
    ["cpu  100 20 30 1000 50 4 60 7 80 9\ncpu0 1 1\nintr 5\n", { busy: 214, idle: 1050, steal: 7 }],
    ["cpu  1 2 3 4\n", { busy: 6, idle: 4, steal: 0 }],
    ["cpu0 1 2 3 4\n", undefined],
    ["cpu 1 2\n", undefined],
  ])("is read from %j", (text, expected) => {
    expect(parseMachineTimes(text)).toEqual(expected);
  });

  const before = { busy: 100, idle: 100, steal: 10 };
  it.each([
    ["busy, of what was not stolen", before, { busy: 130, idle: 110, steal: 20 }, { machine: 0.75, steal: 0.2 }],
    ["silent of steal where the system is", { busy: 1, idle: 1 }, { busy: 2, idle: 4 }, { machine: 0.25 }],
    ["idle when none has passed", before, before, { machine: 0, steal: 0 }],
    ["within its bounds though kernels take idle time back", before, { busy: 104, idle: 99 }, { machine: 1 }],
  ])("is %s", (_, earlier, later, expected) => {
    expect(machineShares(earlier, later)).toEqual(expected);
  });
});

describe("live usage", () => {
  const watch = (pid: number, role: Role, tree = false): WatchedProcess => ({ pid, role, name: `${pid}`, tree });
  const readings = (cpuMs: Readonly<Record<number, number>>): ReadonlyMap<number, ProcessReading> =>
    new Map(Object.entries(cpuMs).map(([pid, used]) => [Number(pid), { cpuMs: used, rssBytes: 1000 }]));

  it("adds up by role what was used since the last reading", () => {
    const since = createLiveUsage([watch(1, "generator"), watch(2, "backend"), watch(3, "backend")], new Map());
    since(readings({ 1: 500, 2: 0, 3: 70 }), 10_000);
    expect(since(readings({ 1: 1500, 2: 250, 3: 570 }), 11_000)).toEqual({
      generator: { cpu: 1, rssBytes: 1000 },
      backend: { cpu: 0.75, rssBytes: 2000 },
    });
    expect(since(readings({ 1: 1600, 2: 250, 3: 570 }), 11_500)).toMatchObject({ generator: { cpu: 0.2 } });
  });

  it("counts a process once, descendants for the one whose they are, and one that is gone or new for nothing", () => {
    const trees = new Map([[1, [1, 5, 6]]]);
    const since = createLiveUsage([watch(1, "backend", true), watch(5, "backend"), watch(7, "balancer")], trees);
    since(readings({ 1: 0, 5: 0, 6: 0, 7: 900 }), 0);
    expect(since(readings({ 1: 250, 5: 125, 6: 500, 7: 10 }), 1000)).toEqual({
      backend: { cpu: 0.875, rssBytes: 3000 },
      balancer: { cpu: 0, rssBytes: 1000 },
    });
    expect(since(readings({}), 2000)).toMatchObject({ backend: { cpu: 0, rssBytes: 0 } });
  });
});

describe("the usage of a step", () => {
  const generator = aProcessUsage({ cpu: 0.4 });

  it("has its processes by their roles, and what limited it", () => {
    const backend = aProcessUsage({ name: "nginx", cpu: 1.2, busiestThread: 0.95, threads: 3, cores: 2 });
    const balancer = aProcessUsage({ name: "balancer", eventLoopUtilization: 0.5 });
    const processes = [
      { role: "backend" as const, ...backend },
      { role: "balancer" as const, ...balancer },
    ];
    const shares = { machine: 0.6, steal: 0.01, windowMs: 1000 };
    expect(stepUsage({ processes, ...shares }, [generator])).toEqual({
      generator: [generator],
      balancer: [balancer],
      backends: [backend],
      ...shares,
      bottleneck: "backend",
    });
  });

  it("has the generators alone where nothing was watched", () => {
    const nothing = { generator: [generator], machine: 0, windowMs: 0, bottleneck: "none" };
    expect(stepUsage(undefined, [generator])).toEqual(nothing);
  });
});
