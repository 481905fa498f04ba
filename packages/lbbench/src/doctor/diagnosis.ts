import type { NetworkSettings } from "../model/pressure.js";
import type { SocketCounts } from "../system/ports.js";

/** A tool that lbbench can start, or that its users compare it with. */
export interface ToolReading {
  readonly name: string;
  /** `null` when it was not found. */
  readonly version: string | null;
}

/** Workers that are to be used. */
export interface WorkersToCheck {
  /** Asked by ssh. */
  readonly hosts?: readonly string[];
  /** Starts lbbench on them; npx without it. */
  readonly command?: string;
}

/** What load from many machines takes, and whether it is here. */
export interface WorkerReadings {
  /** Whether workers were asked for; without them nothing of this is needed. */
  readonly asked: boolean;
  /** Why the package `@lbbench/worker` cannot be used; `null` when it can. */
  readonly packageProblem: string | null;
  /** The Python that is asked for Locust. */
  readonly python: string;
  /** Version of its Locust; `null` where it has none. */
  readonly locust: string | null;
  /** The hosts that were asked by ssh: which lbbench they run, or why none. */
  readonly hosts: readonly ({ readonly host: string } & (
    | { readonly version: string; readonly isSame: boolean }
    | { readonly problem: string }
  ))[];
}

/** How fast the load generator can be on this machine. */
export interface Calibration {
  /** Answers per second of a server that does next to nothing. */
  readonly requestsPerSecond: number;
  readonly p99Ms: number | null;
  readonly connections: number;
  /** Processor time over wall time of the generator: 1 is a core. */
  readonly generatorCpu: number;
  /** Share of the time in which its event loop never waited. */
  readonly generatorLoop: number;
  readonly serverCpu: number;
  readonly failed: number;
}

/** Everything that is read of a machine before it is judged; `null` where the system does not tell. */
export interface Readings {
  readonly nodeVersion: string;
  readonly cores: {
    readonly model: string;
    readonly present: number;
    /** That the process may run on. */
    readonly allowed: number | null;
    /** Cores' worth of time that its control group is given; may be a fraction. */
    readonly quota: number | null;
  };
  readonly loadAverage: number;
  readonly memory: { readonly totalBytes: number; readonly availableBytes: number };
  readonly descriptors: { readonly soft: number | null; readonly hard: number | null } | null;
  readonly portRange: readonly [first: number, last: number] | null;
  readonly network: NetworkSettings;
  readonly sockets: SocketCounts | null;
  /** What decides on the clock of the processors: `performance`, `powersave`, ... */
  readonly governor: string | null;
  /** Share of a second that a hypervisor gave to other machines. */
  readonly steal: number | null;
  /** Smallest step of the clock that was seen. */
  readonly clockStepMs: number;
  /** How late a timer of 1 ms was, over a second. */
  readonly timerDelay: { readonly p50Ms: number; readonly p99Ms: number };
  /** Why pictures cannot be drawn; `null` when they can. */
  readonly pngProblem: string | null;
  readonly tools: readonly ToolReading[];
  readonly workers: WorkerReadings;
  /** Absent when it was left out, a text when it failed. */
  readonly calibration?: Calibration | { readonly failure: string };
}

/** `ok`: good for measuring. `warning`: some figures will mean less. `problem`: something cannot be measured here at all. */
export type CheckStatus = "ok" | "warning" | "problem";

/** One thing that was looked at. */
export interface Check {
  /** Lower case, with dashes: `open-files`. A machine-readable name; it stays the same from release to release. */
  readonly id: string;
  readonly title: string;
  readonly status: CheckStatus;
  /** What was found: a line, or a sentence or two. */
  readonly found: string;
  /** What to do about it, and why, with a command for a shell as its last line; only with a warning or a problem. */
  readonly remedy?: string;
}

/** What this machine can and cannot measure. */
export interface Diagnosis {
  /** The worst of the checks. */
  readonly status: CheckStatus;
  readonly checks: readonly Check[];
  /** What the checks are made from. */
  readonly readings: Readings;
}
