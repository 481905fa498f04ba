import type { ResolvedHealth } from "../options/resolve-options.js";
import type { BackendHealth } from "./backend-health.js";

/** What a backend is given first in a slow start, as a part of its weight. */
const FIRST_SHARE = 0.1;

/** In how many steps the share grows. */
const STEPS = 20;

/** How much of its weight a backend is to be given: 0.1 to 1 during a slow start, in a straight line, and 1 otherwise. */
export function shareOf({ slowStartSinceMs }: BackendHealth, nowMs: number, { slowStartMs }: ResolvedHealth): number {
  if (slowStartSinceMs === undefined) return 1;
  const progress = Math.min((nowMs - slowStartSinceMs) / slowStartMs, 1);
  return FIRST_SHARE + (1 - FIRST_SHARE) * progress;
}

/**
 * When time alone changes what a backend is given: the end of its ejection, or the next of the 20 steps of its slow
 * start. `Infinity` when time changes nothing.
 */
export function nextChangeMs(health: BackendHealth, nowMs: number, { slowStartMs }: ResolvedHealth): number {
  const { ejectedUntilMs, slowStartSinceMs } = health;
  if (ejectedUntilMs !== undefined) return ejectedUntilMs;
  if (slowStartSinceMs === undefined) return Infinity;
  const stepsDone = Math.floor(((nowMs - slowStartSinceMs) / slowStartMs) * STEPS);
  return slowStartSinceMs + (Math.min(stepsDone + 1, STEPS) / STEPS) * slowStartMs;
}
