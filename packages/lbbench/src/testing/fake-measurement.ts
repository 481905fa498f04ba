import type {
  CompleteCounts,
  CompleteLatency,
  CompleteMeasurement,
  FailureClass,
  MixedShare,
  TimelineSecond,
} from "../model/measurement.js";
import type { MixedRequest } from "../model/scenario.js";
import type { Load } from "../plugin.js";
import { createLatencyHistogram, encodeHistogram, percentileMs, type LatencyHistogram } from "../stats/histogram.js";
import { summarizeLatency, type ExactFigures } from "../stats/latency-summary.js";
import { loadValue } from "../stats/load.js";
import { rampStartsUs } from "../stats/ramp-starts.js";

/** What is to be in a measurement; what is left out follows from the load. */
export interface FakeOutcome {
  /** How long the target takes for an answer when nobody else asks, in ms; 10 by default. */
  readonly latencyMs?: number;
  /** The most it can answer per second, whatever the connections; 5000 by default. */
  readonly capacity?: number;
  readonly elapsedMs?: number;
  /** Outcomes of requests; failures given without `ok` are taken from the requests of the load. */
  readonly requests?: Partial<Omit<CompleteCounts, "sent">>;
  readonly statusCodes?: CompleteMeasurement["statusCodes"];
  readonly errorCodes?: CompleteMeasurement["errorCodes"];
  readonly connections?: Partial<CompleteMeasurement["connections"]>;
  /** By how much the slowest answer is slower still, in microseconds, so that no two runs agree in every digit; 0 by default. */
  readonly slowerUs?: number;
}

const LATENCY_MS = 10;
const CAPACITY_PER_S = 5000;
const STARTED_AT = "2026-01-01T00:00:00.000Z";
const REQUEST_BYTES = 90;
const HEAD_BYTES = 150;
const BODY_BYTES = 12;

/**
 * Makes the measurement of a closed loop that never was: throughput grows with the connections up to the capacity of
 * the target, and the mean latency is connections over throughput (Little's law), spread by fixed factors. In a ramp this
 * holds of every second for the users that have come by its end. The entries of a mix differ in nothing but their weights.
 */
export function fakeMeasurement(load: Pick<Load, "level" | "ramp" | "mix">, outcome: FakeOutcome): CompleteMeasurement {
  const { latencyMs = LATENCY_MS, capacity = CAPACITY_PER_S, slowerUs = 0 } = outcome;
  const { durationMs, users } = load.level;
  const connections = loadValue(load.level);
  const rateOf = (count: number): number => Math.min(count / (latencyMs / 1000), capacity);
  const elapsedMs = outcome.elapsedMs ?? durationMs ?? ((load.level.requests ?? 0) / rateOf(connections)) * 1000;
  const seconds = planSeconds(load, elapsedMs, rateOf);
  const planned = load.level.requests ?? Math.round(sum(seconds.map(({ answers }) => answers))) + connections;
  const requests = countRequests(planned, outcome.requests ?? {}, durationMs === undefined ? 0 : connections);
  const { ok, non2xx, mismatched, sent, connectErrors } = requests;
  const okOf = shareOut(ok, seconds);
  const { histogram, exact } = fakeLatencies(
    users === undefined
      ? [{ count: ok, meanUs: (connections / rateOf(connections)) * 1_000_000 }]
      : seconds.map(({ meanUs }, index) => ({ count: okOf[index] ?? 0, meanUs })),
  );
  const delayed = { ...exact, maxUs: exact.maxUs + slowerUs, sumUs: exact.sumUs + slowerUs };
  const latency = ok > 0 ? summarizeLatency(histogram, delayed) : undefined;
  const answers = ok + non2xx + mismatched;
  return {
    startedAt: STARTED_AT,
    elapsedMs,
    connections: { asked: connections, opened: connections, established: connections, ...outcome.connections },
    requests,
    statusCodes: outcome.statusCodes ?? {
      ...(ok + mismatched > 0 ? { "200": ok + mismatched } : {}),
      ...(non2xx > 0 ? { "503": non2xx } : {}),
    },
    errorCodes: outcome.errorCodes ?? {},
    throughput: elapsedMs > 0 ? (ok / elapsedMs) * 1000 : 0,
    bytes: {
      received: answers * (HEAD_BYTES + BODY_BYTES),
      body: answers * BODY_BYTES,
      sent: (sent - connectErrors) * REQUEST_BYTES,
    },
    ...(latency === undefined ? {} : { latency }),
    histogram: encodeHistogram(histogram),
    timeline: fakeTimeline(requests, seconds, users !== undefined),
    ...(load.mix === undefined ? {} : { mix: fakeMix(load.mix, requests, latency) }),
  };
}

