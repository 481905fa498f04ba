import { holdMs } from "../judge/port-need.js";
import { countOf } from "../stats/format-number.js";
import type { Calibration, Check, CheckStatus, Diagnosis, Readings } from "./diagnosis.js";
import { TOOLS } from "./read-machine.js";

/** A check of the machine: what is looked at, when that is bad, and what to do then. What the system does not tell is not bad. */
interface Row {
  readonly id: string;
  readonly title: string;
  /** What was found; `null` where the system does not tell. */
  readonly found: (readings: Readings) => string | null;
  readonly isProblem?: (readings: Readings) => boolean;
  readonly isWarning?: (readings: Readings) => boolean;
  readonly remedy: string | ((readings: Readings) => string);
}

/** A check with what to do if it were bad. */
type Judged = Required<Check>;

/** Judges what was read of a machine. Pure. */
export function judgeReadings(readings: Readings): Diagnosis {
  const { tools, workers, calibration } = readings;
  const judged = [
    ...MACHINE.map((row) => judgeRow(row, readings)),
    ...tools.map(judgeTool),
    ...judgeWorkers(workers),
    ...(calibration === undefined ? [] : [judgeCalibration(calibration)]),
  ];
  const checks = judged.map(({ remedy, ...check }): Check => (check.status === "ok" ? check : { ...check, remedy }));
  const has = (status: CheckStatus): boolean => checks.some((check) => check.status === status);
  return { status: has("problem") ? "problem" : has("warning") ? "warning" : "ok", checks, readings };
}

function judgeRow({ id, title, found: find, isProblem, isWarning, remedy }: Row, readings: Readings): Judged {
  const found = find(readings);
  if (found === null) return { id, title, status: "ok", found: "unknown: the system does not tell", remedy: "" };
  const status = isProblem?.(readings) === true ? "problem" : isWarning?.(readings) === true ? "warning" : "ok";
  return { id, title, status, found, remedy: typeof remedy === "string" ? remedy : remedy(readings) };
}

/** What package.json promises to run on. */
const OLDEST_NODE = [20, 19] as const;
/** They change the clock with the load, or keep it low. */
const SLOW_GOVERNORS: ReadonlySet<string | null> = new Set(["powersave", "conservative", "ondemand"]);
/** Default of Linux since 5.4, when 128 had proved too few. */
const GOOD_BACKLOG = 4096;

