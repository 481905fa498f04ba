import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { describe, expect, it } from "vitest";
import { allowedCores, parseCoreList } from "./allowed-cores.js";

describe("parseCoreList", () => {
  it.each([
    ["0", [0]],
    ["0-3", [0, 1, 2, 3]],
    ["0-1,4,6-7", [0, 1, 4, 6, 7]],
    ["nonsense", []],
  ])("reads %s", (list, cores) => {
    expect(parseCoreList(list)).toEqual(cores);
  });
});

it.runIf(process.platform === "linux")("finds the cores of this process, and none of one that is not there", () => {
  const { numbers = [], count = 0 } = allowedCores(process.pid) ?? {};
  expect(count).toBeGreaterThan(0);
  expect(numbers).toHaveLength(count);
  expect(count).toBeLessThanOrEqual(cpus().length);
  expect(allowedCores(-1)).toBeUndefined();
});

it.runIf(process.platform === "linux").each([
  ["1", 1],
  ["100000", cpus().length],
  ["nonsense", cpus().length],
])("takes a process with GOMAXPROCS=%s for one that uses %d cores at most", async (limit, most) => {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { env: { FIRST: "1", GOMAXPROCS: limit } });
  try {
    await once(child, "spawn");
    const { numbers = [], count } = allowedCores(child.pid ?? -1) ?? {};
    expect(count).toBe(Math.min(most, numbers.length));
  } finally {
    child.stdin.end();
    await once(child, "exit");
  }
});
