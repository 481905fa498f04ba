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
  /** lbbench did not start it, and found it by the loopback port at which it listens; absent otherwise. */
  readonly found?: true;
}

/** What a process used while a measurement ran. */
interface OwnFigures {
  readonly pid: number;
  /** Processor time over wall time; 1 is one core kept busy. */
  readonly cpu: number;
  /** Largest resident memory seen, in bytes. */
  readonly rssBytes: number;
  /** Share of time in which its event loop did not wait, 0 to 1, where the process can tell. */
  readonly eventLoopUtilization?: number;
  /** Cores that it may run on, where the system tells. */
  readonly cores?: number;
}

/** What one descendant of a watched process used. */
export interface DescendantUsage extends OwnFigures {
  /** As the system calls it, to 15 characters: `nginx`, `node`. */
  readonly name: string;
}

/**
 * What one watched process used. Where its descendants were asked for, `cpu` and `rssBytes` are sums over it
 * and them, `eventLoopUtilization` and `busiestThread` are the highest among them.
 */
export interface ProcessUsage extends OwnFigures {
  readonly name: string;
  /** As {@link WatchedProcess.found}. */
  readonly found?: true;
  /** Processor time of the busiest thread over wall time, 0 to 1, where the system tells. */
  readonly busiestThread?: number;
  /** Each of its descendants, parents first; absent where they were not asked for, and where there are none. */
  readonly descendants?: readonly DescendantUsage[];
}

/**
 * What limited the throughput of a step. `none`: every process was seen, and nothing was close to its limit. `unknown`: the processes
 * of the server were not seen, or for too short a time. Files of 0.1.0 have `none` there.
 */
export type Bottleneck = "generator" | "balancer" | "backend" | "machine" | "none" | "unknown";

/** CPU, memory and event-loop figures of every process by role. */
export interface Usage {
  readonly generator: readonly ProcessUsage[];
  readonly balancer?: readonly ProcessUsage[];
  readonly backends?: readonly ProcessUsage[];
  /** Busy share of all cores of the machine, 0 to 1, of the time that they were ours. */
  readonly machine: number;
  /** Share of the time of all cores that a hypervisor gave to other machines, 0 to 1, where the system tells. */
  readonly steal?: number;
  /** Length of the window these figures are for, in ms; processor time is counted in ticks of about 10 ms. */
  readonly windowMs: number;
  readonly bottleneck: Bottleneck;
}

/** Processor time over wall time (1 is one core kept busy) and resident memory, added up by role; roles that are not there are absent. */
export type LiveUsage = Readonly<Partial<Record<Role, { readonly cpu: number; readonly rssBytes: number }>>>;
