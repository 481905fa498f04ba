import type { CompleteCounts, CompleteMeasurement, FailureClass, TimelineSecond } from "../model/measurement.js";
import { createLatencyHistogram, encodeHistogram, percentileMs, type LatencyHistogram } from "../stats/histogram.js";
import type { ExactFigures } from "../stats/latency-summary.js";

/** The parts of the time of a request that is ok. */
export const PHASES = ["connect", "processing", "waiting", "total"] as const;

/** What is timed: requests that are ok, those that failed, the phases of the former, and how late those of an open loop left. */
export type Timed = "ok" | "failed" | "late" | (typeof PHASES)[number];

/** Latencies of one kind: exact sums and a histogram. */
export interface LatencyRecord extends ExactFigures {
  /** HDR histogram of whole microseconds, compressed, base64. */
  readonly histogram: string;
}

/** What became of the requests of one entry of a mix; `latency` is `null` when none was ok. */
export interface MixedRecord extends Counts {
  readonly latency: LatencyRecord | null;
}

interface Counts {
  readonly sent: number;
  readonly ok: number;
  readonly failed: number;
}

/** One second of a record, counted from the common start of all generators. */
export interface SecondRecord extends Required<TimelineSecond> {
  /** As in {@link LatencyRecord}; `null` where no request was ok, or there is nothing to merge it with. */
  readonly histogram: string | null;
}

/** What one generator process recorded: mergeable with the records of others. Times are microseconds from the common start. */
export interface LoadRecord extends Pick<CompleteMeasurement, "requests" | "bytes" | "statusCodes" | "errorCodes"> {
  /** `null` when nothing was sent. */
  readonly firstSentUs: number | null;
  /** When the last outcome was, or when the load was stopped before it was used up. */
  readonly endUs: number;
  readonly connections: Pick<CompleteMeasurement["connections"], "opened" | "established">;
  /** Of what occurred. */
  readonly latencies: Readonly<Partial<Record<Timed, LatencyRecord>>>;
  readonly seconds: readonly SecondRecord[];
  /** Of an open loop: requests that could not leave, and the most connections that were needed at a time. */
  readonly schedule: { readonly unsent: number; readonly needed: number };
  /** By entry of a mix, in its order; empty without one. */
  readonly mix: readonly MixedRecord[];
}

