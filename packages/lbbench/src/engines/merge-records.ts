import type { Level } from "../model/level.js";
import type { CompleteCounts, CompleteMeasurement, FailureClass } from "../model/measurement.js";
import type { MixedRequest } from "../model/scenario.js";
import { decodeHistogram, encodeHistogram, mergeHistograms } from "../stats/histogram.js";
import { addCounts } from "./add-counts.js";
import { mergeMixes } from "./merge-mixes.js";
import { mergePhases } from "./merge-phases.js";
import { mergeSchedules } from "./merge-schedules.js";
import { mergeSeconds } from "./merge-seconds.js";
import type { LoadRecord } from "./record.js";
import { summarizeRecords } from "./summarize-records.js";

/**
 * What was asked of the generators of a step: connections of a closed loop, the rate of an open one, or the users of a ramp, who
 * have a connection each unless `connections` says that they share some.
 */
export type Asked = Pick<Level, "connections" | "rate" | "users">;

/**
 * Makes one measurement of what the generators of a step recorded: counts are added, histograms merged.
 *
 * It lasts from the first request sent to the last outcome, or to the moment at which it was stopped.
 *
 * @param start when the common start was, on the wall clock.
 * @param mix the mix that was sent; `undefined` without one.
 */
export function mergeRecords(
  records: readonly LoadRecord[],
  asked: Asked,
  start: Date,
  mix?: readonly MixedRequest[],
): CompleteMeasurement {
  const firstSentUs = Math.min(...records.map((record) => record.firstSentUs ?? Infinity));
  const endUs = Math.max(...records.map((record) => record.stoppedUs ?? record.lastDoneUs));
  const elapsedMs = Number.isFinite(firstSentUs) ? (endUs - firstSentUs) / 1000 : 0;
  const requests = addRequests(records);
  const latency = summarizeRecords(records.map((record) => record.latency));
  const phases = mergePhases(records);
  const schedule = asked.rate === undefined ? undefined : mergeSchedules(records, asked.rate);
  const failedLatency = summarizeRecords(records.map((record) => record.failedLatency));
  return {
    startedAt: new Date(start.getTime() + (Number.isFinite(firstSentUs) ? firstSentUs / 1000 : 0)).toISOString(),
    elapsedMs,
    connections: {
      // An open loop asks for as many as it turns out to need.
      asked: asked.connections ?? asked.users ?? total(records, (record) => record.schedule?.connections ?? 0),
      opened: total(records, (record) => record.connectionsOpened),
      established: total(records, (record) => record.connectionsEstablished),
    },
    requests,
    statusCodes: addCounts(records.map((record) => record.statusCodes)),
    errorCodes: addCounts(records.map((record) => record.errorCodes)),
    throughput: elapsedMs > 0 ? requests.ok / (elapsedMs / 1000) : 0,
    bytes: {
      received: total(records, (record) => record.receivedBytes),
      body: total(records, (record) => record.bodyBytes),
      sent: total(records, (record) => record.sentBytes),
    },
    ...(latency === undefined ? {} : { latency }),
    ...(failedLatency === undefined ? {} : { failedLatency }),
    histogram: mergeEncoded(records.map((record) => record.latency.histogram)),
    timeline: mergeSeconds(
      records.map((record) => record.seconds),
      asked.users !== undefined,
    ),
    ...(phases === undefined ? {} : { phases }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(mix === undefined ? {} : { mix: mergeMixes(records, mix) }),
  };
}

function total<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}

function addRequests(records: readonly LoadRecord[]): CompleteCounts {
  const failures = (kind: FailureClass): number => total(records, (record) => record.failures[kind]);
  return {
    sent: total(records, (record) => record.sent),
    ok: total(records, (record) => record.ok),
    non2xx: failures("non2xx"),
    mismatched: failures("mismatched"),
    connectErrors: failures("connectErrors"),
    resets: failures("resets"),
    dropped: failures("dropped"),
    timedOut: failures("timedOut"),
    inFlight: total(records, (record) => record.inFlight),
  };
}

function mergeEncoded(histograms: readonly string[]): string {
  const [only] = histograms;
  if (only !== undefined && histograms.length === 1) return only;
  return encodeHistogram(mergeHistograms(histograms.map(decodeHistogram)));
}
