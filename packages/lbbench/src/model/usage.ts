import type * as stored from "./result-schema.js";

/** The part a process plays in a step. */
export type Role = stored.Of<typeof stored.descriptorUse>["role"];

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
  /** It gives each connection to another process, as the primary of a cluster does, and keeps none; absent otherwise. */
  readonly keepsNone?: true;
}

/** What one descendant of a watched process used. */
export interface DescendantUsage extends stored.Of<typeof stored.descendantUsage> {}

/**
 * What one watched process used. Where its descendants were asked for, `cpu` and `rssBytes` are sums over it
 * and them, `eventLoopUtilization` and `busiestThread` are the highest among them. Of one that a fault has ended and started again, `cpu`
 * and `busiestThread` are sums over all that ran in its place; the pid and the event loop are those of the last one.
 */
export interface ProcessUsage extends stored.Of<typeof stored.processUsage> {}

/** What a worker did in a step, and what its machine spent on it. Its times are by its own clock, which is compared with no other. */
export interface WorkerShare extends stored.Of<typeof stored.workerShare> {}

/**
 * What limited the throughput of a step. `none`: every process was seen, and nothing was close to its limit. `unknown`: the processes
 * of the server were not seen, or for too short a time. Files of 0.1.0 have `none` there.
 */
export type Bottleneck = Usage["bottleneck"];

/** CPU, memory and event-loop figures of every process by role. */
export interface Usage extends stored.Of<typeof stored.usage> {}

/** Processor time over wall time (1 is one core kept busy) and resident memory, added up by role; roles that are not there are absent. */
export type LiveUsage = Readonly<Partial<Record<Role, { readonly cpu: number; readonly rssBytes: number }>>>;
