import type { Finding } from "../model/finding.js";
import type { ProcessUsage, Usage } from "../model/usage.js";
import { MACHINE_SATURATION, MINIMUM_WINDOW_MS } from "./bottleneck.js";
import { busyShare } from "./process-load.js";
import type { UnjudgedStep } from "./step-rule.js";

/**
 * A generator this busy hardly ever waited for an answer: answers waited for it instead, so throughput is its own and
 * latency includes its delay. That is so as well when it was kept from working because the machine was full. Higher than
 * what counts as a bottleneck, because it casts doubt on the figures.
 */
export const GENERATOR_SATURATION = 0.95;

/** Returns the busiest load generator if it was saturated; `undefined` also when the window is too short to tell. */
export function saturatedGenerator(usage: Usage): ProcessUsage | undefined {
  if (usage.windowMs < MINIMUM_WINDOW_MS) {
    return undefined;
  }
  return usage.generator
    .filter((process) => busyShare(process) >= GENERATOR_SATURATION)
    .toSorted((a, b) => busyShare(b) - busyShare(a))[0];
}

/**
 * `GENERATOR_SATURATED` {process, cpu, busiestThread, eventLoopUtilization} when a load generator was busy all the time;
 * what is not known of it is left out.
 */
export function findSaturatedGenerator({ usage }: UnjudgedStep): readonly Finding[] {
  const busy = usage === undefined ? undefined : saturatedGenerator(usage);
  if (busy === undefined) {
    return [];
  }
  const { name, cpu, busiestThread, eventLoopUtilization } = busy;
  const thread = busiestThread === undefined ? {} : { busiestThread };
  const loop = eventLoopUtilization === undefined ? {} : { eventLoopUtilization };
  return [{ code: "GENERATOR_SATURATED", severity: "warning", args: { process: name, cpu, ...thread, ...loop } }];
}

/** `MACHINE_SATURATED` {machine} when all cores together were busy, by whatever process. */
export function findSaturatedMachine({ usage }: UnjudgedStep): readonly Finding[] {
  return usage !== undefined && usage.windowMs >= MINIMUM_WINDOW_MS && usage.machine >= MACHINE_SATURATION
    ? [{ code: "MACHINE_SATURATED", severity: "warning", args: { machine: usage.machine } }]
    : [];
}

/** Part of the machine's time that a host may take without a word. */
const STEAL = 0.05;

/** `HOST_BUSY` {steal} when the host of a virtual machine gave so much of the time of its cores to others. */
export function findBusyHost({ usage }: UnjudgedStep): readonly Finding[] {
  const steal = usage !== undefined && usage.windowMs >= MINIMUM_WINDOW_MS ? (usage.steal ?? 0) : 0;
  return steal >= STEAL ? [{ code: "HOST_BUSY", severity: "warning", args: { steal } }] : [];
}
