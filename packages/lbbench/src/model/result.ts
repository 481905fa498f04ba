import type { Finding, Verdict } from "./finding.js";
import type { Level } from "./level.js";
import type { Measurement } from "./measurement.js";
import type { NetworkSettings, Pressure } from "./pressure.js";
import type { SearchOutcome } from "./search.js";
import type { ToldScenario } from "./scenario.js";
import type { Usage } from "./usage.js";

/** The machine a run was made on. */
export interface Environment {
  readonly cpuModel: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly os: string;
  readonly kernel: string;
  readonly node: string;
  /** Open files one process may have; `null` where the system does not tell. */
  readonly fdLimit: number | null;
  /** Ephemeral ports, first and last; `null` where the system does not tell. */
  readonly portRange: readonly [first: number, last: number] | null;
  /** Load average over one minute before the run; a busy machine measures badly. */
  readonly loadAverage: number;
  /** What the system allows for connections; absent in files of 0.1.0. */
  readonly network?: NetworkSettings;
}

/** The identity of a step: target x level x trial. */
export interface StepKey {
  readonly target: string;
  readonly level: Level;
  /** From 1. */
  readonly trial: number;
}

/** A step that was executed, and what came of it. */
export interface StepResult extends StepKey {
  readonly engine: string;
  /** `completed`: ran to its end. `failed`: no measurement, or one cut short by a fault. `aborted`: interrupted. */
  readonly state: "completed" | "failed" | "aborted";
  readonly error?: { readonly code: string; readonly message: string };
  /** The load before it that is not counted. `steady`: whether its throughput was in the end; `null` of a fixed time, which is not asked. */
  readonly warmup?: { readonly durationMs: number; readonly steady: boolean | null };
  /** Generators that the load was split over, where their number was chosen. */
  readonly generators?: number;
  readonly measurement?: Measurement;
  readonly usage?: Usage;
  /** What it took of the ports and descriptors there are; absent where no load was sent, and in files of 0.1.0. */
  readonly pressure?: Pressure;
  readonly findings: readonly Finding[];
}

/** A file that was imported. */
export interface ImportedFile {
  /** As it was given; `-` for the standard input. */
  readonly name: string;
  /** When it was last changed, ISO 8601; `null` where that is not known. */
  readonly modifiedAt: string | null;
  /** Names of the programs whose output it holds. */
  readonly programs: readonly string[];
  /** How many runs it holds. */
  readonly runs: number;
}

/** Where a result comes from that lbbench has not measured. */
export interface Imported {
  readonly files: readonly ImportedFile[];
}

/** The content of result.json, version 1. */
export interface Result {
  readonly version: 1;
  readonly tool: { readonly name: string; readonly version: string };
  /** Of imported output: the earliest of the starts of its steps. */
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** When it was gone on with after an interruption, each time; absent when it never was. */
  readonly resumedAt?: readonly string[];
  /** Whether every planned step was executed. */
  readonly complete: boolean;
  /** The command line that repeats this run, or `null` when it was started from a program. */
  readonly command: string | null;
  /**
   * Folder in which the paths in its scenario begin, absolute; there as long as a step is missing or has failed, so that the run
   * can be gone on with from any folder. Absent otherwise, and in files of earlier releases.
   */
  readonly folder?: string;
  /** What it was imported from; absent in results that lbbench has measured. */
  readonly imported?: Imported;
  readonly scenario: ToldScenario;
  /** `null` of imported output, which does not tell the machine. */
  readonly environment: Environment | null;
  readonly steps: readonly StepResult[];
  /** What was found for each target, where the scenario is a search. */
  readonly search?: readonly SearchOutcome[];
  readonly verdict: Verdict;
}
