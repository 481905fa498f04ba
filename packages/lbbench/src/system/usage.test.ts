import { describe, expect, it } from "vitest";
import type { ProcessUsage, WatchedProcess } from "../model/usage.js";
import { aProcessUsage } from "../test-support/fixtures.js";
import { liveUsage, openProcessAccount, stepUsage, type ProcessReading, type ProcessSnapshot } from "./usage.js";

const WINDOW_MS = 1000;
const ALONE: WatchedProcess = { pid: 1, role: "backend", name: "server", tree: false };
const TREE: WatchedProcess = { ...ALONE, tree: true };

function reading(cpuMs: number, more: Partial<ProcessReading> = {}): ProcessReading {
  return { cpuMs, rssBytes: 1000, name: "node", reapedCpuMs: 0, ...more };
}

/** A snapshot with these processes, all of them counted for the first, and nothing else known. */
function snapshot(
  processes: Readonly<Record<number, ProcessReading>>,
  more: Partial<ProcessSnapshot> = {},
): ProcessSnapshot {
  const entries = Object.entries(processes).map(([pid, one]) => [Number(pid), one] as const);
  return {
    trees: new Map([[1, entries.map(([pid]) => pid)]]),
    processes: new Map(entries),
    threads: new Map(),
    loops: new Map(),
    cores: new Map(),
    ...more,
  };
}

/** The same, of which only the first is counted. */
function alone(of: ProcessSnapshot): ProcessSnapshot {
  return { ...of, trees: new Map([[1, [1]]]) };
}

function used(watched: WatchedProcess, opening: ProcessSnapshot, closing: ProcessSnapshot): ProcessUsage {
  return openProcessAccount(watched, opening).close(closing, WINDOW_MS);
}

describe("the account of a process", () => {
  it("adds its descendants up and tells them apart, also those that were born in the window", () => {
    const opening = snapshot({ 1: reading(50), 2: reading(100, { name: "nginx" }) });
    const closing = snapshot({ 1: reading(150), 2: reading(300), 3: reading(400, { rssBytes: 50 }) });
    expect(used(TREE, opening, closing)).toEqual({
      name: "server",
      pid: 1,
      cpu: 0.7,
      rssBytes: 2050,
      busiestThread: 0.4,
      descendants: [
        { name: "node", pid: 2, cpu: 0.2, rssBytes: 1000 },
        { name: "node", pid: 3, cpu: 0.4, rssBytes: 50 },
      ],
    });
    // Unless they were not asked for.
    const usage = used(ALONE, alone(opening), alone(closing));
    expect(usage).not.toHaveProperty("descendants");
    expect(usage).toMatchObject({ cpu: 0.1, rssBytes: 1000 });
  });

  it("takes the largest memory of all looks, and what was last seen of a process that ends", () => {
    const account = openProcessAccount(TREE, snapshot({ 1: reading(0), 2: reading(0) }));
    const look = (cpuMs: number, rssBytes: number) =>
      account.look(snapshot({ 1: reading(10), 2: reading(cpuMs, { rssBytes }) }), 500);
    look(300, 5000);
    // One that an earlier one overtook.
    look(200, 1000);
    expect(account.close(snapshot({ 1: reading(20) }), WINDOW_MS)).toMatchObject({
      cpu: 0.32,
      rssBytes: 6000,
      descendants: [{ pid: 2, cpu: 0.3, rssBytes: 5000 }],
    });
  });

  it("tells its memory at the start, in the middle and at the end, where it was looked at in between", () => {
    const of = (rssBytes: number): ProcessSnapshot => snapshot({ 1: reading(0, { rssBytes }) });
    const memoryOf = (looks: readonly (readonly [atMs: number, rssBytes: number])[]): ProcessUsage["memory"] => {
      const account = openProcessAccount(ALONE, of(100));
      for (const [atMs, rssBytes] of looks) account.look(of(rssBytes), atMs);
      return account.close(of(900), WINDOW_MS).memory;
    };
    const ends = { startBytes: 100, endBytes: 900 };
    expect(memoryOf([[500, 300]])).toEqual({ ...ends, middleBytes: 300 });
    expect(
      memoryOf([
        [250, 100],
        [750, 500],
      ]),
    ).toEqual({ ...ends, middleBytes: 300 });
    expect(memoryOf([[250, 400]])).toEqual({ ...ends, middleBytes: Math.round(400 + 500 / 3) });
    // One that came late, after the window.
    expect(
      memoryOf([
        [500, 300],
        [1100, 950],
      ]),
    ).toEqual({ ...ends, middleBytes: 300 });
    expect(memoryOf([])).toBeUndefined();
  });

  it("finds what descendants used that ended unseen, in the count of whoever waited for their end", () => {
    const opening = snapshot({ 1: reading(0, { reapedCpuMs: 70 }), 2: reading(0) });
    const closing = snapshot({ 1: reading(100, { reapedCpuMs: 270 }), 2: reading(50, { reapedCpuMs: 30 }) });
    expect(used(TREE, opening, closing).cpu).toBeCloseTo(0.38);
    expect(used(ALONE, alone(opening), alone(closing)).cpu).toBe(0.1);
    // Also where that has been killed since.
    const killed = openProcessAccount(TREE, opening);
    killed.look(closing, 500);
    expect(killed.close(snapshot({}), WINDOW_MS).cpu).toBeCloseTo(0.38);
  });

  it("does not charge the window for what a descendant that ended in it used before", () => {
    const opening = snapshot({ 1: reading(0), 2: reading(600, { reapedCpuMs: 50 }) });
    const ended = snapshot({ 1: reading(100, { reapedCpuMs: 850 }) });
    expect(used(TREE, opening, ended).cpu).toBeCloseTo(0.3);
    const notWaitedFor = snapshot({ 1: reading(100) });
    expect(used(TREE, opening, notWaitedFor).cpu).toBe(0.1);
  });

  it("takes the busiest thread among those of all its processes", () => {
    const threads = (own: Readonly<Record<number, number>>, others: Readonly<Record<number, number>>) => {
      const toMap = (of: Readonly<Record<number, number>>) =>
        new Map(Object.entries(of).map(([id, ms]) => [Number(id), ms]));
      return { threads: new Map([1, 2].map((pid) => [pid, toMap(pid === 1 ? own : others)])) };
    };
    const opening = snapshot({ 1: reading(900), 2: reading(10) }, threads({ 1: 800, 10: 100 }, { 2: 10 }));
    const closing = snapshot({ 1: reading(1300), 2: reading(60) }, threads({ 1: 900, 10: 400 }, { 2: 60 }));
    expect(used(TREE, opening, closing)).toMatchObject({ busiestThread: 0.3 });
  });

  it("takes the busiest event loop, over the window where it was there at its start", () => {
    const loop = (idleMs: number, activeMs: number, atMs: number) => ({ idleMs, activeMs, atMs });
    const before = { 1: reading(0), 2: reading(0), 4: reading(0) };
    const opening = snapshot(before, { loops: new Map([[2, loop(5000, 100, 0)]]) });
    // The third began meanwhile, and the fourth did not answer at the start.
    const loops = new Map([2, 3, 4].map((pid) => [pid, pid === 2 ? loop(5200, 900, 1000) : loop(300, 100, 1000)]));
    const closing = snapshot({ ...before, 3: reading(0) }, { loops });
    const usage = used(TREE, opening, closing);
    expect(usage.eventLoopUtilization).toBe(0.8);
    expect(usage.descendants?.map(({ eventLoopUtilization }) => eventLoopUtilization)).toEqual([0.8, undefined, 0.25]);
  });

  it("has the cores that all of its processes may run on, and for each alone those that it may use", () => {
    const processes = { 1: reading(0), 2: reading(0) };
    const cores = new Map([1, 2].map((pid) => [pid, { present: 3, count: pid }]));
    const usage = used(TREE, snapshot(processes), snapshot(processes, { cores }));
    expect(usage.cores).toBe(3);
    expect(usage.descendants?.[0]?.cores).toBe(2);
    expect(used(ALONE, alone(snapshot(processes)), alone(snapshot(processes, { cores }))).cores).toBe(1);
  });
});

