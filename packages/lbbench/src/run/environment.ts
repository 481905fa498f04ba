import { arch, cpus, loadavg, release, totalmem, type } from "node:os";
import type { Environment } from "../model/result.js";
import { readDescriptorLimit, readNetworkSettings, readPortRange } from "../system/ports.js";

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
    fdLimit: readDescriptorLimit("self")?.soft ?? null,
    portRange: readPortRange(),
    loadAverage: loadavg()[0] ?? 0,
    network: readNetworkSettings(),
  };
}