const MACHINE: readonly Row[] = [
  {
    id: "node",
    title: "Node.js",
    found: ({ nodeVersion }) => nodeVersion,
    isProblem: ({ nodeVersion }) => {
      const [major = 0, minor = 0] = nodeVersion.replace(/^v/, "").split(".").map(Number);
      return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
    },
    remedy: `Install Node.js ${OLDEST_NODE.join(".")} or later.`,
  },
  {
    id: "png",
    title: "PNG charts",
    found: ({ pngProblem }) => (pngProblem === null ? "can be drawn" : "cannot be drawn; reports have no pictures"),
    isWarning: ({ pngProblem }) => pngProblem !== null,
    remedy: ({ pngProblem }) => pngProblem ?? "",
  },
  {
    id: "cores",
    title: "Cores",
    found: describeCores,
    isProblem: (readings) => usableCores(readings) < 2,
    // A generator, a balancer and a backend, each with a core of its own, and one for everything else.
    isWarning: (readings) => usableCores(readings) < Math.max(4, readings.cores.present),
    remedy: (readings) => {
      const usable = usableCores(readings);
      if (usable < readings.cores.present) {
        return "Give the container or the shell more cores; a process that is throttled answers in bursts.";
      }
      return usable < 2
        ? "Generator and target take turns on one core, so no throughput is the target's. Use two cores or more."
        : "Generator, balancer and backends share the cores. Compare targets with each other only, or load a target on another machine.";
    },
  },
  {
    id: "load",
    title: "Load now",
    found: ({ loadAverage }) => `${loadAverage.toFixed(2)} on average over the last minute`,
    // A quarter of the cores may be busy with something else.
    isWarning: (readings) => readings.loadAverage > usableCores(readings) * 0.25,
    remedy: "Something else is running. Close it, or wait a minute, before you measure.",
  },
  {
    id: "steal",
    title: "Stolen time",
    found: ({ steal }) => (steal === null ? null : `${(steal * 100).toFixed(1)} % of a second`),
    isWarning: ({ steal }) => (steal ?? 0) > 0.01,
    remedy:
      "The hypervisor gives this machine's cores to others, when it likes. Use more --trials, or dedicated cores.",
  },
  {
    id: "cpu-frequency",
    title: "CPU frequency",
    found: ({ governor }) =>
      governor === null ? "unknown: not told here, as in most virtual machines" : `governor "${governor}"`,
    isWarning: ({ governor }) => SLOW_GOVERNORS.has(governor),
    remedy:
      "The clock follows the load, so light load looks slower than it is:\nsudo cpupower frequency-set -g performance",
  },
  {
    id: "memory",
    title: "Memory",
    found: ({ memory }) => `${gibibytes(memory.availableBytes)} available of ${gibibytes(memory.totalBytes)}`,
    isWarning: ({ memory }) => memory.availableBytes < 512 * 1024 ** 2,
    remedy: "A machine that swaps measures its disk. Close other programs.",
  },
  {
    id: "clock",
    title: "Clock",
    found: ({ clockStepMs: step }) => {
      const text =
        step < 0.001 ? `${Math.max(1, Math.round(step * 1e6))} ns` : `${Number((step * 1000).toFixed(1))} µs`;
      return `goes in steps of ${text}`;
    },
    // Latencies are recorded to the microsecond.
    isWarning: ({ clockStepMs }) => clockStepMs > 0.01,
    remedy: "Latencies below this step mean nothing. Is the clock source of the machine tsc?",
  },
  {
    id: "timers",
    title: "Timers",
    found: ({ timerDelay: { p50Ms, p99Ms } }) =>
      `${p50Ms.toFixed(1)} ms late in the middle, ${p99Ms.toFixed(1)} ms for one in a hundred`,
    // What delays a timer of 1 ms also delays the other work of the process.
    isWarning: ({ timerDelay }) => timerDelay.p99Ms > 5,
    remedy: "Processes wait for a core even now. Close other programs; high percentiles would show them.",
  },
  {
    id: "open-files",
    title: "Open files",
    found: ({ descriptors }) => {
      const limit = (value: number | null): string => (value === null ? "no limit" : whole(value));
      return descriptors && `${limit(descriptors.soft)} per process (hard limit ${limit(descriptors.hard)})`;
    },
    // The largest default level is 1000 connections, and a balancer has two descriptors for each.
    isProblem: ({ descriptors }) => (descriptors?.soft ?? Infinity) < 1024,
    isWarning: ({ descriptors }) => (descriptors?.soft ?? Infinity) < 4096,
    remedy: ({ descriptors }) =>
      `A balancer takes two for each connection, so about ${Math.floor((descriptors?.soft ?? 0) / 2)} connections are the most. As root, before lbbench in the same shell:\nulimit -n 65536`,
  },
  {
    id: "ports",
    title: "Local ports",
    found: ({ network: { ephemeralPorts: ports }, portRange: range }) =>
      ports === null || range === null
        ? null
        : `${whole(ports)} for connections to one address and port (${range.join(" to ")})`,
    isProblem: ({ network }) => (network.ephemeralPorts ?? Infinity) < 2000,
    // Twice the largest default level, and room: the ports of a warm-up rest while the measurement takes its own.
    isWarning: ({ network }) => (network.ephemeralPorts ?? Infinity) < 10_000,
    remedy:
      'The generator runs out of them before the target does. Widen the range:\nsudo sysctl -w net.ipv4.ip_local_port_range="1024 65535"',
  },
  {
    id: "time-wait",
    title: "TIME_WAIT",
    found: ({ network, sockets }) => sockets && `${countOf(sockets.timeWait, "socket")} now; ${describeRest(network)}`,
    isWarning: ({ network, sockets }) => (sockets?.timeWait ?? 0) > (network.ephemeralPorts ?? Infinity) / 2,
    remedy: "Ports that rest cannot be used. Wait a minute before you measure.",
  },
  {
    id: "backlog",
    title: "Backlog",
    found: ({ network: { somaxconn } }) => (somaxconn === null ? null : `somaxconn ${whole(somaxconn)}`),
    isWarning: ({ network }) => (network.somaxconn ?? Infinity) < GOOD_BACKLOG,
    remedy: `Connections that find the backlog full are tried again after 1 s, which looks like latency:\nsudo sysctl -w net.core.somaxconn=${GOOD_BACKLOG}`,
  },
];

/** Cores that can be used at a time: present, allowed by affinity, and within the quota. */
function usableCores({ cores: { present, allowed, quota } }: Readings): number {
  return Math.min(present, allowed ?? present, quota ?? present);
}

function describeCores(readings: Readings): string {
  const { model, present, allowed, quota } = readings.cores;
  const usable = usableCores(readings);
  const count = `${Number(usable.toFixed(1))}`;
  if (usable >= present) return `${count} (${model})`;
  const why = quota === usable ? "by its control group" : `by its affinity (${allowed} allowed)`;
  return `${count} of ${present} may be used, limited ${why} (${model})`;
}

function describeRest(network: Readings["network"]): string {
  const seconds = (toLoopback: boolean): string => `${Number((holdMs(network, toLoopback) / 1000).toFixed(1))} s`;
  const reuse = network.tcpTwReuse === null ? "" : ` (tcp_tw_reuse=${network.tcpTwReuse})`;
  return seconds(true) === seconds(false)
    ? `a port rests for ${seconds(true)}${reuse}`
    : `a port rests for ${seconds(true)} on the loopback, else ${seconds(false)}${reuse}`;
}

