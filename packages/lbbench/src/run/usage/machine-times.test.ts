import { describe, expect, it } from "vitest";
import { machineShares, parseMachineTimes, readMachineTimes } from "./machine-times.js";

describe("parseMachineTimes", () => {
  it("counts interrupts as busy, waiting for a disk as idle, what is stolen apart, and guests once", () => {
    const text = "cpu  100 20 30 1000 50 4 60 7 80 9\ncpu0 1 1 1 1 1 1 1 1 1 1\nintr 5 0 0\n";
    expect(parseMachineTimes(text)).toEqual({ busy: 214, idle: 1050, steal: 7 });
  });

  it("does without what an old kernel does not say", () => {
    expect(parseMachineTimes("cpu  1 2 3 4\n")).toEqual({ busy: 6, idle: 4, steal: 0 });
  });

  it.each(["", "cpu0 1 2 3 4\n", "cpu 1 2\n"])("finds nothing in %j", (text) => {
    expect(parseMachineTimes(text)).toBeUndefined();
  });
});

describe("machineShares", () => {
  it("takes the busy share of the time that was not stolen", () => {
    const before = { busy: 100, idle: 100, steal: 10 };
    expect(machineShares(before, { busy: 130, idle: 110, steal: 20 })).toEqual({ machine: 0.75, steal: 0.2 });
    expect(machineShares(before, { busy: 130, idle: 100, steal: 40 })).toEqual({ machine: 1, steal: 0.5 });
  });

  it("says nothing of steal where the system does not", () => {
    expect(machineShares({ busy: 1, idle: 1 }, { busy: 2, idle: 4 })).toEqual({ machine: 0.25 });
  });

  it("is idle when no time has passed, and never beyond its bounds", () => {
    const times = { busy: 5, idle: 5, steal: 0 };
    expect(machineShares(times, times)).toEqual({ machine: 0, steal: 0 });
    // Kernels have been seen to take idle time back.
    expect(machineShares(times, { busy: 9, idle: 4, steal: 0 }).machine).toBe(1);
  });
});

it("sees the time that this machine spends", () => {
  const before = readMachineTimes();
  const end = process.cpuUsage().user + 100_000;
  while (process.cpuUsage().user < end);
  const { machine } = machineShares(before, readMachineTimes());
  expect(machine).toBeGreaterThan(0);
  expect(machine).toBeLessThanOrEqual(1);
});
