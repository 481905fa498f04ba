import { cpus } from "node:os";
import { allowedCores, readText } from "../system/proc.js";
import type { Readings } from "./readings.js";

/** Reads how many cores there are, and how many of them this process may use. */
export async function readCores(): Promise<Readings["cores"]> {
  const cores = cpus();
  return {
    model: cores[0]?.model.trim() ?? "unknown",
    present: cores.length,
    allowed: allowedCores(process.pid)?.count ?? null,
    quota: smallest(await Promise.all(quotaFiles(await readText("/proc/self/cgroup")).map(readQuota))),
  };
}

/** The files with the quota of a control group and of those it is in: each of them can be the tightest. */
interface QuotaFiles {
  readonly quota: string;
  /** Only in version 1; in version 2 both stand in one file. */
  readonly period?: string;
}

/** Finds the files by the text of /proc/self/cgroup, as cgroups(7) describes it. */
export function quotaFiles(cgroups: string): readonly QuotaFiles[] {
  return [...cgroups.matchAll(/^\d+:([^:\n]*):(.*)$/gm)].flatMap(([, controllers = "", path = "/"]) => {
    const folders = withParents(path);
    if (controllers === "") return folders.map((folder) => ({ quota: `/sys/fs/cgroup${folder}cpu.max` }));
    if (!controllers.split(",").includes("cpu")) return [];
    return folders.map((folder) => ({
      quota: `/sys/fs/cgroup/${controllers}${folder}cpu.cfs_quota_us`,
      period: `/sys/fs/cgroup/${controllers}${folder}cpu.cfs_period_us`,
    }));
  });
}

/** `/a/b/`, `/a/` and `/` of `/a/b`. */
function withParents(path: string): readonly string[] {
  const names = path.split("/").filter((name) => name !== "" && name !== "..");
  return Array.from({ length: names.length + 1 }, (_, left) =>
    ["", ...names.slice(0, names.length - left), ""].join("/"),
  );
}

async function readQuota({ quota, period }: QuotaFiles): Promise<number | null> {
  const text = period === undefined ? await readText(quota) : `${await readText(quota)} ${await readText(period)}`;
  return parseQuota(text);
}

/** Reads `150000 100000`, quota and period in µs; `null` for `max`, -1 or nothing, which are no limit. */
export function parseQuota(text: string): number | null {
  const [, quota, period] = /^\s*(\d+)\s+(\d+)\s*$/.exec(text) ?? [];
  return quota === undefined || Number(period) === 0 ? null : Number(quota) / Number(period);
}

function smallest(quotas: readonly (number | null)[]): number | null {
  const limits = quotas.filter((quota) => quota !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}
