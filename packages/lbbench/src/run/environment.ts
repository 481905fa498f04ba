import { readFile } from "node:fs/promises";
import { arch, cpus, loadavg, release, totalmem, type } from "node:os";
import type { Environment } from "../model/result.js";

/** Describes the machine; what the system does not tell is `null`. */
export async function captureEnvironment(): Promise<Environment> {
  const cores = cpus();
  return {
    cpuModel: cores[0]?.model.trim() ?? "unknown",
    cores: cores.length,
    memoryBytes: totalmem(),
    os: `${type()} ${arch()}`,
    kernel: release(),
    node: process.version,
    fdLimit: await readFdLimit(),
    portRange: await readPortRange(),
    loadAverage: loadavg()[0] ?? 0,
  };
}

async function readFdLimit(): Promise<number | null> {
  const limits = await readOrNothing("/proc/self/limits");
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? null : Number(soft);
}

async function readPortRange(): Promise<readonly [number, number] | null> {
  const [first, last] = (await readOrNothing("/proc/sys/net/ipv4/ip_local_port_range")).trim().split(/\s+/).map(Number);
  return first === undefined || last === undefined ? null : [first, last];
}

async function readOrNothing(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return "";
  }
}
