import { cpus, loadavg, totalmem } from "node:os";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { readDescriptorLimit, readNetworkSettings, readPortRange, readSockets } from "../system/ports.js";
import { allowedCores, machineShares, readMachineTimes, readText } from "../system/proc.js";
import { TOOL } from "../own-package.js";
import { findPython, importWorkerPackage } from "../workers/master.js";
import { askHost } from "../workers/ssh.js";
import type { Readings, ToolReading, WorkerReadings, WorkersToCheck } from "./diagnosis.js";
import { BALANCER_PROGRAMS } from "../servers/balancer-programs.js";
import { askProgram, messageOf, StartError, waysToInstall, withServerFolders } from "../system/program.js";

/** Reads everything but the calibration; takes a second and a little. Rejects when the signal aborts. */
export async function readMachine(signal: AbortSignal, workers?: WorkersToCheck): Promise<Readings> {
  // First of all: what is started here is load as well.
  const loadAverage = loadavg()[0] ?? 0;
  const second = await readSecond(signal);
  return {
    nodeVersion: process.version,
    cores: await readCores(),
    loadAverage,
    memory: readMemory(),
    descriptors: readDescriptorLimit("self") ?? null,
    portRange: readPortRange(),
    network: readNetworkSettings(),
    sockets: readSockets(),
    governor: (await readText("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")).trim() || null,
    ...second,
    clockStepMs: readClockStep(),
    pngProblem: await readPictureProblem(),
    tools: await readTools(signal),
    workers: await readWorkers(signal, workers),
  };
}

/** What this process may use, by its control group too. What caches would give back is available. */
function readMemory(): Readings["memory"] {
  // 0, or more than there is, where nothing limits it.
  const limitBytes = process.constrainedMemory() || Infinity;
  return { totalBytes: Math.min(totalmem(), limitBytes), availableBytes: process.availableMemory() };
}

const WINDOW_MS = 1000;
const TIMER_MS = 1;

/** Watches a second go by: what is stolen of it, and how late timers are. Rejects when the signal aborts. */
async function readSecond(signal: AbortSignal): Promise<Pick<Readings, "steal" | "timerDelay">> {
  const before = readMachineTimes();
  const delay = monitorEventLoopDelay({ resolution: TIMER_MS });
  delay.enable();
  try {
    await setTimeout(WINDOW_MS, undefined, { signal });
  } finally {
    delay.disable();
  }
  // The histogram holds the time between two runs of the timer, in ns.
  const late = (percentile: number): number => Math.max(0, delay.percentile(percentile) / 1e6 - TIMER_MS);
  return {
    steal: machineShares(before, readMachineTimes()).steal ?? null,
    timerDelay: { p50Ms: late(50), p99Ms: late(99) },
  };
}

const CLOCK_READINGS = 10_000;

/** Finds the smallest step of the clock, in ms. */
function readClockStep(): number {
  let smallest = Infinity;
  for (let reading = 0, last = performance.now(); reading < CLOCK_READINGS; reading++) {
    const time = performance.now();
    if (time > last) smallest = Math.min(smallest, time - last);
    last = time;
  }
  return smallest;
}

/** Why pictures cannot be drawn here, in a sentence; `null` when they can. Loads what draws them, which is heavy. */
async function readPictureProblem(): Promise<string | null> {
  const loading = import("../report/charts/load-canvas.js").then(({ loadCanvas }) => loadCanvas());
  return loading.then(() => null, messageOf);
}

/** Reads how many cores there are, and how many of them this process may use. */
async function readCores(): Promise<Readings["cores"]> {
  const cores = cpus();
  const files = quotaFiles(await readText("/proc/self/cgroup"));
  const texts = await Promise.all(files.map(async (names) => (await Promise.all(names.map(readText))).join(" ")));
  // A control group or any group above it can be the tightest.
  const quotas = texts.map(parseQuota).filter((quota) => quota !== null);
  return {
    model: cores[0]?.model.trim() ?? "unknown",
    present: cores.length,
    allowed: allowedCores(process.pid)?.count ?? null,
    quota: quotas.length === 0 ? null : Math.min(...quotas),
  };
}

/**
 * The files with the quota and the period of a control group and of all groups above it, by the text of /proc/self/cgroup, as in
 * cgroups(7). In version 2 both stand in one file.
 */
