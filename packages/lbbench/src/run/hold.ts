/** Of connections that are held: what they need is refused before, and what memory they take is looked at. */
import { setTimeout as sleep } from "node:timers/promises";
import { insist } from "../config/config-error.js";
import { planHold } from "../judge/hold-need.js";
import type { Environment } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { ProcessUsage, WatchedProcess } from "../model/usage.js";
import { defined } from "../stats/defined.js";
import { range } from "../stats/descriptive.js";
import { addressOf } from "../stats/url-address.js";
import { startUsageSampler, type UsageWindow } from "../system/usage.js";

/** Throws a `ConfigError` where this machine cannot hold the connections of a level to a target at a URL. */
export function refuseHold(scenario: Scenario, environment: Environment, url: string): void {
  for (const level of scenario.levels) {
    const plan = planHold(scenario, level, environment, addressOf(url).host);
    insist(plan?.lack === undefined, plan?.lack ?? "");
  }
}

/** Long enough for a look in the middle. */
const LOOK_MS = 1200;

/** The memory of processes before connections are opened, by pid. */
export type MemoryBefore = ReadonlyMap<number, NonNullable<ProcessUsage["beforeHold"]>>;

/** Looks for a second at the memory of processes that have nothing to do. */
export async function lookBeforeHold(watched: readonly WatchedProcess[], signal: AbortSignal): Promise<MemoryBefore> {
  const sampler = await startUsageSampler(watched);
  await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
  const { processes } = await sampler.end();
  return new Map(
    processes.flatMap(({ pid, memory }) => {
      if (memory === undefined) return [];
      const { low, high } = range(Object.values(memory));
      return [[pid, { bytes: memory.endBytes, spreadBytes: high - low }] as const];
    }),
  );
}

/** Adds the earlier memory of processes to their usage; later processes have none. */
export function withMemoryBefore(window: UsageWindow, before: MemoryBefore): UsageWindow {
  const processes = window.processes.map((one) => ({ ...one, ...defined({ beforeHold: before.get(one.pid) }) }));
  return { ...window, processes };
}
