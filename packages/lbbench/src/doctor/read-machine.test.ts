import { describe, expect, it } from "vitest";
import { parseQuota, quotaFiles } from "./read-machine.js";

describe("quotaFiles", () => {
  it.each([
    ["0::/system.slice/docker-1.scope\n", ["system.slice/docker-1.scope/cpu.max", "system.slice/cpu.max", "cpu.max"]],
    [
      "9:name=systemd:/\n4:memory:/a\n1:cpu,cpuacct:/a\n3:cpuset:/a\n",
      ["cpu,cpuacct/a/cpu.cfs_quota_us", "cpu,cpuacct/cpu.cfs_quota_us"],
    ],
    ["", []],
  ])("finds those of a group and of all it is in: %j", (groups, files) => {
    expect(quotaFiles(groups).map(([quota]) => quota)).toEqual(files.map((file) => `/sys/fs/cgroup/${file}`));
  });

  it("never leaves the folder of the groups", () => {
    expect(quotaFiles("0::/../../etc\n").filter(([quota]) => quota?.includes(".."))).toEqual([]);
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
