import { loadValue } from "../stats/load.js";
import type { CompleteCounts, CompleteMeasurement, TimelineSecond } from "../model/measurement.js";
import type { Load } from "../plugin.js";
import { createLatencyHistogram, encodeHistogram, percentileMs, type LatencyHistogram } from "../stats/histogram.js";
import { summarizeLatency, type ExactFigures } from "../stats/latency-summary.js";

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
}

const LATENCY_MS = 10;
const CAPACITY_PER_S = 5000;
const STARTED_AT = "2026-01-01T00:00:00.000Z";
const REQUEST_BYTES = 90;
const HEAD_BYTES = 150;
const BODY_BYTES = 12;

/**
 * Makes the measurement of a closed loop that never was: throughput grows with the connections up to the capacity of
 * the target, and the mean latency is connections over throughput (Little's law), spread by fixed factors.
 */
export function fakeMeasurement({ level }: Pick<Load, "level">, outcome: FakeOutcome): CompleteMeasurement {
  const { durationMs } = level;
  const connections = loadValue(level);
  const rate = Math.min(connections / ((outcome.latencyMs ?? LATENCY_MS) / 1000), outcome.capacity ?? CAPACITY_PER_S);
  const elapsedMs = outcome.elapsedMs ?? durationMs ?? ((level.requests ?? 0) / rate) * 1000;
  const requests = countRequests(
    level.requests ?? Math.round((rate * elapsedMs) / 1000) + connections,
    outcome.requests ?? {},
    durationMs === undefined ? 0 : connections,
  );
  const latencies = spread(requests.ok, (connections / rate) * 1_000_000);
  const answers = requests.ok + requests.non2xx + requests.mismatched;
  return {
    startedAt: STARTED_AT,
    elapsedMs,
    connections: { asked: connections, opened: connections, established: connections, ...outcome.connections },
    requests,
    statusCodes: outcome.statusCodes ?? {
      ...(requests.ok + requests.mismatched > 0 ? { "200": requests.ok + requests.mismatched } : {}),
      ...(requests.non2xx > 0 ? { "503": requests.non2xx } : {}),
    },
    errorCodes: outcome.errorCodes ?? {},
    throughput: elapsedMs > 0 ? (requests.ok / elapsedMs) * 1000 : 0,
    bytes: {
      received: answers * (HEAD_BYTES + BODY_BYTES),
      body: answers * BODY_BYTES,
      sent: (requests.sent - requests.connectErrors) * REQUEST_BYTES,
    },
    ...(requests.ok > 0 ? { latency: summarizeLatency(latencies.histogram, latencies.exact) } : {}),
    histogram: encodeHistogram(latencies.histogram),
    timeline: splitIntoSeconds(requests, elapsedMs, latencies.histogram),
  };
}

function countRequests(planned: number, given: Partial<CompleteCounts>, open: number): CompleteCounts {
  const outcomes = {
    non2xx: 0,
    mismatched: 0,
    connectErrors: 0,
    resets: 0,
    dropped: 0,
    timedOut: 0,
    inFlight: open,
    ...given,
  };
  const notOk = total(Object.entries(outcomes).flatMap(([outcome, count]) => (outcome === "ok" ? [] : [count])));
  const ok = given.ok ?? Math.max(0, planned - notOk);
  return { ...outcomes, ok, sent: ok + notOk };
}

/** Skewed to the right as latencies are, with a mean of 1. */
const SPREAD = [0.55, 0.65, 0.75, 0.8, 0.85, 0.9, 0.95, 1.05, 1.3, 2.2];

function spread(count: number, meanUs: number): { readonly histogram: LatencyHistogram; readonly exact: ExactFigures } {
  const histogram = createLatencyHistogram();
  const cells = SPREAD.map((factor, index) => ({
    us: Math.max(1, Math.round(factor * meanUs)),
    count: part(count, index),
  }));
  const filled = cells.filter((cell) => cell.count > 0);
  for (const cell of filled) histogram.recordValueWithCount(cell.us, cell.count);
  return {
    histogram,
    exact: {
      count,
      minUs: Math.min(...filled.map(({ us }) => us)),
      maxUs: Math.max(...filled.map(({ us }) => us)),
      sumUs: total(filled.map((cell) => cell.us * cell.count)),
      sumSquaresUs: total(filled.map((cell) => cell.us ** 2 * cell.count)),
    },
  };
}

function part(count: number, index: number): number {
  return Math.floor((count * (index + 1)) / SPREAD.length) - Math.floor((count * index) / SPREAD.length);
}

function splitIntoSeconds(
  { sent, ok, inFlight }: CompleteCounts,
  elapsedMs: number,
  latencies: LatencyHistogram,
): readonly TimelineSecond[] {
  const seconds = Math.max(1, Math.ceil(elapsedMs / 1000));
  const failed = sent - ok - inFlight;
  const until = (count: number, second: number): number =>
    Math.floor((count * Math.min(second * 1000, elapsedMs)) / elapsedMs);
  const within = (count: number, second: number): number => until(count, second + 1) - until(count, second);
  if (elapsedMs <= 0) return [];
  return Array.from({ length: seconds }, (_, second) => ({
    second,
    sent: within(sent, second),
    ok: within(ok, second),
    failed: within(failed, second),
    p50: ok > 0 ? percentileMs(latencies, 50) : null,
    p99: ok > 0 ? percentileMs(latencies, 99) : null,
  }));
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
