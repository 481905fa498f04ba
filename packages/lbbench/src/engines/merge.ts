import type { Level } from "../model/level.js";
import type {
  CompleteMeasurement,
  HeldConnections,
  Opening,
  PhaseSummary,
  ServerTiming,
  Slices,
  StreamEvents,
  TimelineSecond,
} from "../model/measurement.js";
import { FAILURES } from "../model/outcomes.js";
import type { MixedRequest } from "../model/scenario.js";
import type { Hold, Load } from "../plugin.js";
import { createLatencyHistogram, decodeHistogram, encodeHistogram, mergeHistograms } from "../stats/histogram.js";
import { mergeCells } from "../stats/latency-cells.js";
import { summarizeLatency } from "../stats/latency-summary.js";
import { NO_LATENCY, secondLatency, type LatencyRecord } from "./latencies.js";
import { PHASES, type LoadRecord, type SecondRecord } from "./recorder.js";
import type { SERVER_TIMES } from "./server-timing.js";
import { defined } from "../stats/defined.js";

/**
 * What was asked of the generators of a step: connections of a closed loop, the rate of an open one, or the users of a ramp, who
 * have a connection each unless `connections` says that they share some.
 */
export type Asked = Pick<Level, "connections" | "rate" | "users">;

/**
 * Makes one measurement of what the generators of a step recorded: counts are added, histograms merged. It lasts from the first
 * request sent to the last outcome, or to the moment at which it was stopped.
 *
 * @param start when the common start was, on the wall clock.
 * @param mix the mix that was sent; none by default.
 */
export function mergeRecords(
  records: readonly LoadRecord[],
  asked: Asked,
  start: Date,
  mix?: readonly MixedRequest[],
): CompleteMeasurement {
  const startUs = Math.min(...records.map(({ firstSentUs }) => firstSentUs ?? Infinity));
  const endUs = Math.max(...records.map((record) => record.endUs));
  const elapsedMs = startUs === Infinity ? 0 : (endUs - startUs) / 1000;
  const requests = addEach(records.map((record) => record.requests));
  const counts = addEach(records.map((record) => record.counts));
  const { latency, histogram } = mergeTimed(records, "ok");
  const { latency: failedLatency } = mergeTimed(records, "failed");
  const { mean, p99, max } = mergeTimed(records, "late").latency ?? NOTHING;
  const { unsent } = counts;
  const planned = requests.sent + unsent;
  const phases = PHASES.map((phase) => [phase, phaseSummary(mergeTimed(records, phase).latency ?? NOTHING)] as const);
  const fills = records.flatMap(({ fill }) => fill ?? []);
  return {
    startedAt: new Date(start.getTime() + (startUs === Infinity ? 0 : startUs / 1000)).toISOString(),
    elapsedMs,
    connections: {
      // An open loop asks for as many as it turns out to need.
      asked: asked.connections ?? asked.users ?? counts.needed,
      opened: counts.opened,
      established: counts.established,
    },
    requests,
    statusCodes: addByName(records.map((record) => record.statusCodes)),
    errorCodes: addByName(records.map((record) => record.errorCodes)),
    throughput: elapsedMs > 0 ? requests.ok / (elapsedMs / 1000) : 0,
    bytes: { received: counts.received, body: counts.body, sent: counts.written },
    ...defined({ latency, failedLatency }),
    histogram,
    timeline: Array.from({ length: Math.max(0, ...records.map(({ seconds }) => seconds.length)) }, (_, second) => {
      const parts = records.flatMap(({ seconds }) => seconds[second] ?? []);
      return mergeSecond(second, parts, asked.users !== undefined);
    }),
    ...defined({
      slices: mergeSlices(records),
      fill: mergeFills(fills),
      phases: records.some(({ latencies }) => latencies.total)
        ? (Object.fromEntries(phases) as Record<(typeof PHASES)[number], PhaseSummary>)
        : undefined,
      opening: mergeOpening(records, counts.resumed),
      events: mergeEvents(records),
      serverTiming: mergeServerTimes(records, asked.rate !== undefined),
      schedule:
        asked.rate === undefined ? undefined : { rate: asked.rate, planned, unsent, lateness: { mean, p99, max } },
      mix: mix?.map(({ name }, entry) => ({ name, ...mergeEntry(records, entry) })),
    }),
  };
}

