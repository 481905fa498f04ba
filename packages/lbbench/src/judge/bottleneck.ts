import type { Bottleneck, ProcessUsage, Role, Usage } from "../model/usage.js";

/** Processor time is counted in ticks of about 10 ms: in 200 ms one tick more or less is already 5 % of a core. */
export const MINIMUM_WINDOW_MS = 200;

/** A single-threaded process this busy has no more to give; the missing tenth is waiting that load cannot fill. */
const ROLE_SATURATION = 0.9;

/** Busy share of all cores from which on the processes take time from one another. */
export const MACHINE_SATURATION = 0.95;

/**
 * Returns what limited the throughput of a step: of the roles that are at least 90 % busy the busiest, else the machine
 * if its cores are at least 95 % busy, else `none`. Windows below 200 ms say nothing and give `none`.
 */
export function attributeBottleneck(usage: Omit<Usage, "bottleneck">): Bottleneck {
  if (usage.windowMs < MINIMUM_WINDOW_MS) {
    return "none";
  }
  const [busiest] = roleLoads(usage)
    .filter(([, load]) => load >= ROLE_SATURATION)
    .toSorted(([, a], [, b]) => b - a);
  if (busiest !== undefined) {
    return busiest[0];
  }
  return usage.machine >= MACHINE_SATURATION ? "machine" : "none";
}

/** How busy a process is: its processor time, or the share of time in which its event loop never waited. */
export function busyShare({ cpu, eventLoopUtilization }: ProcessUsage): number {
  return Math.max(cpu, eventLoopUtilization ?? 0);
}

function roleLoads({ generator, balancer = [], backends = [] }: Omit<Usage, "bottleneck">): readonly [Role, number][] {
  const cpuOf = (processes: readonly ProcessUsage[]): readonly number[] => processes.map(({ cpu }) => cpu);
  return [
    // Each generator drives its own connections, so the busiest one already holds some of them back.
    ["generator", Math.max(0, ...generator.map(busyShare))],
    ["balancer", Math.max(0, ...cpuOf(balancer))],
    // While some backends are idle it is their balancer's choice, not their capacity, that limits.
    ["backend", cpuOf(backends).reduce((sum, cpu) => sum + cpu, 0) / Math.max(1, backends.length)],
  ];
}
