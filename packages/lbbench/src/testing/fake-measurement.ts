import { loadValue } from "../stats/load.js";
import type { CompleteCounts, CompleteMeasurement } from "../model/measurement.js";
import type { Load } from "../plugin.js";
import { encodeHistogram } from "../stats/histogram.js";
import { summarizeLatency, type ExactFigures } from "../stats/latency-summary.js";
import { fakeLatencies } from "./fake-latency.js";
import { fakeMix } from "./fake-mix.js";
import { fakeTimeline, planFakeSeconds, shareOut } from "./fake-seconds.js";

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
  const { level } = load;
  const { durationMs } = level;
  const connections = loadValue(level);
  const rateOf = (users: number): number =>
    Math.min(users / ((outcome.latencyMs ?? LATENCY_MS) / 1000), outcome.capacity ?? CAPACITY_PER_S);
  const elapsedMs = outcome.elapsedMs ?? durationMs ?? ((level.requests ?? 0) / rateOf(connections)) * 1000;
  const seconds = planFakeSeconds(load, elapsedMs, rateOf);
  const requests = countRequests(
    level.requests ?? Math.round(total(seconds.map(({ answers }) => answers))) + connections,
    outcome.requests ?? {},
    durationMs === undefined ? 0 : connections,
  );
  const counts = shareOut(requests.ok, seconds);
  const latencies = fakeLatencies(
    level.users === undefined
      ? [{ count: requests.ok, meanUs: (connections / rateOf(connections)) * 1_000_000 }]
      : seconds.map(({ meanUs }, index) => ({ count: counts[index] ?? 0, meanUs })),
  );
  const answers = requests.ok + requests.non2xx + requests.mismatched;
  const latency =
    requests.ok > 0
      ? summarizeLatency(latencies.histogram, delaySlowest(latencies.exact, outcome.slowerUs ?? 0))
      : undefined;
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
    ...(latency === undefined ? {} : { latency }),
    histogram: encodeHistogram(latencies.histogram),
    timeline: fakeTimeline(requests, seconds, level.users !== undefined),
    ...(load.mix === undefined ? {} : { mix: fakeMix(load.mix, requests, latency) }),
  };
}

function delaySlowest(exact: ExactFigures, byUs: number): ExactFigures {
  return { ...exact, maxUs: exact.maxUs + byUs, sumUs: exact.sumUs + byUs };
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

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
