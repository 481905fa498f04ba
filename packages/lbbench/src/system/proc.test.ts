import { expect, it } from "vitest";
import { parseProcStat, readProcStat, readThreads } from "./proc.js";

const ON_LINUX = process.platform === "linux";

it("reads the line of a process, whatever its name is", () => {
  const line =
    "4711 (a) (b 1 2) S 42 4711 4711 0 -1 4194304 100 0 0 0 7 5 3 4 20 0 11 0 2311956 3133440 1000 18446744073709551615";
  expect(parseProcStat(line, 16_384)).toEqual({
    name: "a) (b 1 2",
    isZombie: false,
    parent: 42,
    group: 4711,
    cpuMs: 120,
    reapedCpuMs: 70,
    threads: 11,
    rssBytes: 1000 * 16_384,
  });
});

it.runIf(ON_LINUX)("finds of this process what it knows of itself", () => {
  const stat = readProcStat(process.pid);
  const { user, system } = process.cpuUsage();
  expect(stat?.parent).toBe(process.ppid);
  expect(Math.abs((stat?.cpuMs ?? 0) - (user + system) / 1000)).toBeLessThan(100);
  expect((stat?.rssBytes ?? 0) / process.memoryUsage.rss()).toBeCloseTo(1, 0);
  const threads = readThreads(process.pid);
  expect(threads.has(process.pid)).toBe(true);
  expect([...threads.values()].reduce((sum, cpuMs) => sum + cpuMs, 0)).toBeGreaterThan(0);
});

it("finds nothing of a process that is not there", () => {
  expect(readProcStat(-1)).toBeUndefined();
  expect(readThreads(-1).size).toBe(0);
});