it("is told live by role, each process once", () => {
  const at = (...cpuMs: readonly number[]) =>
    snapshot(Object.fromEntries(cpuMs.map((ms, index) => [index + 1, reading(ms)])));
  const balancer: WatchedProcess = { ...ALONE, pid: 3, role: "balancer" };
  const trees = new Map([1, 2, 3].map((pid) => [pid, pid === 1 ? [1, 2] : [pid]]));
  const before = at(0, 0, 100).processes;
  const live = liveUsage([TREE, { ...ALONE, pid: 2 }, TREE, balancer], trees, before, at(100, 50, 90).processes, 600);
  expect(live).toEqual({ backend: { cpu: 0.25, rssBytes: 2000 }, balancer: { cpu: 0, rssBytes: 1000 } });
});

describe("the usage of a step", () => {
  const generator = aProcessUsage({ cpu: 0.4 });

  it("has its processes by their roles, and what limited it", () => {
    const backend = aProcessUsage({ name: "nginx", cpu: 1.2, busiestThread: 0.95, cores: 2 });
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

  it("has no known limit where one of several backends was not seen, and nothing else was at its limit", () => {
    const window = (cpu: number) => ({
      processes: [{ role: "backend" as const, ...aProcessUsage({ cpu }) }],
      machine: 0.5,
      windowMs: 1000,
    });
    expect([0.5, 1].map((cpu) => stepUsage(window(cpu), [generator], true).bottleneck)).toEqual(["unknown", "backend"]);
    expect(stepUsage(window(0.5), [generator]).bottleneck).toBe("none");
  });

  it("has the generators alone where nothing was watched", () => {
    const nothing = { generator: [generator], machine: 0, windowMs: 0, bottleneck: "unknown" };
    expect(stepUsage(undefined, [generator])).toEqual(nothing);
  });
});