function mergeFills(fills: readonly NonNullable<LoadRecord["fill"]>[]): LoadRecord["fill"] {
  if (fills.length === 0) return undefined;
  return { ...addEach(fills.map((fill) => ({ ...fill }))), tookMs: Math.max(...fills.map(({ tookMs }) => tookMs)) };
}

/** Makes one second of the records of all generators that had not ended before; they keep histograms where there are several. */
export function mergeSecond(second: number, parts: readonly SecondRecord[], areUsersTold: boolean): TimelineSecond {
  const { users, ...counts } = addEach(parts.map(({ sent, ok, failed, users }) => ({ sent, ok, failed, users })));
  const answered = parts.filter(({ ok }) => ok > 0);
  const max = Math.max(...answered.map((part) => part.max ?? 0));
  const { p50, p90, p99 } =
    answered.length > 1
      ? secondLatency(mergeHistograms(answered.map(({ histogram }) => decodeHistogram(histogram ?? ""))), max)
      : (answered[0] ?? NO_LATENCY);
  return {
    second,
    ...counts,
    failures: addByName(parts.map((part) => part.failures)),
    p50,
    p90,
    p99,
    max: answered.length === 0 ? null : max,
    ...defined({ users: areUsersTold ? users : undefined }),
  };
}

/** Adds up the slices of all generators; some may have ended before others. */
function mergeSlices(records: readonly LoadRecord[]): Slices | undefined {
  const parts = records.flatMap(({ slices }) => slices ?? []);
  const [first] = parts;
  if (first === undefined) return undefined;
  const length = Math.max(...parts.map(({ sent }) => sent.length));
  const added = (lists: readonly (readonly number[])[]): number[] =>
    Array.from({ length }, (_, slice) => lists.reduce((sum, list) => sum + (list[slice] ?? 0), 0));
  const failures = FAILURES.map(({ key }) => [key, parts.map((part) => part.failures[key] ?? [])] as const);
  const occurred = failures.filter(([, lists]) => lists.some((list) => list.length > 0));
  return {
    ms: first.ms,
    sent: added(parts.map(({ sent }) => sent)),
    ok: added(parts.map(({ ok }) => ok)),
    failures: Object.fromEntries(occurred.map(([key, lists]) => [key, added(lists)])),
    latencies: Array.from({ length }, (_, slice) => mergeCells(parts.map(({ latencies }) => latencies[slice] ?? []))),
  };
}

/** Merges the accounts that generators give of connections that are held, and of a burst beside them. */
export function mergeHeld(
  records: readonly LoadRecord[],
  bursts: readonly LoadRecord[],
  { sources }: Hold,
  shares: readonly Load[],
): HeldConnections {
  const parts = records.flatMap(({ held }) => held ?? []);
  const asked = shares.reduce((sum, { hold }) => sum + (hold?.burst ?? 0), 0);
  const burst = bursts.length === 0 ? undefined : mergeRecords(bursts, { connections: asked }, new Date());
  return {
    ...addEach(parts.map(({ atStart, alive, established }) => ({ atStart, alive, established }))),
    lost: addEach(parts.map(({ lost }) => lost)),
    ...defined({
      sources: sources.length === 0 ? undefined : sources,
      burst: burst && {
        ...defined({ latency: burst.latency }),
        connections: { asked, ...defined({ opened: burst.connections.opened }) },
        elapsedMs: burst.elapsedMs,
        requests: burst.requests,
        throughput: burst.throughput,
      },
    }),
  };
}

const NOTHING = { min: 0, mean: 0, stddev: 0, p50: 0, p99: 0, max: 0 };
/** The smallest value that a histogram has a cell for. */
const SMALLEST_MS = 0.001;

