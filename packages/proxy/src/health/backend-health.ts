import type { BackendCondition } from "../options/options.js";
import type { ResolvedHealth } from "../options/resolve-options.js";

/** What is known of a backend's health; never changed, but replaced by what `nextHealth` returns. Times are `nowMs`. */
export interface BackendHealth {
  readonly draining: boolean;
  /** What its checks say. */
  readonly unhealthy: boolean;
  /** Checks in a row that say the opposite of `unhealthy`. */
  readonly checksAgainst: number;
  /** Requests in a row that it failed. */
  readonly failures: number;
  /** How often it was ejected without a success since. Above 0 it is on probation: one failure ejects it. */
  readonly ejections: number;
  readonly ejectedUntilMs: number | undefined;
  readonly slowStartSinceMs: number | undefined;
}

/**
 * What a backend's health depends on: requests it answered or failed (`failed-as-last`: while no other backend was
 * available), its checks, what somebody said, and time that passes (`tick`, which every other event implies).
 */
export type HealthEvent =
  | "succeeded"
  | "failed"
  | "failed-as-last"
  | "check-passed"
  | "check-failed"
  | "drain"
  | "restore"
  | "tick";

/** The health of a backend that is there from the beginning: available until something speaks against it. */
export const FULL_HEALTH: BackendHealth = Object.freeze({
  draining: false,
  unhealthy: false,
  checksAgainst: 0,
  failures: 0,
  ejections: 0,
  ejectedUntilMs: undefined,
  slowStartSinceMs: undefined,
});

/** The health of a backend that is added while others serve: it begins with a slow start, if there is to be one. */
export function newcomerHealth(nowMs: number, { slowStartMs }: ResolvedHealth): BackendHealth {
  return slowStartMs > 0 ? { ...FULL_HEALTH, slowStartSinceMs: nowMs } : FULL_HEALTH;
}

/** Whether a success would change nothing. */
export function hasCleanRecord(health: BackendHealth): boolean {
  return health.failures === 0 && health.ejections === 0;
}

/**
 * Returns a backend's health after an event; the same object when the event changes nothing. `nowMs` is of a clock that
 * never goes back.
 *
 * Requests that end while it is not available are not looked at: they were handed to it before, and what they say is
 * what put it out. A drain and a failed health check supersede an ejection, so that a backend that was restored, or has
 * recovered, begins with a clean record.
 */
export function nextHealth(
  before: BackendHealth,
  event: HealthEvent,
  nowMs: number,
  rules: ResolvedHealth,
): BackendHealth {
  const wasAvailable = isAvailable(before);
  const current = withoutLapsed(before, nowMs, rules);
  const after = afterEvent(current, event, nowMs, rules, wasAvailable);
  const comesBack = !wasAvailable && isAvailable(after);
  return comesBack && rules.slowStartMs > 0 ? { ...after, slowStartSinceMs: nowMs } : after;
}

/** Whether requests may be handed to it. */
export function isAvailable({ draining, unhealthy, ejectedUntilMs }: BackendHealth): boolean {
  return !draining && !unhealthy && ejectedUntilMs === undefined;
}

/** The condition to show; of several the first of draining, unhealthy, ejected, slow-start. */
export function conditionOf({
  draining,
  unhealthy,
  ejectedUntilMs,
  slowStartSinceMs,
}: BackendHealth): BackendCondition {
  if (draining) return "draining";
  if (unhealthy) return "unhealthy";
  if (ejectedUntilMs !== undefined) return "ejected";
  return slowStartSinceMs === undefined ? "up" : "slow-start";
}

function withoutLapsed(health: BackendHealth, nowMs: number, { slowStartMs }: ResolvedHealth): BackendHealth {
  const { ejectedUntilMs, slowStartSinceMs } = health;
  if (ejectedUntilMs !== undefined && ejectedUntilMs <= nowMs) return { ...health, ejectedUntilMs: undefined };
  if (slowStartSinceMs !== undefined && slowStartSinceMs + slowStartMs <= nowMs) {
    return { ...health, slowStartSinceMs: undefined };
  }
  return health;
}

function afterEvent(
  health: BackendHealth,
  event: HealthEvent,
  nowMs: number,
  { passive, active }: ResolvedHealth,
  wasAvailable: boolean,
): BackendHealth {
  switch (event) {
    case "succeeded":
      return wasAvailable && !hasCleanRecord(health) ? { ...health, failures: 0, ejections: 0 } : health;
    case "failed":
      return wasAvailable && passive !== false ? afterFailure(health, nowMs, passive) : health;
    case "failed-as-last":
      return wasAvailable && passive !== false ? { ...health, failures: health.failures + 1 } : health;
    case "check-passed":
    case "check-failed":
      return active === false ? health : afterCheck(health, event === "check-failed", active);
    case "drain":
      return health.draining ? health : { ...withCleanRecord(health), draining: true };
    case "restore":
      return health.draining ? { ...health, draining: false } : health;
    case "tick":
      return health;
  }
}

function afterFailure(
  health: BackendHealth,
  nowMs: number,
  passive: Exclude<ResolvedHealth["passive"], false>,
): BackendHealth {
  const { ejections } = health;
  const failures = health.failures + 1;
  if (ejections === 0 && failures < passive.failures) return { ...health, failures };
  const ejectMs = Math.min(passive.ejectMs * 2 ** ejections, passive.maxEjectMs);
  return {
    ...health,
    failures: 0,
    ejections: ejections + 1,
    ejectedUntilMs: nowMs + ejectMs,
    slowStartSinceMs: undefined,
  };
}

function afterCheck(
  health: BackendHealth,
  saysUnhealthy: boolean,
  { healthyAfter, unhealthyAfter }: { readonly healthyAfter: number; readonly unhealthyAfter: number },
): BackendHealth {
  if (saysUnhealthy === health.unhealthy) {
    return health.checksAgainst === 0 ? health : { ...health, checksAgainst: 0 };
  }
  const checksAgainst = health.checksAgainst + 1;
  if (checksAgainst < (saysUnhealthy ? unhealthyAfter : healthyAfter)) return { ...health, checksAgainst };
  return { ...withCleanRecord(health), unhealthy: saysUnhealthy, checksAgainst: 0 };
}

/** Without what requests said of it, nor a slow start, which begins anew when it comes back. */
function withCleanRecord({ draining, unhealthy, checksAgainst }: BackendHealth): BackendHealth {
  return { ...FULL_HEALTH, draining, unhealthy, checksAgainst };
}

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
