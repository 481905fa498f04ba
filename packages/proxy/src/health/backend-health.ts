import type { BackendCondition, EjectionReason } from "../options/options.js";
import type { ResolvedHealth } from "../options/resolve-options.js";

/**
 * What a backend's health depends on: requests it answered or failed (`failed-as-last`: while no other backend was
 * available), how it compares with the others, its checks, what it was told, and time that passes (`tick`, which every other event implies).
 */
export type HealthEvent =
  | "succeeded"
  | "failed"
  | "failed-as-last"
  | "errs-more"
  | "is-slower"
  | "is-ordinary"
  | "check-passed"
  | "check-failed"
  | "drain"
  | "restore"
  | "tick";

/** What a backend is given first in a slow start, as a part of its weight. */
const FIRST_SHARE = 0.1;

/** In how many steps the share grows. */
const STEPS = 20;

/**
 * The health of one backend, available until something speaks against it. All times are `nowMs`, of a clock that never
 * goes back.
 *
 * Requests that end while it is not available are not looked at: they were handed to it before, and what they say is
 * what put it out. A drain and a failed health check supersede an ejection, so that a backend that was restored, or has
 * recovered, begins with a clean record.
 */
export class BackendHealth {
  readonly #rules: ResolvedHealth;
  #isDraining = false;
  /** What its checks say. */
  #isUnhealthy = false;
  /** Checks in a row that say the opposite. */
  #checksAgainst = 0;
  /** Requests in a row that it failed. */
  #failures = 0;
  /** How often it was ejected without a success since. */
  #ejections = 0;
  /** How often it was ejected as an outlier without an ordinary window since. */
  #timesOutlier = 0;
  #ejectedUntilMs: number | undefined;
  /** When it will have been back for as long as its last ejection took. */
  #triedFromMs = 0;
  #ejectedFor: EjectionReason | undefined;
  /** How often it has been ejected in all. */
  readonly #counts: Record<EjectionReason, number> = { failures: 0, errors: 0, latency: 0 };
  #slowStartSinceMs: number | undefined;

  constructor(rules: ResolvedHealth) {
    this.#rules = rules;
  }

  /** Whether requests may be handed to it. */
  get isAvailable(): boolean {
    return !this.#isDraining && !this.#isUnhealthy && this.#ejectedUntilMs === undefined;
  }

  /** Whether a success would change nothing. */
  get hasCleanRecord(): boolean {
    return this.#failures === 0 && this.#ejections === 0;
  }

  /** Whether one failure ejects it: it is back from an ejection for failures, and has answered nothing since. */
  get isOnProbation(): boolean {
    return this.#ejections > 0;
  }

  /** Whether it has been on probation long enough to be tried with a request that cannot be repeated. */
  isToBeTried(nowMs: number): boolean {
    return nowMs >= this.#triedFromMs;
  }

  /** Why it is ejected, if that is its condition. */
  get ejectedFor(): EjectionReason | undefined {
    return this.condition === "ejected" ? this.#ejectedFor : undefined;
  }

