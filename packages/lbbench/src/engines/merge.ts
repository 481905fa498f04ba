import type { Level } from "../model/level.js";
import type {
  CompleteLatency,
  CompleteMeasurement,
  MixedShare,
  Phases,
  ScheduleKept,
  TimelineSecond,
} from "../model/measurement.js";
import type { MixedRequest } from "../model/scenario.js";
import { decodeHistogram, encodeHistogram, mergeHistograms, percentileMs } from "../stats/histogram.js";
import { summarizeLatency } from "../stats/latency-summary.js";
import { ofPhases, type LatencyRecord, type LoadRecord, type SecondRecord } from "./recorder.js";

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
  const requests = addEach(records.map((record) => record.requests));
  const latency = summarize(records.map((record) => record.latency));
  const failedLatency = summarize(records.map((record) => record.failedLatency));
  const phases = mergePhases(records);
  return {
    startedAt: new Date(start.getTime() + (Number.isFinite(firstSentUs) ? firstSentUs / 1000 : 0)).toISOString(),
    elapsedMs,
    connections: {
      // An open loop asks for as many as it turns out to need.
      asked: asked.connections ?? asked.users ?? total(records, (record) => record.schedule?.connections ?? 0),
      ...addEach(records.map((record) => record.connections)),
    },
    requests,
    statusCodes: addByName(records.map((record) => record.statusCodes)),
    errorCodes: addByName(records.map((record) => record.errorCodes)),
    throughput: elapsedMs > 0 ? requests.ok / (elapsedMs / 1000) : 0,
    bytes: addEach(records.map((record) => record.bytes)),
    ...(latency === undefined ? {} : { latency }),
    ...(failedLatency === undefined ? {} : { failedLatency }),
    histogram: mergeEncoded(records.map((record) => record.latency.histogram)),
    timeline: mergeTimelines(records, asked.users !== undefined),
    ...(phases === undefined ? {} : { phases }),
    ...(asked.rate === undefined ? {} : { schedule: mergeSchedules(records, asked.rate) }),
    ...(mix === undefined ? {} : { mix: mergeMixes(records, mix) }),
  };
}

/**
 * Makes one second of what several generators recorded in it: counts are added, histograms merged.
 *
 * @param parts of the generators that had not ended before; they keep histograms where there are several.
 */
export function mergeSecond(second: number, parts: readonly SecondRecord[], areUsersTold: boolean): TimelineSecond {
  const { users, ...counts } = addEach(parts.map(({ sent, ok, failed, users }) => ({ sent, ok, failed, users })));
  return {
    second,
    ...counts,
    failures: addByName(parts.map((part) => part.failures)),
    ...mergeSecondLatencies(parts.filter(({ ok }) => ok > 0)),
    ...(areUsersTold ? { users } : {}),
  };
}

/** `parts`: those in which requests were ok. */
function mergeSecondLatencies(parts: readonly SecondRecord[]): Pick<SecondRecord, "p50" | "p90" | "p99" | "max"> {
  const [only] = parts;
  if (only === undefined) return { p50: null, p90: null, p99: null, max: null };
  if (parts.length === 1) return { p50: only.p50, p90: only.p90, p99: only.p99, max: only.max };
  const max = Math.max(...parts.map((part) => part.max ?? 0));
  const merged = mergeHistograms(parts.map((part) => decodeHistogram(part.histogram ?? "")));
  const at = (percentile: number): number => Math.min(percentileMs(merged, percentile), max);
  return { p50: at(50), p90: at(90), p99: at(99), max };
}

/** One timeline of all generators, as long as the longest. */
function mergeTimelines(records: readonly LoadRecord[], areUsersTold: boolean): readonly TimelineSecond[] {
  const length = Math.max(0, ...records.map(({ seconds }) => seconds.length));
  return Array.from({ length }, (_, second) => {
    const parts = records.flatMap(({ seconds }) => seconds[second] ?? []);
    return mergeSecond(second, parts, areUsersTold);
  });
}

/** The smallest value that a histogram has a cell for. */
const SMALLEST_MS = 0.001;

/** `undefined` where no generator told phases apart. */
function mergePhases(records: readonly LoadRecord[]): Phases | undefined {
  const parts = records.flatMap((record) => record.phases ?? []);
  if (parts.length === 0) return undefined;
  return ofPhases((phase) => {
    const latency = summarize(parts.map((part) => part[phase])) ?? { min: 0, mean: 0, stddev: 0, p50: 0, max: 0 };
    const { min, mean, stddev, p50, max } = latency;
    // Connecting takes no time at all where the connection was open already.
    return { min, mean, stddev, median: min === 0 && p50 <= SMALLEST_MS ? 0 : p50, max };
  });
}

function mergeSchedules(records: readonly LoadRecord[], rate: number): ScheduleKept {
  const unsent = total(records, ({ schedule }) => schedule?.unsent ?? 0);
  const lateness = summarize(records.flatMap(({ schedule }) => schedule?.lateness ?? []));
  const { mean, p99, max } = lateness ?? { mean: 0, p99: 0, max: 0 };
  return {
    rate,
    planned: total(records, ({ requests }) => requests.sent) + unsent,
    unsent,
    lateness: { mean, p99, max },
  };
}

/** All entries of a mix are there, in order, also those that were never sent. */
function mergeMixes(records: readonly LoadRecord[], mix: readonly MixedRequest[]): readonly MixedShare[] {
  return mix.map(({ name }, entry) => {
    const parts = records.flatMap((record) => record.mix?.[entry] ?? []);
    const latency = summarize(parts.flatMap((part) => part.latency ?? []));
    return {
      name,
      ...addEach(parts.map(({ sent, ok, failed }) => ({ sent, ok, failed }))),
      ...(latency === undefined ? {} : { latency }),
    };
  });
}

/** One summary of what several generators recorded; `undefined` where there is nothing. */
function summarize(records: readonly LatencyRecord[]): CompleteLatency | undefined {
  const seen = records.filter(({ count }) => count > 0);
  if (seen.length === 0) return undefined;
  const histograms = seen.map((record) => decodeHistogram(record.histogram));
  const [only] = histograms;
  return summarizeLatency(only !== undefined && seen.length === 1 ? only : mergeHistograms(histograms), {
    count: total(seen, ({ count }) => count),
    minUs: Math.min(...seen.map(({ minUs }) => minUs)),
    maxUs: Math.max(...seen.map(({ maxUs }) => maxUs)),
    sumUs: total(seen, ({ sumUs }) => sumUs),
    sumSquaresUs: total(seen, ({ sumSquaresUs }) => sumSquaresUs),
  });
}

function mergeEncoded(histograms: readonly string[]): string {
  const [only] = histograms;
  if (only !== undefined && histograms.length === 1) return only;
  return encodeHistogram(mergeHistograms(histograms.map(decodeHistogram)));
}

function total<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}

/** Adds up the same counts of one or more. */
function addEach<Key extends string>(parts: readonly Readonly<Record<Key, number>>[]): Record<Key, number> {
  return parts.reduce((sum, part) => {
    const sums = Object.entries<number>(sum).map(([key, value]) => [key, value + part[key as Key]]);
    return Object.fromEntries(sums) as Record<Key, number>;
  });
}

/** Adds counts up by their names, which come in alphabetical order. */
function addByName(parts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const part of parts) {
    for (const [name, count] of Object.entries(part)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return Object.fromEntries([...sums].toSorted(([a], [b]) => a.localeCompare(b)));
}
