import type { Check } from "./diagnosis.js";
import type { Readings } from "./readings.js";

/** Latencies are recorded to the microsecond. */
const COARSEST_CLOCK_MS = 0.01;
/** A timer of 1 ms that comes this much too late delays whatever else the process has to do as well. */
const LATE_TIMER_MS = 5;

/** How well time can be told, and how much of it processes have to wait. */
export function checkTiming({ clockStepMs, timerDelay }: Readings): readonly Check[] {
  return [checkClock(clockStepMs), checkTimers(timerDelay)];
}

function checkClock(stepMs: number): Check {
  const base = { id: "clock", title: "Clock", found: `goes in steps of ${formatStep(stepMs)}` };
  return stepMs <= COARSEST_CLOCK_MS
    ? { ...base, status: "ok" }
    : {
        ...base,
        status: "warning",
        remedy: "Latencies below this step mean nothing. Is the clock source of the machine tsc?",
      };
}

function formatStep(stepMs: number): string {
  return stepMs < 0.001 ? `${Math.max(1, Math.round(stepMs * 1e6))} ns` : `${Number((stepMs * 1000).toFixed(1))} µs`;
}

function checkTimers({ p50Ms, p99Ms }: Readings["timerDelay"]): Check {
  const found = `${p50Ms.toFixed(1)} ms late in the middle, ${p99Ms.toFixed(1)} ms for one in a hundred`;
  const base = { id: "timers", title: "Timers", found };
  return p99Ms <= LATE_TIMER_MS
    ? { ...base, status: "ok" }
    : {
        ...base,
        status: "warning",
        remedy: "Processes wait for a core even now. Close other programs; high percentiles would show them.",
      };
}
