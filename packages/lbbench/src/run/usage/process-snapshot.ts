import type { LoopReading } from "../../probe/loop-utilization.js";
import type { AllowedCores } from "../../system/proc.js";
import type { ProcessReading } from "./read-processes.js";

/** What is known of processes at one moment, by pid. */
export interface ProcessSnapshot {
  /** The descendants of those that were asked for, themselves first. */
  readonly trees: ReadonlyMap<number, readonly number[]>;
  readonly processes: ReadonlyMap<number, ProcessReading>;
  /** Processor time of each thread in ms, by process and thread; at the end only of processes that used any. */
  readonly threads: ReadonlyMap<number, ReadonlyMap<number, number>>;
  readonly loops: ReadonlyMap<number, LoopReading>;
}

/** What is known at the end. */
export interface ClosingSnapshot extends ProcessSnapshot {
  readonly cores: ReadonlyMap<number, AllowedCores>;
}
