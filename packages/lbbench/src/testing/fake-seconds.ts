import { rampStartsUs } from "../stats/ramp-starts.js";
import type { CompleteCounts, FailureClass, TimelineSecond } from "../model/measurement.js";
import type { Load } from "../plugin.js";
import { percentileMs } from "../stats/histogram.js";
import { loadValue } from "../stats/load.js";
import { fakeLatencies, type LatencyGroup } from "./fake-latency.js";

/** What one second of a closed loop is made from. */
export interface FakeSecond {
  readonly users: number;
  /** Answers that there is time for, not rounded. */
  readonly answers: number;
  /** By Little's law. */
  readonly meanUs: number;
}

/**
 * Plans the seconds of a load that lasts for `elapsedMs`: each has the users of the level or, in a ramp, those who have come by
 * its end.
 *
 * @param rateOf how many answers a second so many users get.
 */
export function planFakeSeconds(
  { level, ramp }: Pick<Load, "level" | "ramp">,
  elapsedMs: number,
  rateOf: (users: number) => number,
): readonly FakeSecond[] {
  const starts = ramp && level.users !== undefined ? rampStartsUs(level.users, ramp) : undefined;
  return Array.from({ length: Math.ceil(elapsedMs / 1000) }, (_, second) => {
    const users = starts?.filter((start) => start < (second + 1) * 1_000_000).length ?? loadValue(level);
    const lastsMs = Math.min(1000, elapsedMs - second * 1000);
    return { users, answers: (rateOf(users) * lastsMs) / 1000, meanUs: (users / rateOf(users)) * 1_000_000 };
  });
}

/** Shares the requests of a measurement out to its seconds. */
export function fakeTimeline(
  { inFlight: _inFlight, ...requests }: CompleteCounts,
  seconds: readonly FakeSecond[],
  areUsersTold: boolean,
): readonly TimelineSecond[] {
  const { sent, ok, ...failures } = requests;
  const shares = {
    sent: shareOut(sent, seconds),
    ok: shareOut(ok, seconds),
    failures: Object.entries(failures).map(([kind, count]) => ({ kind, counts: shareOut(count, seconds) })),
  };
  return seconds.map(({ users, meanUs }, second) => {
    const failed = shares.failures.flatMap(({ kind, counts }): readonly (readonly [string, number])[] => {
      const count = counts[second] ?? 0;
      return count === 0 ? [] : [[kind, count]];
    });
    return {
      second,
      sent: shares.sent[second] ?? 0,
      ok: shares.ok[second] ?? 0,
      failed: total(failed.map(([, count]) => count)),
      failures: Object.fromEntries(failed) as Partial<Record<FailureClass, number>>,
      ...summarize({ count: shares.ok[second] ?? 0, meanUs }),
      ...(areUsersTold ? { users } : {}),
    };
  });
}

/** How many of `count` belong to each second, in proportion to the answers that it has time for; the sum is exact. */
export function shareOut(count: number, seconds: readonly Pick<FakeSecond, "answers">[]): readonly number[] {
  const all = total(seconds.map(({ answers }) => answers));
  let passed = 0;
  let shared = 0;
  return seconds.map(({ answers }, index) => {
    passed += answers;
    const until = index === seconds.length - 1 ? count : Math.floor((count * passed) / all);
    const share = until - shared;
    shared = until;
    return share;
  });
}

function summarize(group: LatencyGroup): Pick<TimelineSecond, "p50" | "p90" | "p99" | "max"> {
  if (group.count === 0) return { p50: null, p90: null, p99: null, max: null };
  const { histogram, exact } = fakeLatencies([group]);
  const max = exact.maxUs / 1000;
  const percentile = (percent: number): number => Math.min(percentileMs(histogram, percent), max);
  return { p50: percentile(50), p90: percentile(90), p99: percentile(99), max };
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