export function quotaFiles(cgroups: string): readonly (readonly string[])[] {
  return [...cgroups.matchAll(/^\d+:([^:\n]*):(.*)$/gm)].flatMap(([, controllers = "", path = "/"]) => {
    const names = path.split("/").filter((name) => name !== "" && name !== "..");
    // `/a/b/`, `/a/` and `/` of `/a/b`.
    const folders = [...names.keys(), names.length].map((left) =>
      ["", ...names.slice(0, names.length - left), ""].join("/"),
    );
    if (controllers === "") return folders.map((folder) => [`/sys/fs/cgroup${folder}cpu.max`]);
    if (!controllers.split(",").includes("cpu")) return [];
    return folders.map((folder) =>
      ["quota", "period"].map((what) => `/sys/fs/cgroup/${controllers}${folder}cpu.cfs_${what}_us`),
    );
  });
}

/** Reads `150000 100000`, quota and period in µs; `null` for `max`, -1 or nothing, which are no limit. */
export function parseQuota(text: string): number | null {
  const [, quota, period] = /^\s*(\d+)\s+(\d+)\s*$/.exec(text) ?? [];
  return quota === undefined || Number(period) === 0 ? null : Number(quota) / Number(period);
}

/** A program that is useful beside lbbench. */
interface Tool {
  readonly name: string;
  /** Arguments that make it print its version, to either stream. */
  readonly args: readonly string[];
  /** What goes without it. */
  readonly purpose: string;
  /** A line for a shell. */
  readonly install: string;
}

/** The programs that the doctor looks for. */
export const TOOLS: readonly Tool[] = [
  ...BALANCER_PROGRAMS.map(({ name, versionArgs, installation }): Tool => {
    const install =
      waysToInstall(installation).map(({ command }) => command.replace(/^apt-get/, "sudo apt-get"))[0] ?? "";
    return { name, args: versionArgs, purpose: "a balancer to compare with", install };
  }),
  { name: "ab", args: ["-V"], purpose: "for --engine ab", install: "sudo apt install apache2-utils" },
  { name: "go", args: ["version"], purpose: "for servers and tools in Go", install: "sudo apt install golang-go" },
  { name: "python3", args: ["--version"], purpose: "for servers in Python", install: "sudo apt install python3" },
];

/** Asks every tool for its version. Rejects, with nothing left running, when the signal aborts. */
export async function readTools(signal: AbortSignal): Promise<readonly ToolReading[]> {
  const tools = await Promise.all(
    TOOLS.map(async (tool) => ({ name: tool.name, version: await readVersion(tool, signal) })),
  );
  signal.throwIfAborted();
  return tools;
}

/** The version a tool prints, whatever its exit code; `null` when it cannot be started, or was ended by the signal. */
export async function readVersion(
  { name, args }: Pick<Tool, "name" | "args">,
  signal: AbortSignal,
): Promise<string | null> {
  const { code, output } = await askProgram(name, args, { env: withServerFolders({}), signal });
  return code === null ? null : findVersion(output);
}

/** The first number with a dot on the first line; a program that prints its usage instead may have any further down. */
function findVersion(output: string): string {
  const [first = ""] = output.trimStart().split("\n", 1);
  return /\d+\.\d+(?:\.\d+)*/.exec(first)?.[0] ?? "found; it does not tell its version";
}

/** Quicker than to import Locust. */
const LOCUST_VERSION = "from importlib.metadata import version; print(version('locust'))";

/** Looks for what workers need here, and asks their hosts all at once. Rejects, with nothing left running, when the signal aborts. */
export async function readWorkers(signal: AbortSignal, workers?: WorkersToCheck): Promise<WorkerReadings> {
  const python = findPython();
  const { code, output } = await askProgram(python, ["-c", LOCUST_VERSION], { signal });
  const packageProblem = await importWorkerPackage().then(() => null, messageOf);
  const { hosts = [], command } = workers ?? {};
  const asked = hosts.map((host) =>
    askHost(host, { command, signal }).then(
      (version) => ({ host, version, isSame: version === TOOL.version }),
      (error: unknown) => {
        if (error instanceof StartError) return { host, problem: error.message };
        throw error;
      },
    ),
  );
  await Promise.allSettled(asked);
  signal.throwIfAborted();
  return {
    asked: workers !== undefined,
    packageProblem,
    python,
    locust: code === 0 ? output.trim() : null,
    hosts: await Promise.all(asked),
  };
}
