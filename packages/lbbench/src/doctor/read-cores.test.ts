import { availableParallelism, cpus } from "node:os";
import { describe, expect, it } from "vitest";
import { parseQuota, quotaFiles, readCores } from "./read-cores.js";

describe("quotaFiles", () => {
  it("finds those of a group of version 2 and of all it is in", () => {
    expect(quotaFiles("0::/system.slice/docker-1.scope\n").map(({ quota }) => quota)).toEqual([
      "/sys/fs/cgroup/system.slice/docker-1.scope/cpu.max",
      "/sys/fs/cgroup/system.slice/cpu.max",
      "/sys/fs/cgroup/cpu.max",
    ]);
  });

  it("finds those of version 1, and no others", () => {
    expect(quotaFiles("9:name=systemd:/\n4:memory:/a\n1:cpu,cpuacct:/a\n3:cpuset:/a\n")).toEqual([
      {
        quota: "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us",
        period: "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us",
      },
      {
        quota: "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us",
        period: "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us",
      },
    ]);
  });

  it("finds none where there are none", () => {
    expect(quotaFiles("")).toEqual([]);
  });

  it("never leaves the folder of the groups", () => {
    expect(quotaFiles("0::/../../etc\n").every(({ quota }) => !quota.includes(".."))).toBe(true);
  });
});

describe("parseQuota", () => {
  it.each([
    ["150000 100000\n", 1.5],
    ["50000\n 100000\n", 0.5],
    ["max 100000\n", null],
    ["-1\n 100000\n", null],
    ["", null],
    [" ", null],
  ])("reads %j as %j", (text, expected) => {
    expect(parseQuota(text)).toBe(expected);
  });
});

it("reads the cores of this machine", async () => {
  const { present, allowed, quota, model } = await readCores();
  expect(present).toBe(cpus().length);
  expect(model).not.toBe("");
  expect(allowed ?? present).toBeGreaterThanOrEqual(Math.min(1, availableParallelism()));
  expect(quota === null || quota > 0).toBe(true);
});
