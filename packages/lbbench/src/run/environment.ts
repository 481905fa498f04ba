import { arch, cpus, loadavg, release, totalmem, type } from "node:os";
import type { Environment } from "../model/result.js";
import { readDescriptorLimit, readNetworkSettings, readPortRange } from "../system/ports.js";

/** Describes the machine; `null` is what the system does not tell. */
export async function captureEnvironment(): Promise<Environment> {
  const cores = cpus();
  return {
    cpuModel: cores[0]?.model.trim() ?? "unknown",
    cores: cores.length,
    memoryBytes: totalmem(),
    os: `${type()} ${arch()}`,
    kernel: release(),
    node: process.version,
    fdLimit: readDescriptorLimit("self")?.soft ?? null,
    portRange: readPortRange(),
    loadAverage: loadavg()[0] ?? 0,
    network: readNetworkSettings(),
  };
}
