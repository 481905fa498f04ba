import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { machineShares, readMachineTimes } from "../system/proc.js";
import type { Readings } from "./readings.js";

const WINDOW_MS = 1000;
const TIMER_MS = 1;

/** Watches a second go by: what is stolen of it, and how late timers are. Rejects when the signal aborts. */
export async function readSecond(signal: AbortSignal): Promise<Pick<Readings, "steal" | "timerDelay">> {
  const before = readMachineTimes();
  const delay = monitorEventLoopDelay({ resolution: TIMER_MS });
  delay.enable();
  try {
    await setTimeout(WINDOW_MS, undefined, { signal });
  } finally {
    delay.disable();
  }
  // The histogram holds the time between two runs of the timer, in ns.
  const late = (percentile: number): number => Math.max(0, delay.percentile(percentile) / 1e6 - TIMER_MS);
  return {
    steal: machineShares(before, readMachineTimes()).steal ?? null,
    timerDelay: { p50Ms: late(50), p99Ms: late(99) },
  };
}

const CLOCK_READINGS = 10_000;

/** Finds the smallest step of the clock, in ms. */
export function readClockStep(now: () => number = () => performance.now()): number {
  let smallest = Infinity;
  for (let reading = 0, last = now(); reading < CLOCK_READINGS; reading++) {
    const time = now();
    if (time > last) smallest = Math.min(smallest, time - last);
    last = time;
  }
  return smallest;
}
