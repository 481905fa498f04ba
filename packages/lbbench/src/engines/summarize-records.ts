import type { CompleteLatency } from "../model/measurement.js";
import { decodeHistogram, mergeHistograms } from "../stats/histogram.js";
import { summarizeLatency } from "../stats/latency-summary.js";
import type { LatencyRecord } from "./record.js";

/** Makes one summary of what several generators recorded; `undefined` where there is nothing. */
export function summarizeRecords(records: readonly LatencyRecord[]): CompleteLatency | undefined {
  const sum = (value: (record: LatencyRecord) => number): number =>
    records.reduce((total, record) => total + value(record), 0);
  const count = sum((record) => record.count);
  if (count === 0) return undefined;
  return summarizeLatency(mergeHistograms(records.map((record) => decodeHistogram(record.histogram))), {
    count,
    minUs: Math.min(...records.map((record) => record.minUs)),
    maxUs: Math.max(...records.map((record) => record.maxUs)),
    sumUs: sum((record) => record.sumUs),
    sumSquaresUs: sum((record) => record.sumSquaresUs),
  });
}
