import { freemem, loadavg, totalmem } from "node:os";
import { readDescriptorLimit, readNetworkSettings, readPortRange, readSockets } from "../system/ports.js";
import { readText } from "../system/proc.js";
import { readCores } from "./read-cores.js";
import { readPictureProblem } from "./read-pictures.js";
import { readClockStep, readSecond } from "./read-second.js";
import { readTools } from "./read-tools.js";
import type { Readings } from "./readings.js";

/** Reads everything but the calibration; takes a second and a little. Rejects when the signal aborts. */
export async function readMachine(signal: AbortSignal): Promise<Readings> {
  // First of all: what is started here is load as well.
  const loadAverage = loadavg()[0] ?? 0;
  const second = await readSecond(signal);
  return {
    nodeVersion: process.version,
    cores: await readCores(),
    loadAverage,
    memory: await readMemory(),
    descriptors: readDescriptorLimit("self") ?? null,
    portRange: readPortRange(),
    network: readNetworkSettings(),
    sockets: readSockets(),
    governor: (await readText("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")).trim() || null,
    ...second,
    clockStepMs: readClockStep(),
    pngProblem: await readPictureProblem(),
    tools: await readTools(signal),
  };
}

/** Linux counts what caches would give back as available; `freemem` of Node.js 20 does so as well, elsewhere it does not. */
async function readMemory(): Promise<Readings["memory"]> {
  const kibibytes = /^MemAvailable:\s+(\d+) kB/m.exec(await readText("/proc/meminfo"))?.[1];
  return {
    totalBytes: totalmem(),
    availableBytes: kibibytes === undefined ? freemem() : Number(kibibytes) * 1024,
  };
}
