import { holdMs } from "../judge/port-need.js";
import type { Calibration, Check, CheckStatus, Diagnosis, Readings } from "./diagnosis.js";
import { TOOLS } from "./read-tools.js";
import { countOf } from "../stats/count-of.js";

/** What a check says of what was read; `ok` without a status. */
interface Verdict {
  readonly status?: CheckStatus;
  readonly found: string;
  readonly remedy?: string;
}

/** A check: its name, its title, and what it says, which is nothing where it was not looked at. */
type Row = readonly [id: string, title: string, judge: (readings: Readings) => Verdict | undefined];

/** Judges what was read of a machine. Pure. */
export function judgeReadings(readings: Readings): Diagnosis {
  const tools = readings.tools.map(({ name, version }): Row => [`tool-${name}`, name, () => judgeTool(name, version)]);
  const checks = [...MACHINE, ...tools, CALIBRATION].flatMap(([id, title, judge]): Check[] => {
    const verdict = judge(readings);
    return verdict === undefined ? [] : [{ id, title, status: "ok", ...verdict }];
  });
  const has = (status: CheckStatus): boolean => checks.some((check) => check.status === status);
  return { status: has("problem") ? "problem" : has("warning") ? "warning" : "ok", checks, readings };
}

const UNKNOWN: Verdict = { found: "unknown: the system does not tell" };

const warnUnless = (isGood: boolean, found: string, remedy: string, isProblem = false): Verdict =>
  isGood ? { found } : { status: isProblem ? "problem" : "warning", found, remedy };

/** What package.json promises to run on. */
const OLDEST_NODE = [20, 19] as const;
/** Share of the cores that others may keep busy. */
const QUIET_LOAD = 0.25;
const MOST_STEAL = 0.01;
/** They change the clock with the load, or keep it low. */
const SLOW_GOVERNORS: ReadonlySet<string> = new Set(["powersave", "conservative", "ondemand"]);
const LEAST_MEMORY_BYTES = 512 * 1024 ** 2;
/** Latencies are recorded to the microsecond. */
const COARSEST_CLOCK_MS = 0.01;
/** A timer of 1 ms that comes this much too late delays whatever else the process has to do as well. */
const LATE_TIMER_MS = 5;
/** The largest default level is 1000 connections, and a balancer has two descriptors for each. */
const FEW_DESCRIPTORS = 4096;
const TOO_FEW_DESCRIPTORS = 1024;
/** Twice the largest default level: the ports of a warm-up rest while the measurement takes its own. */
const FEW_PORTS = 10_000;
const TOO_FEW_PORTS = 2000;
const MOST_PORTS_RESTING = 0.5;
/** Default of Linux since 5.4, when 128 had proved too few. */
const GOOD_BACKLOG = 4096;