/** Connecting takes no time at all where the connection was open already. */
function phaseSummary({ min, mean, stddev, p50, max }: typeof NOTHING): PhaseSummary {
  return { min, mean, stddev, median: min === 0 && p50 <= SMALLEST_MS ? 0 : p50, max };
}

function mergeEntry(records: readonly LoadRecord[], entry: number) {
  const parts = records.flatMap(({ mix }) => mix[entry] ?? []);
  const { latency } = mergeLatencies(parts.map((part) => part.latency));
  return {
    ...addEach(parts.map(({ sent, ok, failed }) => ({ sent, ok, failed }))),
    ...defined({ latency }),
  };
}

function mergeTimed(records: readonly LoadRecord[], timed: keyof LoadRecord["latencies"]) {
  return mergeLatencies(records.map(({ latencies }) => latencies[timed]));
}

/** How many latencies there are in all, and what of them is told; that is `undefined` where there are none. */
function mergeLatencies(records: readonly (LatencyRecord | null | undefined)[]) {
  const seen = records.filter((record) => record !== null && record !== undefined);
  const [first] = seen;
  if (first === undefined) return { count: 0, histogram: encodeHistogram(createLatencyHistogram()) };
  const merged = mergeHistograms(seen.map(({ histogram }) => decodeHistogram(histogram)));
  const sums = addEach(seen.map(({ count, sumUs, sumSquaresUs }) => ({ count, sumUs, sumSquaresUs })));
  const minUs = Math.min(...seen.map((record) => record.minUs));
  const maxUs = Math.max(...seen.map((record) => record.maxUs));
  return {
    count: sums.count,
    latency: summarizeLatency(merged, { ...sums, minUs, maxUs }),
    histogram: seen.length === 1 ? first.histogram : encodeHistogram(merged),
  };
}

/** What came on streams of events; `undefined` where nothing did. */
function mergeEvents(records: readonly LoadRecord[]): StreamEvents | undefined {
  const [first, gap] = [mergeTimed(records, "firstEvent"), mergeTimed(records, "gap")];
  const count = first.count + gap.count;
  return count === 0 ? undefined : { count, ...defined({ first: first.latency, gap: gap.latency }) };
}

/** How connections were opened; `undefined` where none was. */
function mergeOpening(records: readonly LoadRecord[], resumed: number): Opening | undefined {
  const { count, latency: tcp } = mergeTimed(records, "tcp");
  const { count: handshakes, latency: tls } = mergeTimed(records, "tls");
  if (tcp === undefined) return undefined;
  const agreed = addByName(records.map((record) => record.agreed));
  return {
    count,
    tcp,
    ...defined({
      tls: tls && { latency: tls, full: handshakes - resumed, resumed, agreed },
      firstByte: mergeTimed(records, "waiting").latency,
    }),
  };
}

/** What answers told of their times, by all generators; `undefined` where it was not asked for. */
function mergeServerTimes(records: readonly LoadRecord[], hasSchedule: boolean): ServerTiming | undefined {
  const parts = records.flatMap(({ serverTimes }) => serverTimes ?? []);
  if (parts.length === 0) return undefined;
  const of = (part: (typeof SERVER_TIMES)[number]) => mergeLatencies(parts.map(({ latencies }) => latencies[part]));
  const [backend, added, queue, connect, total] = [of("backend"), of("added"), of("queue"), of("connect"), of("total")];
  return {
    ...addEach(parts.map(({ counts }) => counts)),
    ...defined({
      generator: hasSchedule ? of("generator").latency : undefined,
      backend: backend.latency,
      added: added.latency,
      balancer:
        queue.latency && connect.latency && total.latency
          ? { queue: queue.latency, connect: connect.latency, total: total.latency }
          : undefined,
      histograms: added.latency && { backend: backend.histogram, added: added.histogram },
    }),
  };
}

/** Adds up the same counts of one or more. */
export function addEach<Key extends string>(parts: readonly Readonly<Record<Key, number>>[]): Record<Key, number> {
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
