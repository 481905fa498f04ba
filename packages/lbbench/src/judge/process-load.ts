import type { DescendantUsage, ProcessUsage } from "../model/usage.js";

/**
 * How close a process, with its descendants where they count, is to all the processor time that it can use, 0 to 1: the
 * highest of
 *
 * - its busiest thread, because a thread runs on one core at a time. That other threads or workers have time left does
 *   not help the requests that this one has to answer: how a server deals work out to its own is part of the server.
 *   Where threads are not known, the whole process stands for one.
 * - its processor time over the cores that it may use, because the work of a Go program moves from thread to thread,
 *   and none of them need be busy all the time for all its cores to be.
 *
 * A thread that works on something that no request waits for is taken for the limit, too; that cannot be told apart.
 */
export function processorLoad(process: ProcessUsage): number {
  const { cpu, busiestThread = cpu, descendants = [] } = process;
  return Math.max(busiestThread, ...[process, ...descendants].map(shareOfCores));
}

/** How busy a process is: its {@link processorLoad}, or the share of time in which its event loop did not wait. */
export function busyShare(process: ProcessUsage): number {
  return Math.max(processorLoad(process), process.eventLoopUtilization ?? 0);
}

function shareOfCores({ cpu, cores }: Pick<DescendantUsage, "cpu" | "cores">): number {
  return cores === undefined || cores === 0 ? 0 : cpu / cores;
}
