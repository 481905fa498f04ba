import { describe, expect, it } from "vitest";
import type { Role, WatchedProcess } from "../../model/usage.js";
import { createLiveUsage } from "./live-usage.js";
import type { ProcessReading } from "./read-processes.js";

const NO_TREES = new Map<number, readonly number[]>();

function watch(pid: number, role: Role, tree = false): WatchedProcess {
  return { pid, role, name: `${role}-${pid}`, tree };
}

function readings(cpuMs: Readonly<Record<number, number>>, rssBytes = 1000): ReadonlyMap<number, ProcessReading> {
  return new Map(Object.entries(cpuMs).map(([pid, used]) => [Number(pid), { cpuMs: used, rssBytes }]));
}

describe("createLiveUsage", () => {
  it("adds up by role what was used since the last reading", () => {
    const since = createLiveUsage([watch(1, "generator"), watch(2, "backend"), watch(3, "backend")], NO_TREES);
    since(readings({ 1: 500, 2: 0, 3: 70 }), 10_000);
    expect(since(readings({ 1: 1500, 2: 250, 3: 570 }), 11_000)).toEqual({
      generator: { cpu: 1, rssBytes: 1000 },
      backend: { cpu: 0.75, rssBytes: 2000 },
    });
    expect(since(readings({ 1: 1600, 2: 250, 3: 570 }), 11_500)).toEqual({
      generator: { cpu: 0.2, rssBytes: 1000 },
      backend: { cpu: 0, rssBytes: 2000 },
    });
  });

  it("counts descendants for the process whose they are, and a process once that is watched twice", () => {
    const trees = new Map([[1, [1, 5, 6]]]);
    const since = createLiveUsage([watch(1, "backend", true), watch(5, "backend")], trees);
    since(readings({ 1: 0, 5: 0, 6: 0 }), 0);
    expect(since(readings({ 1: 250, 5: 125, 6: 500 }), 1000)).toEqual({ backend: { cpu: 0.875, rssBytes: 3000 } });
  });

  it("takes a process that is gone for one that uses nothing, and one that got its number anew for no saving", () => {
    const since = createLiveUsage([watch(1, "backend"), watch(2, "balancer")], NO_TREES);
    since(readings({ 1: 900, 2: 900 }), 0);
    expect(since(readings({ 2: 10 }), 1000)).toEqual({
      backend: { cpu: 0, rssBytes: 0 },
      balancer: { cpu: 0, rssBytes: 1000 },
    });
  });

  it("tells of no role that is not watched", () => {
    expect(createLiveUsage([], NO_TREES)(new Map(), 0)).toEqual({});
  });
});