  /** How often it has been ejected, by reason. */
  ejections(): Record<EjectionReason, number> {
    return { ...this.#counts };
  }

  /** The condition to show; of several the first of draining, unhealthy, ejected, slow-start. */
  get condition(): BackendCondition {
    if (this.#isDraining) return "draining";
    if (this.#isUnhealthy) return "unhealthy";
    if (this.#ejectedUntilMs !== undefined) return "ejected";
    return this.#slowStartSinceMs === undefined ? "up" : "slow-start";
  }

  /** Begins a slow start, if there is to be one. */
  startSlowly(nowMs: number): void {
    if (this.#rules.slowStartMs > 0) this.#slowStartSinceMs = nowMs;
  }

  /** Takes an event. */
  tell(event: HealthEvent, nowMs: number): void {
    const wasAvailable = this.isAvailable;
    const { passive, outliers, slowStartMs } = this.#rules;
    if (this.#ejectedUntilMs !== undefined && this.#ejectedUntilMs <= nowMs) this.#ejectedUntilMs = undefined;
    else if (this.#slowStartSinceMs !== undefined && this.#slowStartSinceMs + slowStartMs <= nowMs) {
      this.#slowStartSinceMs = undefined;
    }
    if (event === "succeeded" && wasAvailable) {
      this.#failures = 0;
      this.#ejections = 0;
    } else if (event === "failed" || event === "failed-as-last") {
      if (wasAvailable && passive !== false) {
        this.#failures += 1;
        const isTooMany = this.isOnProbation || this.#failures >= passive.failures;
        if (isTooMany && event === "failed") {
          this.#eject("failures", nowMs, passive, this.#ejections);
          this.#ejections += 1;
        }
      }
    } else if (event === "errs-more" || event === "is-slower") {
      if (wasAvailable && outliers !== false) {
        this.#eject(event === "errs-more" ? "errors" : "latency", nowMs, outliers, this.#timesOutlier);
        this.#timesOutlier += 1;
      }
    } else if (event === "is-ordinary") {
      this.#timesOutlier = 0;
    } else if (event === "check-passed" || event === "check-failed") {
      this.#takeCheck(event === "check-failed");
    } else if (event === "drain") {
      if (!this.#isDraining) this.#clearRecord();
      this.#isDraining = true;
    } else if (event === "restore") {
      this.#isDraining = false;
    }
    if (!wasAvailable && this.isAvailable) this.startSlowly(nowMs);
  }

  /** How much of its weight it is to be given: 0.1 to 1 during a slow start, in a straight line, and 1 otherwise. */
  shareAt(nowMs: number): number {
    if (this.#slowStartSinceMs === undefined) return 1;
    const progress = Math.min((nowMs - this.#slowStartSinceMs) / this.#rules.slowStartMs, 1);
    return FIRST_SHARE + (1 - FIRST_SHARE) * progress;
  }

  /**
   * When time alone changes what it is given: the end of its ejection, or the next of the 20 steps of its slow start.
   * `Infinity` when time changes nothing.
   */
  nextChangeMs(nowMs: number): number {
    const { slowStartMs } = this.#rules;
    if (this.#ejectedUntilMs !== undefined) return this.#ejectedUntilMs;
    if (this.#slowStartSinceMs === undefined) return Infinity;
    const stepsDone = Math.floor(((nowMs - this.#slowStartSinceMs) / slowStartMs) * STEPS);
    return this.#slowStartSinceMs + (Math.min(stepsDone + 1, STEPS) / STEPS) * slowStartMs;
  }

  /** Until it may be back when it is out, in ms; `Infinity` when that is not known. */
  backInMs(nowMs: number): number {
    const { condition } = this;
    const { active } = this.#rules;
    if (condition === "ejected") return (this.#ejectedUntilMs ?? Infinity) - nowMs;
    return condition === "unhealthy" && active !== false ? active.intervalMs : Infinity;
  }

  #eject(
    reason: EjectionReason,
    nowMs: number,
    { ejectMs, maxEjectMs }: { readonly ejectMs: number; readonly maxEjectMs: number },
    timesBefore: number,
  ): void {
    const forMs = Math.min(ejectMs * 2 ** timesBefore, maxEjectMs);
    this.#ejectedUntilMs = nowMs + forMs;
    this.#triedFromMs = nowMs + 2 * forMs;
    this.#ejectedFor = reason;
    this.#counts[reason] += 1;
    this.#failures = 0;
    this.#slowStartSinceMs = undefined;
  }

  #takeCheck(saysUnhealthy: boolean): void {
    const { active } = this.#rules;
    if (active === false) return;
    this.#checksAgainst = saysUnhealthy === this.#isUnhealthy ? 0 : this.#checksAgainst + 1;
    if (this.#checksAgainst < (saysUnhealthy ? active.unhealthyAfter : active.healthyAfter)) return;
    this.#clearRecord();
    this.#isUnhealthy = saysUnhealthy;
    this.#checksAgainst = 0;
  }

  /** Forgets what requests said of it, and a slow start, which begins anew when it comes back. */
  #clearRecord(): void {
    this.#failures = 0;
    this.#ejections = 0;
    this.#timesOutlier = 0;
    this.#ejectedUntilMs = undefined;
    this.#slowStartSinceMs = undefined;
  }
}
