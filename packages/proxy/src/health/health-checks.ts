import type { CheckOutcome } from "./check-backend.js";
import { startTimer } from "../start-timer.js";

/** What checks are made of. */
export interface HealthCheckOptions<Target> {
  /** From the beginning of a check to that of the next; up to a tenth less, so that checks spread out over time. */
  readonly intervalMs: number;
  /** Checks once; must not reject, and must resolve soon after the signal is aborted. */
  readonly check: (target: Target, signal: AbortSignal) => Promise<CheckOutcome>;
  /** Told of each check that came to its end. */
  readonly onOutcome: (target: Target, outcome: CheckOutcome) => void;
  readonly nowMs: () => number;
  /** From 0 to below 1; `Math.random` by default. */
  readonly random?: () => number;
}

/** Checks that go on until they are closed. */
export interface HealthChecks<Target> {
  /** Checks it at once, and then again and again, never twice at a time. */
  readonly add: (target: Target) => void;
  /** Ends its checks, also the one under way. */
  readonly remove: (target: Target) => void;
  /** Ends all checks; resolves when none is under way. */
  readonly close: () => Promise<void>;
}

/** The largest part of the interval that is left out. */
const JITTER = 0.1;

/** Starts checks of nothing yet; their timers do not keep the process alive. */
export function startHealthChecks<Target>(options: HealthCheckOptions<Target>): HealthChecks<Target> {
  const stops = new Map<Target, AbortController>();
  const underWay = new Set<Promise<void>>();
  let closed = false;

  const remove = (target: Target): void => {
    stops.get(target)?.abort();
    stops.delete(target);
  };
  const add = (target: Target): void => {
    if (closed || stops.has(target)) return;
    const stop = new AbortController();
    stops.set(target, stop);
    const checking = checkAgainAndAgain(target, options, stop.signal).finally(() => underWay.delete(checking));
    underWay.add(checking);
  };
  const close = async (): Promise<void> => {
    closed = true;
    for (const target of stops.keys()) remove(target);
    await Promise.all(underWay);
  };
  return { add, remove, close };
}

async function checkAgainAndAgain<Target>(
  target: Target,
  { intervalMs, check, onOutcome, nowMs, random = Math.random }: HealthCheckOptions<Target>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const startedMs = nowMs();
    const outcome = await check(target, signal);
    if (signal.aborted) return;
    onOutcome(target, outcome);
    const dueMs = startedMs + intervalMs * (1 - JITTER * random());
    await pause(Math.max(dueMs - nowMs(), 0), signal);
  }
}

/** Resolves when the time is over or the signal is aborted. */
async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      stopTimer();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const stopTimer = startTimer(end, delayMs);
    signal.addEventListener("abort", end, { once: true });
  });
}
