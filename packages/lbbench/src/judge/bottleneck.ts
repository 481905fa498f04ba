import type { Bottleneck, ProcessUsage, Role, Usage } from "../model/usage.js";
import { busyShare, processorLoad } from "./process-load.js";

/** Processor time is counted in ticks of about 10 ms: in 200 ms one tick more or less is already 5 % of a core. */
export const MINIMUM_WINDOW_MS = 200;

/** With so much of the processor time that there is for it a process has no more to give; the missing tenth is waiting that load cannot fill. */
const PROCESSOR_SATURATION = 0.9;

/** Busy share of all cores from which on the processes take time from one another. */
export const MACHINE_SATURATION = 0.95;

/** An event loop that waits less than this is never idle; nobody measures it in ticks, so little is allowed for. */
const LOOP_SATURATION = 0.95;

/**
 * Returns what limited the throughput of a step, by the first of these that holds:
 *
 * 1. the busiest role whose processor load ({@link processorLoad}) is at least 90 % of what the host of a virtual machine leaves
 *    (all but `steal`),
 * 2. `machine`, if all cores together are at least 95 % busy,
 * 3. the busiest role whose event loops are busy for at least 95 % of the time,
 * 4. `none`, or `unknown` where no backend was seen, which may have been the limit.
 *
 * Processor time comes first because it is the process's own: no other process adds to it. An event loop also counts as
 * busy while it waits for a core, so on a machine that is full it says nothing; on one that is not, it tells of a loop
 * that is blocked by something else than work, and of work that the kernel does for a process in soft interrupts, which
 * is charged to nobody. Windows below 200 ms say nothing and give `unknown`.
 */
export function attributeBottleneck(usage: Omit<Usage, "bottleneck">): Bottleneck {
  if (usage.windowMs < MINIMUM_WINDOW_MS) {
    return "unknown";
  }
  return (
    busiestRole(usage, processorLoad, PROCESSOR_SATURATION * (1 - (usage.steal ?? 0))) ??
    (usage.machine >= MACHINE_SATURATION ? "machine" : busiestRole(usage, busyShare, LOOP_SATURATION)) ??
    ((usage.backends ?? []).length === 0 ? "unknown" : "none")
  );
}

/**
 * Returns the bottleneck of a step as a list of one, empty where it is unknown: `none` in files of 0.1.0 says so of a server that
 * was not seen.
 */
export function knownBottleneck(usage: Usage | undefined): readonly Bottleneck[] {
  if (usage === undefined || usage.windowMs < MINIMUM_WINDOW_MS || usage.bottleneck === "unknown") return [];
  return usage.bottleneck === "none" && (usage.backends ?? []).length === 0 ? [] : [usage.bottleneck];
}

type Load = (process: ProcessUsage) => number;

function busiestRole(usage: Omit<Usage, "bottleneck">, load: Load, saturation: number): Role | undefined {
  const [busiest] = roleLoads(usage, load)
    .filter(([, value]) => value >= saturation)
    .toSorted(([, a], [, b]) => b - a);
  return busiest?.[0];
}

function roleLoads(
  { generator, balancer = [], backends = [] }: Omit<Usage, "bottleneck">,
  load: Load,
): readonly [Role, number][] {
  return [
    // Each generator drives its own connections, so the busiest one already holds some of them back.
    ["generator", Math.max(0, ...generator.map(load))],
    ["balancer", Math.max(0, ...balancer.map(load))],
    // While some backends are idle it is their balancer's choice, not their capacity, that limits.
    ["backend", backends.map(load).reduce((sum, value) => sum + value, 0) / Math.max(1, backends.length)],
  ];
}
