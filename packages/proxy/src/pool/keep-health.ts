import {
  conditionOf,
  hasCleanRecord,
  type HealthEvent,
  isAvailable,
  nextChangeMs,
  nextHealth,
  shareOf,
} from "../health/backend-health.js";
import type { ResolvedHealth } from "../options/resolve-options.js";
import { startTimer } from "../start-timer.js";
import type { Upstream } from "./upstream.js";

/** What the health of upstreams is kept by. */
interface KeepHealthOptions {
  readonly rules: ResolvedHealth;
  readonly nowMs: () => number;
  /** Those that there are now. */
  readonly upstreams: () => readonly Upstream[];
}

/** Keeps `health`, `available`, `condition` and `weight` of upstreams up to date. */
interface HealthKeeper {
  readonly tell: (upstream: Upstream, event: Exclude<HealthEvent, "succeeded" | "failed" | "failed-as-last">) => void;
  /** Called for each request: costs two comparisons as long as all is well. */
  readonly succeeded: (upstream: Upstream) => void;
  readonly failed: (upstream: Upstream) => void;
  /** Makes `weight` and the timer follow `baseWeight` and `health` that were set by someone else. */
  readonly refresh: (upstream: Upstream) => void;
  /** Until an upstream that is out may be back, in ms; `Infinity` when that is not known. */
  readonly backInMs: () => number;
  readonly close: () => void;
}

/** Starts to keep the health of upstreams, with one timer for all of them. */
export function keepHealth({ rules, nowMs, upstreams }: KeepHealthOptions): HealthKeeper {
  let closed = false;

  let dueMs = Infinity;
  let stopTimer = (): void => undefined;

  /** Sets the one timer to when time alone will change something; it may be a little early. */
  const schedule = (): void => {
    const now = nowMs();
    const next = closed ? Infinity : Math.min(...upstreams().map(({ health }) => nextChangeMs(health, now, rules)));
    if (next === dueMs) return;
    stopTimer();
    dueMs = next;
    stopTimer = startTimer(onDue, Math.max(Math.ceil(next - now), 1));
  };
  const onDue = (): void => {
    const now = nowMs();
    dueMs = Infinity;
    for (const upstream of upstreams()) {
      upstream.health = nextHealth(upstream.health, "tick", now, rules);
      show(upstream, now, rules);
    }
    schedule();
  };
  const refresh = (upstream: Upstream): void => {
    show(upstream, nowMs(), rules);
    schedule();
  };
  const tell = (upstream: Upstream, event: HealthEvent): void => {
    const wasAvailable = upstream.available;
    const after = nextHealth(upstream.health, event, nowMs(), rules);
    if (after === upstream.health) return;
    upstream.health = after;
    refresh(upstream);
    // Last, when all is up to date: those who waited will ask for another backend at once.
    if (wasAvailable && !upstream.available) upstream.slots.dismiss();
  };
  return {
    tell,
    succeeded(upstream) {
      if (!hasCleanRecord(upstream.health)) tell(upstream, "succeeded");
    },
    failed(upstream) {
      // With no backend left every request would fail; with a bad one left some may not.
      const isLast = !upstreams().some((other) => other !== upstream && other.available);
      tell(upstream, isLast ? "failed-as-last" : "failed");
    },
    refresh,
    backInMs() {
      const now = nowMs();
      return Math.min(...upstreams().map((upstream) => backInMs(upstream, now, rules)));
    },
    close() {
      closed = true;
      schedule();
    },
  };
}

/** Puts what follows from an upstream's health where policies and snapshots read it. */
function show(upstream: Upstream, nowMs: number, rules: ResolvedHealth): void {
  upstream.available = isAvailable(upstream.health);
  upstream.condition = conditionOf(upstream.health);
  upstream.weight = upstream.baseWeight * shareOf(upstream.health, nowMs, rules);
}

function backInMs({ condition, health }: Upstream, nowMs: number, { active }: ResolvedHealth): number {
  if (condition === "ejected") return (health.ejectedUntilMs ?? Infinity) - nowMs;
  return condition === "unhealthy" && active !== false ? active.intervalMs : Infinity;
}