/** What a record is to hold. */
export interface RecordOptions {
  /**
   * Whether the seconds keep histograms, to be merged with those of other processes. Encoding one takes about a millisecond in
   * which nothing else is measured.
   */
  readonly mergeable: boolean;
  /** How many entries the mix has; none by default. */
  readonly entries?: number | undefined;
  /** After which time the load is to be cut. A timer rings a little late: what happens until then belongs to the last second. */
  readonly lastsMs?: number | undefined;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * Counts what every engine of ours tells about each request, and about its connections. Times are microseconds from the common
 * start and come in their order. Its memory depends on the longest latency and the seconds, not on the number of requests.
 */
export class Recorder {
  readonly #latencies: Readonly<Record<Timed, Latencies>> = {
    ok: new Latencies(),
    failed: new Latencies(),
    late: new Latencies(),
    connect: new Latencies(),
    processing: new Latencies(),
    waiting: new Latencies(),
    total: new Latencies(),
  };
  readonly #timeline: Timeline;
  readonly #mix: readonly { sent: number; failed: number; readonly ok: Latencies }[];
  readonly #requests: Mutable<CompleteCounts> = {
    sent: 0,
    ok: 0,
    non2xx: 0,
    mismatched: 0,
    connectErrors: 0,
    resets: 0,
    dropped: 0,
    timedOut: 0,
    inFlight: 0,
  };
  readonly #connections: Mutable<LoadRecord["connections"]> = { opened: 0, established: 0 };
  readonly #bytes: Mutable<LoadRecord["bytes"]> = { received: 0, body: 0, sent: 0 };
  readonly #schedule: Mutable<LoadRecord["schedule"]> = { unsent: 0, needed: 0 };
  readonly #statusCodes = new Map<number | string, number>();
  readonly #errorCodes = new Map<string, number>();
  #firstSentUs: number | null = null;
  #lastDoneUs = 0;
  #failed = 0;

  constructor({ mergeable, entries = 0, lastsMs }: RecordOptions) {
    this.#timeline = new Timeline(mergeable, lastsMs);
    this.#mix = Array.from({ length: entries }, () => ({ sent: 0, failed: 0, ok: new Latencies() }));
  }

  /** A request leaves; every call is followed by one outcome, or by being counted in `finish`. `entry`: of a mix. */
  sent(nowUs: number, entry = 0): void {
    this.#firstSentUs ??= nowUs;
    this.#requests.sent += 1;
    this.#timeline.at(nowUs).sent += 1;
    const mixed = this.#mix[entry];
    if (mixed !== undefined) mixed.sent += 1;
  }

  /** `status`: a code of HTTP, or the name of a gRPC status. */
  ok(sentUs: number, nowUs: number, status: number | string, entry = 0): void {
    const latencyUs = nowUs - sentUs;
    this.#requests.ok += 1;
    this.#lastDoneUs = nowUs;
    addOne(this.#statusCodes, status);
    this.#latencies.ok.add(latencyUs);
    this.#timeline.at(nowUs).ok.add(latencyUs);
    this.#mix[entry]?.ok.add(latencyUs);
  }

  /** `code`: of the operating system or the parser. `status`: of a complete answer. */
  failed(
    kind: FailureClass,
    sentUs: number,
    nowUs: number,
    { code, status }: { readonly code?: string; readonly status?: number | string },
    entry = 0,
  ): void {
    const second = this.#timeline.at(nowUs);
    this.#requests[kind] += 1;
    this.#failed += 1;
    this.#lastDoneUs = nowUs;
    second.failed += 1;
    second.failures[kind] = (second.failures[kind] ?? 0) + 1;
    if (status !== undefined) addOne(this.#statusCodes, status);
    if (code !== undefined) addOne(this.#errorCodes, code);
    // A request that never had a connection waited for nothing but the refusal.
    if (kind !== "connectErrors") this.#latencies.failed.add(nowUs - sentUs);
    const mixed = this.#mix[entry];
    if (mixed !== undefined) mixed.failed += 1;
  }

  /** A connection was established, for the first time by this user or again. */
  connected(first: boolean): void {
    this.#connections.established += 1;
    if (first) this.#connections.opened += 1;
  }

  written(bytes: number): void {
    this.#bytes.sent += bytes;
  }

  received(bytes: number): void {
    this.#bytes.received += bytes;
  }

  body(bytes: number): void {
    this.#bytes.body += bytes;
  }

  /** Where the time of a request went that is ok, in microseconds; by engines that can tell. */
  phases(connectUs: number, processingUs: number, waitingUs: number): void {
    const { connect, processing, waiting, total } = this.#latencies;
    connect.add(connectUs);
    processing.add(processingUs);
    waiting.add(waitingUs);
    total.add(connectUs + processingUs);
  }

  /** A request of an open loop left so much later than it was due, in microseconds. */
  late(latenessUs: number): void {
    this.#latencies.late.add(latenessUs);
  }

  /** A request of an open loop was due and could not leave. */
  unsent(): void {
    this.#schedule.unsent += 1;
  }

  /** An open loop needs one more connection than it ever had. */
  needsConnection(): void {
    this.#schedule.needed += 1;
  }

  /** So many users started, or ended where it is less than 0. */
  users(nowUs: number, users: number): void {
    this.#timeline.at(nowUs).users += users;
  }

  /** Requests that left, those that have an outcome, and those of them that failed. */
  counts(): { readonly sent: number; readonly done: number; readonly failed: number } {
    const { sent, ok } = this.#requests;
    return { sent, done: ok + this.#failed, failed: this.#failed };
  }

  /**
   * What was recorded in a second that is over: nothing is counted in it any more. `null` where the timeline ended before it,
   * `undefined` where it is not over, as the last one of a load that is to be cut.
   */
  readSecond(second: number, nowUs: number): SecondRecord | null | undefined {
    return this.#timeline.read(second, nowUs);
  }

  /** Ends the record. `stoppedUs` is set when load was stopped before it was used up; the seconds are those up to then. */
  finish(inFlight: number, stoppedUs: number | null): LoadRecord {
    const endUs = stoppedUs ?? this.#lastDoneUs;
    const latencies = Object.entries(this.#latencies).filter(([, { count }]) => count > 0);
    return {
      firstSentUs: this.#firstSentUs,
      endUs,
      requests: { ...this.#requests, inFlight },
      connections: this.#connections,
      bytes: this.#bytes,
      statusCodes: Object.fromEntries(this.#statusCodes),
      errorCodes: Object.fromEntries(this.#errorCodes),
      latencies: Object.fromEntries(latencies.map(([timed, taken]) => [timed, taken.finish()])),
      seconds: this.#timeline.finish(this.#requests.sent === 0 ? 0 : endUs),
      schedule: this.#schedule,
      mix: this.#mix.map(({ ok, ...counts }) => {
        return { ...counts, ok: ok.count, latency: ok.count === 0 ? null : ok.finish() };
      }),
    };
  }
}

function addOne<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Latencies that are taken one by one: exact sums, and a histogram from the first one on. */
class Latencies {
  #histogram: LatencyHistogram | undefined;
  #minUs = Infinity;
  #maxUs = 0;
  #sumUs = 0;
  #sumSquaresUs = 0;
  count = 0;

  add(latencyUs: number): void {
    this.count += 1;
    if (latencyUs < this.#minUs) this.#minUs = latencyUs;
    if (latencyUs > this.#maxUs) this.#maxUs = latencyUs;
    this.#sumUs += latencyUs;
    this.#sumSquaresUs += latencyUs * latencyUs;
    this.#histogram ??= createLatencyHistogram();
    this.#histogram.recordValue(Math.max(1, Math.round(latencyUs)));
  }

  /** Those added since the last call, as the latency of a second; then starts anew. */
  takeSecond(mergeable: boolean): Pick<SecondRecord, "p50" | "p90" | "p99" | "max" | "histogram"> {
    const histogram = this.#histogram;
    if (this.count === 0 || histogram === undefined) return NO_LATENCY;
    const taken = {
      ...secondLatency(histogram, this.#maxUs / 1000),
      histogram: mergeable ? encodeHistogram(histogram) : null,
    };
    histogram.reset();
    this.count = 0;
    this.#maxUs = 0;
    return taken;
  }

  finish(): LatencyRecord {
    return {
      count: this.count,
      minUs: this.#minUs,
      maxUs: this.#maxUs,
      sumUs: this.#sumUs,
      sumSquaresUs: this.#sumSquaresUs,
      histogram: encodeHistogram(this.#histogram ?? createLatencyHistogram()),
    };
  }
}

/** Of a second in which no request was ok. */
export const NO_LATENCY = { p50: null, p90: null, p99: null, max: null, histogram: null };

/** Percentiles of one second, in ms: none above the longest, `max`, which is exact. */
export function secondLatency(histogram: LatencyHistogram, max: number) {
  const at = (percentile: number): number => Math.min(percentileMs(histogram, percentile), max);
  return { p50: at(50), p90: at(90), p99: at(99), max };
}

const SECOND_US = 1_000_000;

/** What is counted in one second. */
class CountedSecond {
  sent = 0;
  readonly ok = new Latencies();
  failed = 0;
  failures: Partial<Record<FailureClass, number>> = {};
  /** Those that have not ended. */
  users = 0;
}

/** Counts by second. One histogram serves all seconds in turn. */
class Timeline {
  readonly #mergeable: boolean;
  readonly #lastSecond: number;
  readonly #seconds: SecondRecord[] = [];
  readonly #current = new CountedSecond();
  #endUs: number;
  #ended = false;

  constructor(mergeable: boolean, lastsMs = Infinity) {
    this.#mergeable = mergeable;
    this.#lastSecond = Math.max(0, Math.ceil(lastsMs / 1000) - 1);
    this.#endUs = this.#lastSecond === 0 ? Infinity : SECOND_US;
  }

  /** The second of that moment, to be counted in; those before it are over. */
  at(nowUs: number): CountedSecond {
    while (nowUs >= this.#endUs) this.#close();
    return this.#current;
  }

  read(second: number, nowUs: number): SecondRecord | null | undefined {
    if (this.#ended) return this.#seconds[second] ?? null;
    this.at(nowUs);
    return this.#seconds[second];
  }

  /** Ends with the second in which something happened last, or that `untilUs` is in or at the end of. */
  finish(untilUs: number): readonly SecondRecord[] {
    this.at(untilUs);
    this.#close();
    this.#ended = true;
    const last = this.#seconds.findLastIndex(({ sent, ok, failed }) => sent + ok + failed > 0);
    this.#seconds.splice(Math.max(last + 1, Math.ceil(untilUs / SECOND_US)));
    return this.#seconds;
  }

  #close(): void {
    const second = this.#seconds.length;
    const { ok, ...counts } = this.#current;
    this.#seconds.push({ second, ...counts, ok: ok.count, ...ok.takeSecond(this.#mergeable) });
    Object.assign(this.#current, { sent: 0, failed: 0, failures: {} });
    this.#endUs = second + 1 === this.#lastSecond ? Infinity : (second + 2) * SECOND_US;
  }
}