/** A tool that is missing is worth a warning, because lbbench works without it. */
function judgeTool({ name, version }: Readings["tools"][number]): Judged {
  const { purpose, install } = TOOLS.find((tool) => tool.name === name) ?? { purpose: "", install: name };
  return {
    id: `tool-${name}`,
    title: name,
    status: version === null ? "warning" : "ok",
    found: version ?? `not found; ${purpose}`,
    remedy: `Install it, if you need it:\n${install}`,
  };
}

/** The releases of Locust that are known to work. */
const GOOD_LOCUST = /^2\.(?:1[5-9]|[2-9]\d|\d{3,})(?!\d)/;

/** What load from many machines takes, which is missed only where it was asked for; and the hosts that were asked. */
function judgeWorkers({ asked, packageProblem, python, locust, hosts }: Readings["workers"]): readonly Judged[] {
  const isGood = locust !== null && GOOD_LOCUST.test(locust);
  const missing = [
    ...(packageProblem === null ? [] : [asked ? packageProblem.replace(/: npm .*/, "") : "@lbbench/worker"]),
    ...(isGood ? [] : [locust === null ? `Locust (by ${python})` : `Locust 2.15 to 2.x (this is ${locust})`]),
  ];
  const commands = [
    ...(packageProblem === null ? [] : ["npm install @lbbench/worker"]),
    ...(isGood ? [] : [`pipx install ${locust === null ? "" : "--force "}locust`]),
  ];
  const isComplete = missing.length === 0;
  const need = asked ? "missing" : "not needed on one machine; for more are missing";
  const here: Judged = {
    id: "workers",
    title: "Workers",
    status: asked && !isComplete ? "problem" : "ok",
    found: isComplete ? `@lbbench/worker and Locust ${locust} are here` : `${need}: ${missing.join(", ")}`,
    remedy: `Install what is missing, on the machine that runs lbbench:\n${commands.join("\n")}`,
  };
  const there = hosts.map((told): Judged => {
    const row = { id: `worker-${told.host}`, title: told.host };
    if ("problem" in told) return { ...row, status: "problem", found: "lbbench was not reached", remedy: told.problem };
    const remedy =
      "A run needs the same version on all machines. Leave --workers-command out, or install this version there.";
    return { ...row, status: told.isSame ? "ok" : "problem", found: `lbbench ${told.version}`, remedy };
  });
  return [here, ...there];
}

/** A process of one thread this busy has no more to give. */
const SATURATION = 0.9;

/** What the load generator can do at most. */
function judgeCalibration(calibration: NonNullable<Readings["calibration"]>): Judged {
  const row = { id: "calibration", title: "Generator" };
  if ("failure" in calibration) {
    const remedy = "Without this lbbench measures nothing here. Is 127.0.0.1 up, and may processes be started?";
    return { ...row, status: "problem", found: `no load could be generated: ${calibration.failure}`, remedy };
  }
  const { failed, generatorCpu, generatorLoop, serverCpu } = calibration;
  if (failed > 0) {
    const remedy =
      "Something between two processes of this machine fails; see open files and local ports above, and whether 127.0.0.1 is up.";
    return { ...row, status: "problem", found: `${countOf(failed, "request")} to a server of our own failed`, remedy };
  }
  const isGenerator = Math.max(generatorCpu, generatorLoop) >= SATURATION && generatorCpu >= serverCpu;
  const remedy = "Close other programs and run lbbench doctor again, to learn what the generator can do.";
  const status = isGenerator || serverCpu >= SATURATION ? "ok" : "warning";
  return { ...row, status, found: describeCalibration(calibration, isGenerator), remedy };
}

function describeCalibration(calibration: Calibration, isGenerator: boolean): string {
  const { requestsPerSecond, connections, p99Ms, generatorCpu, serverCpu } = calibration;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, requestsPerSecond))) - 1);
  const rate = whole(Math.round(requestsPerSecond / step) * step);
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  const p99 = p99Ms === null ? "" : `, p99 ${p99Ms.toFixed(1)} ms`;
  const cores = `generator ${percent(generatorCpu)}, server ${percent(serverCpu)} of a core`;
  const limit =
    serverCpu >= SATURATION
      ? "the server was the limit, so the generator can do more"
      : "neither generator nor server was busy all the time, so the cores were";
  const near = `Throughputs near ${rate} requests/s on this machine`;
  return (
    `${rate} requests/s from a server that does next to nothing (${countOf(connections, "connection")}${p99}; ${cores}). ` +
    (isGenerator
      ? `${near} are limited by the generator, the engine autocannon. --engine wire needs less processor time for each request.`
      : `Here ${limit}. ${near} may still be limited by the generator.`)
  );
}

function whole(value: number): string {
  return value.toLocaleString("en-US");
}

function gibibytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