const MACHINE: readonly Row[] = [
  [
    "node",
    "Node.js",
    ({ nodeVersion }) => {
      const [major = 0, minor = 0] = nodeVersion.replace(/^v/, "").split(".").map(Number);
      const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
      return warnUnless(isNew, nodeVersion, `Install Node.js ${OLDEST_NODE.join(".")} or later.`, true);
    },
  ],
  [
    "png",
    "PNG charts",
    ({ pngProblem }) =>
      pngProblem === null
        ? { found: "can be drawn" }
        : warnUnless(false, "cannot be drawn; reports have no pictures", pngProblem),
  ],
  ["cores", "Cores", judgeCores],
  [
    "load",
    "Load now",
    (readings) =>
      warnUnless(
        readings.loadAverage <= usableCores(readings) * QUIET_LOAD,
        `${readings.loadAverage.toFixed(2)} on average over the last minute`,
        "Something else is running. Close it, or wait a minute, before you measure.",
      ),
  ],
  [
    "steal",
    "Stolen time",
    ({ steal }) =>
      steal === null
        ? UNKNOWN
        : warnUnless(
            steal <= MOST_STEAL,
            `${(steal * 100).toFixed(1)} % of a second`,
            "The hypervisor gives this machine's cores to others, when it likes. Use more --trials, or dedicated cores.",
          ),
  ],
  [
    "cpu-frequency",
    "CPU frequency",
    ({ governor }) =>
      governor === null
        ? { found: "unknown: not told here, as in most virtual machines" }
        : warnUnless(
            !SLOW_GOVERNORS.has(governor),
            `governor "${governor}"`,
            "The clock follows the load, so light load looks slower than it is:\nsudo cpupower frequency-set -g performance",
          ),
  ],
  [
    "memory",
    "Memory",
    ({ memory: { totalBytes, availableBytes } }) =>
      warnUnless(
        availableBytes >= LEAST_MEMORY_BYTES,
        `${gibibytes(availableBytes)} available of ${gibibytes(totalBytes)}`,
        "A machine that swaps measures its disk. Close other programs.",
      ),
  ],
  [
    "clock",
    "Clock",
    ({ clockStepMs }) =>
      warnUnless(
        clockStepMs <= COARSEST_CLOCK_MS,
        `goes in steps of ${formatStep(clockStepMs)}`,
        "Latencies below this step mean nothing. Is the clock source of the machine tsc?",
      ),
  ],
  [
    "timers",
    "Timers",
    ({ timerDelay: { p50Ms, p99Ms } }) =>
      warnUnless(
        p99Ms <= LATE_TIMER_MS,
        `${p50Ms.toFixed(1)} ms late in the middle, ${p99Ms.toFixed(1)} ms for one in a hundred`,
        "Processes wait for a core even now. Close other programs; high percentiles would show them.",
      ),
  ],
  [
    "open-files",
    "Open files",
    ({ descriptors }) => {
      if (descriptors === null) return UNKNOWN;
      const { soft, hard } = descriptors;
      const limit = (value: number | null): string => (value === null ? "no limit" : whole(value));
      return warnUnless(
        soft === null || soft >= FEW_DESCRIPTORS,
        `${limit(soft)} per process (hard limit ${limit(hard)})`,
        `A balancer takes two for each connection, so about ${Math.floor((soft ?? 0) / 2)} connections are the most. As root, before lbbench in the same shell:\nulimit -n 65536`,
        (soft ?? 0) < TOO_FEW_DESCRIPTORS,
      );
    },
  ],
  [
    "ports",
    "Local ports",
    ({ network: { ephemeralPorts }, portRange }) =>
      ephemeralPorts === null || portRange === null
        ? UNKNOWN
        : warnUnless(
            ephemeralPorts >= FEW_PORTS,
            `${whole(ephemeralPorts)} for connections to one address and port (${portRange.join(" to ")})`,
            'The generator runs out of them before the target does. Widen the range:\nsudo sysctl -w net.ipv4.ip_local_port_range="1024 65535"',
            ephemeralPorts < TOO_FEW_PORTS,
          ),
  ],
  [
    "time-wait",
    "TIME_WAIT",
    ({ network, sockets }) =>
      sockets === null
        ? UNKNOWN
        : warnUnless(
            network.ephemeralPorts === null || sockets.timeWait <= network.ephemeralPorts * MOST_PORTS_RESTING,
            `${countOf(sockets.timeWait, "socket")} now; ${describeRest(network)}`,
            "Ports that rest cannot be used. Wait a minute before you measure.",
          ),
  ],
  [
    "backlog",
    "Backlog",
    ({ network: { somaxconn } }) =>
      somaxconn === null
        ? UNKNOWN
        : warnUnless(
            somaxconn >= GOOD_BACKLOG,
            `somaxconn ${whole(somaxconn)}`,
            `Connections that find the backlog full are tried again after 1 s, which looks like latency:\nsudo sysctl -w net.core.somaxconn=${GOOD_BACKLOG}`,
          ),
  ],
];

/** A generator, a balancer and a backend, each with a core of its own, and one for everything else. */
const ENOUGH_CORES = 4;

/** Cores that can be used at a time, whatever it is that limits them. */
function usableCores({ cores: { present, allowed, quota } }: Pick<Readings, "cores">): number {
  return Math.min(present, allowed ?? present, quota ?? present);
}

