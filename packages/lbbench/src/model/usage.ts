/** The part a process plays in a step. */
export type Role = "generator" | "balancer" | "backend";

/** A process to watch. */
export interface WatchedProcess {
  readonly pid: number;
  readonly role: Role;
  /** `backend-2`, `worker 3`: unique within a target. */
  readonly name: string;
  /** Count its descendants with it. */
  readonly tree: boolean;
}

/** What one process (with its descendants where it was asked) used while a measurement ran. */
export interface ProcessUsage {
  readonly name: string;
  readonly pid: number;
  /** Processor time over wall time; 1 is one core kept busy. */
  readonly cpu: number;
  /** Largest resident memory seen, in bytes. */
  readonly rssBytes: number;
  /** Event-loop utilisation, 0 to 1, where the process can tell. */
  readonly eventLoopUtilization?: number;
}

/** What limited the throughput of a step; `none` when nothing was close to its limit. */
export type Bottleneck = "generator" | "balancer" | "backend" | "machine" | "none";

/** CPU, memory and event-loop figures of every process by role. */
export interface Usage {
  readonly generator: readonly ProcessUsage[];
  readonly balancer?: readonly ProcessUsage[];
  readonly backends?: readonly ProcessUsage[];
  /** Busy share of all cores of the machine, 0 to 1. */
  readonly machine: number;
  /** Length of the window these figures are for, in ms; processor time is counted in ticks of about 10 ms. */
  readonly windowMs: number;
  readonly bottleneck: Bottleneck;
}
