import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { describe, expect, it } from "vitest";
import {
  allowedCores,
  countCores,
  machineShares,
  parseMachineTimes,
  parseProcStat,
  processTree,
  readProcStat,
  readThreads,
} from "./proc.js";

const ON_LINUX = process.platform === "linux";

it("reads the line of a process, whatever its name is", () => {
  const line =
    "4711 (a) (b 1 2) S 42 4711 4711 0 -1 4194304 100 0 0 0 7 5 3 4 20 0 11 0 2311956 3133440 1000 18446744073709551615";
  expect(parseProcStat(line, 16_384)).toEqual({
    name: "a) (b 1 2",
    isZombie: false,
    isHalted: false,
    parent: 42,
    group: 4711,
    cpuMs: 120,
    reapedCpuMs: 70,
    rssBytes: 1000 * 16_384,
  });
});

it.runIf(ON_LINUX)("finds of this process what it knows of itself", () => {
  const usedMs = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const before = usedMs();
  const stat = readProcStat(process.pid);
  const after = usedMs();
  expect(stat?.parent).toBe(process.ppid);
  // The system tells user and system time in ticks of 10 ms.
  expect(stat?.cpuMs).toBeGreaterThanOrEqual(before - 20);
  expect(stat?.cpuMs).toBeLessThanOrEqual(after + 20);
  expect((stat?.rssBytes ?? 0) / process.memoryUsage.rss()).toBeCloseTo(1, 0);
  const threads = readThreads(process.pid);
  expect(threads.has(process.pid)).toBe(true);
  expect([...threads.values()].reduce((sum, cpuMs) => sum + cpuMs, 0)).toBeGreaterThan(0);
});

it("finds nothing of a process that is not there", () => {
  expect(processTree(-1)).toEqual([-1]);
  expect(readProcStat(-1)).toBeUndefined();
  expect(readThreads(-1).size).toBe(0);
});

describe("the cores that a process may use", () => {
  it.each([
    ["0-1,4,6-7", 5],
    ["0", 1],
  ])("are counted from %s", (list, cores) => {
    expect(countCores(list)).toBe(cores);
  });

  it.runIf(process.platform === "linux").each([
    ["1", 1],
    ["100000", cpus().length],
    ["nonsense", cpus().length],
  ])("are no more than GOMAXPROCS=%s, here %d", async (limit, most) => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { env: { FIRST: "1", GOMAXPROCS: limit } });
    try {
      await once(child, "spawn");
      const { present = 0, count } = allowedCores(child.pid ?? -1) ?? {};
      expect(present).toBeGreaterThan(0);
      expect(count).toBe(Math.min(most, present));
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