function judgeCores({ cores }: Readings): Verdict {
  const { model, present, allowed, quota } = cores;
  const usable = usableCores({ cores });
  const count = `${Number(usable.toFixed(1))}`;
  if (usable < present) {
    const why = quota === usable ? "by its control group" : `by its affinity (${allowed} allowed)`;
    return warnUnless(
      false,
      `${count} of ${present} may be used, limited ${why} (${model})`,
      "Give the container or the shell more cores; a process that is throttled answers in bursts.",
      usable < 2,
    );
  }
  const remedy =
    usable < 2
      ? "Generator and target take turns on one core, so no throughput is the target's. Use two cores or more."
      : "Generator, balancer and backends share the cores. Compare targets with each other only, or load a target on another machine.";
  return warnUnless(usable >= ENOUGH_CORES, `${count} (${model})`, remedy, usable < 2);
}

function describeRest(network: Readings["network"]): string {
  const seconds = (toLoopback: boolean): string => `${Number((holdMs(network, toLoopback) / 1000).toFixed(1))} s`;
  const reuse = network.tcpTwReuse === null ? "" : ` (tcp_tw_reuse=${network.tcpTwReuse})`;
  return seconds(true) === seconds(false)
    ? `a port rests for ${seconds(true)}${reuse}`
    : `a port rests for ${seconds(true)} on the loopback, else ${seconds(false)}${reuse}`;
}

/** A tool that is missing is worth a warning, because lbbench works without it. */
function judgeTool(name: string, version: string | null): Verdict {
  const tool = TOOLS.find((one) => one.name === name);
  return version === null
    ? warnUnless(false, `not found; ${tool?.purpose ?? ""}`, `Install it, if you need it:\n${tool?.install ?? name}`)
    : { found: version };
}

/** What the load generator can do at most; nothing when it was not measured. */
const CALIBRATION: Row = [
  "calibration",
  "Generator",
  ({ calibration }) => {
    if (calibration === undefined) return undefined;
    if ("failure" in calibration) {
      return warnUnless(
        false,
        `no load could be generated: ${calibration.failure}`,
        "Without this lbbench measures nothing here. Is 127.0.0.1 up, and may processes be started?",
        true,
      );
    }
    if (calibration.failed === 0) return judgeCalibration(calibration);
    return warnUnless(
      false,
      `${countOf(calibration.failed, "request")} to a server of our own failed`,
      "Something between two processes of this machine fails; see open files and local ports above, and whether 127.0.0.1 is up.",
      true,
    );
  },
];

/** A process of one thread this busy has no more to give. */
const SATURATION = 0.9;

function judgeCalibration(calibration: Calibration): Verdict {
  const { requestsPerSecond, connections, p99Ms, generatorCpu, generatorLoop, serverCpu } = calibration;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, requestsPerSecond))) - 1);
  const rate = whole(Math.round(requestsPerSecond / step) * step);
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  const p99 = p99Ms === null ? "" : `, p99 ${p99Ms.toFixed(1)} ms`;
  const cores = `generator ${percent(generatorCpu)}, server ${percent(serverCpu)} of a core`;
  const measured = `${rate} requests/s from a server that does next to nothing (${countOf(connections, "connection")}${p99}; ${cores}).`;
  if (Math.max(generatorCpu, generatorLoop) >= SATURATION && generatorCpu >= serverCpu) {
    return { found: `${measured} Throughputs near ${rate} requests/s on this machine are limited by the generator.` };
  }
  const isServer = serverCpu >= SATURATION;
  const limit = isServer
    ? "the server was the limit, so the generator can do more"
    : "neither generator nor server was busy all the time, so the cores were";
  return warnUnless(
    isServer,
    `${measured} Here ${limit}. Throughputs near ${rate} requests/s on this machine may still be limited by the generator.`,
    "Close other programs and run lbbench doctor again, to learn what the generator can do.",
  );
}

function whole(value: number): string {
  return value.toLocaleString("en-US");
}

function gibibytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}

function formatStep(stepMs: number): string {
  return stepMs < 0.001 ? `${Math.max(1, Math.round(stepMs * 1e6))} ns` : `${Number((stepMs * 1000).toFixed(1))} µs`;
}