function countRequests(planned: number, given: Partial<CompleteCounts>, open: number): CompleteCounts {
  const failures = { non2xx: 0, mismatched: 0, connectErrors: 0, resets: 0, dropped: 0, timedOut: 0, inFlight: open };
  const { ok: givenOk, ...outcomes } = { ...failures, ...given };
  const notOk = sum(Object.values(outcomes));
  const ok = givenOk ?? Math.max(0, planned - notOk);
  return { ...outcomes, ok, sent: ok + notOk };
}

/** What one second of a closed loop is made from. */
interface FakeSecond {
  readonly users: number;
  /** Answers that there is time for, not rounded. */
  readonly answers: number;
  /** By Little's law. */
  readonly meanUs: number;
}

/** The seconds of a load: each has the users of the level or, in a ramp, those who have come by its end. */
function planSeconds(
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
function fakeTimeline(
  { inFlight: _inFlight, ...requests }: CompleteCounts,
  seconds: readonly FakeSecond[],
  areUsersTold: boolean,
): readonly TimelineSecond[] {
  const shares = Object.entries(requests).map(([kind, count]) => [kind, shareOut(count, seconds)] as const);
  return seconds.map(({ users, meanUs }, second) => {
    const counts = shares.map(([kind, share]) => [kind, share[second] ?? 0] as const);
    const { sent = 0, ok = 0, ...others } = Object.fromEntries(counts);
    const failures = Object.fromEntries(Object.entries(others).filter(([, count]) => count > 0));
    return {
      second,
      sent,
      ok,
      failed: sum(Object.values(failures)),
      failures: failures as Partial<Record<FailureClass, number>>,
      ...latenciesOfSecond({ count: ok, meanUs }),
      ...(areUsersTold ? { users } : {}),
    };
  });
}

function latenciesOfSecond(group: LatencyGroup): Pick<TimelineSecond, "p50" | "p90" | "p99" | "max"> {
  if (group.count === 0) return { p50: null, p90: null, p99: null, max: null };
  const { histogram, exact } = fakeLatencies([group]);
  const max = exact.maxUs / 1000;
  const percentile = (percent: number): number => Math.min(percentileMs(histogram, percent), max);
  return { p50: percentile(50), p90: percentile(90), p99: percentile(99), max };
}

/** Shares the requests of a measurement out to the entries of its mix by their weights; each takes as long as all others. */
function fakeMix(
  mix: readonly MixedRequest[],
  { sent, ok, inFlight }: CompleteCounts,
  latency: CompleteLatency | undefined,
): readonly MixedShare[] {
  const weights = mix.map(({ weight }) => ({ answers: weight }));
  const [oks, failures, open] = [ok, sent - ok - inFlight, inFlight].map((count) => shareOut(count, weights));
  return mix.map(({ name }, index) => {
    const [good = 0, failed = 0, left = 0] = [oks?.[index], failures?.[index], open?.[index]];
    const measured = good > 0 && latency !== undefined ? { latency } : {};
    return { name, sent: good + failed + left, ok: good, failed, ...measured };
  });
}

/** How many of `count` belong to each part, in proportion to the answers that it has time for; the sum is exact. */
function shareOut(count: number, parts: readonly Pick<FakeSecond, "answers">[]): readonly number[] {
  const all = sum(parts.map(({ answers }) => answers));
  let passed = 0;
  let shared = 0;
  return parts.map(({ answers }, index) => {
    passed += answers;
    const until = index === parts.length - 1 ? count : Math.floor((count * passed) / all);
    const share = until - shared;
    shared = until;
    return share;
  });
}

/** So many latencies of a mean. */
interface LatencyGroup {
  readonly count: number;
  readonly meanUs: number;
}

/** Skewed to the right as latencies are, with a mean of 1. */
const SPREAD = [0.55, 0.65, 0.75, 0.8, 0.85, 0.9, 0.95, 1.05, 1.3, 2.2];

/** Spreads the latencies of each group around its mean by fixed factors. */
function fakeLatencies(groups: readonly LatencyGroup[]): {
  readonly histogram: LatencyHistogram;
  readonly exact: ExactFigures;
} {
  const histogram = createLatencyHistogram();
  const upTo = (count: number, parts: number): number => Math.floor((count * parts) / SPREAD.length);
  const filled = groups
    .flatMap(({ count, meanUs }) =>
      SPREAD.map((factor, index) => ({
        us: Math.max(1, Math.round(factor * meanUs)),
        count: upTo(count, index + 1) - upTo(count, index),
      })),
    )
    .filter(({ count }) => count > 0);
  for (const { us, count } of filled) histogram.recordValueWithCount(us, count);
  const exact = {
    count: sum(filled.map(({ count }) => count)),
    minUs: Math.min(...filled.map(({ us }) => us)),
    maxUs: Math.max(...filled.map(({ us }) => us)),
    sumUs: sum(filled.map(({ us, count }) => us * count)),
    sumSquaresUs: sum(filled.map(({ us, count }) => us ** 2 * count)),
  };
  return { histogram, exact };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
