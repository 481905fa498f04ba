import type {
  CompleteMeasurement,
  FailureClass,
  HeldConnections,
  Slices,
  TimelineSecond,
} from "../model/measurement.js";
import { FAILURES } from "../model/outcomes.js";
import { latencyCell } from "../stats/latency-cells.js";
import { defined } from "../stats/defined.js";
import { Latencies, type LatencyRecord } from "./latencies.js";
import { ServerTimes, type ServerTimesRecord } from "./server-timing.js";
import type { Handshake } from "./sockets.js";

/** The parts of the time of a request that is ok. */
export const PHASES = ["connect", "processing", "waiting", "total"] as const;
/** What is timed beside ok requests: failed ones, how late requests of an open loop left, the parts of opening a connection, and the events of streams. */
const TIMED = [...PHASES, "failed", "late", "tcp", "tls", "firstEvent", "gap"] as const;
type Timed = (typeof TIMED)[number];

/** One second of a record, counted from the common start of all generators. */
export interface SecondRecord extends Required<TimelineSecond> {
  /** As in {@link LatencyRecord}; `null` if no request was ok, or if there is only one generator. */
  readonly histogram: string | null;
}

/** Counts beside those of requests. */
const NOTHING_COUNTED = {
  /** Users who had a connection (as `connections.opened` of a measurement), and connections in all. */
  opened: 0,
  established: 0,
  /** Bytes of sockets, and of bodies alone. */
  written: 0,
  received: 0,
  body: 0,
  /** Of an open loop: requests that could not leave, and the most connections that were needed at a time. */
  unsent: 0,
  needed: 0,
  /** TLS connections that resumed a session. */
  resumed: 0,
};

/** What became of the connections of one generator process that were held. */
export type HeldRecord = Omit<HeldConnections, "sources" | "burst">;

/** What one generator process recorded: mergeable with the records of others. Times are microseconds from the common start. */
export interface LoadRecord extends Pick<
  CompleteMeasurement,
  "requests" | "statusCodes" | "errorCodes" | "slices" | "fill"
> {
  /** `null` when nothing was sent. */
  readonly firstSentUs: number | null;
  /** The time of the last outcome, or at which the load was stopped early. */
  readonly endUs: number;
  readonly counts: Readonly<typeof NOTHING_COUNTED>;
  /** Of what occurred. */
  readonly latencies: Readonly<Partial<Record<Timed | "ok", LatencyRecord>>>;
  readonly seconds: readonly SecondRecord[];
  /** TLS connections by what was agreed on. */
  readonly agreed: Readonly<Record<string, number>>;
  /** Absent where no connections are held. */
  readonly held?: HeldRecord;
  /** Absent where it was not asked for. */
  readonly serverTimes?: ServerTimesRecord;
  /** What became of the requests of each entry of a mix, in its order; empty without one. */
  readonly mix: readonly (Record<"sent" | "ok" | "failed", number> & { readonly latency: LatencyRecord | null })[];
}

/** What to record. */
export interface RecordOptions {
  /** Whether seconds keep histograms, to merge them with other generators' ones. Encoding one blocks this process for a millisecond. */
  readonly mergeable: boolean;
  /** How many entries the mix has; none by default. */
  readonly entries?: number | undefined;
  /** When the load will be cut. A timer fires a little late: what happens until then belongs to the last second. */
  readonly lastsMs?: number | undefined;
  /** Length of slices, in ms; no slices by default. */
  readonly sliceMs?: number | undefined;
  /** Whether to record what answers say in `Server-Timing`; not by default. */
  readonly serverTiming?: boolean | undefined;
  /** When the record begins, on the clock of its run; by default at the start of the run. */
  readonly originUs?: number;
}

const NO_FAILURES = Object.fromEntries(FAILURES.map(({ key }) => [key, 0])) as Record<FailureClass, number>;

/**
 * Counts the requests and connections of an engine. It takes times in their order, as microseconds on the clock of the run, and gives
 * times from its own beginning on. Its memory depends on the longest latency and on the seconds, not on the number of requests.
 */
export class Recorder {
  readonly counts = { ...NOTHING_COUNTED };
  /** `undefined` where it was not asked for. */
  readonly serverTimes: ServerTimes | undefined;
  readonly #all = new Tally();
  readonly #mix: readonly Tally[];
  readonly #timeline: Timeline;
  readonly #slices: SliceRecord | undefined;
  readonly #latencies = Object.fromEntries(TIMED.map((timed) => [timed, new Latencies()])) as Record<Timed, Latencies>;
  readonly #statusCodes = new Map<number | string, number>();
  readonly #errorCodes = new Map<string, number>();
  readonly #agreed = new Map<string, number>();
  readonly #originUs: number;
  #firstSentUs: number | null;
  #lastDoneUs = 0;

  constructor({ mergeable, entries = 0, lastsMs, sliceMs, serverTiming, originUs }: RecordOptions) {
    this.#originUs = originUs ?? 0;
    this.#firstSentUs = originUs === undefined ? null : 0;
    this.#timeline = new Timeline(mergeable, lastsMs);
    this.#slices = sliceMs === undefined ? undefined : new SliceRecord(sliceMs);
    this.serverTimes = serverTiming === true ? new ServerTimes() : undefined;
    this.#mix = Array.from({ length: entries }, () => new Tally());
  }

  /** A request leaves. Each has one outcome later, or is counted as open by `finish`. `entry`: of a mix. */
  sent(nowUs: number, entry = 0): void {
    const atUs = nowUs - this.#originUs;
    this.#firstSentUs ??= atUs;
    this.#all.sent += 1;
    this.#timeline.at(atUs).sent += 1;
    if (this.#slices !== undefined) this.#slices.at(atUs).sent += 1;
    const mixed = this.#mix[entry];
    if (mixed !== undefined) mixed.sent += 1;
  }

  /** `status`: a code of HTTP, or the name of a gRPC status. */
  ok(sentUs: number, nowUs: number, status: number | string, entry = 0): void {
    const atUs = nowUs - this.#originUs;
    this.#lastDoneUs = atUs;
    addOne(this.#statusCodes, status);
    this.#all.ok.add(nowUs - sentUs);
    this.#timeline.at(atUs).ok.add(nowUs - sentUs);
    this.#mix[entry]?.ok.add(nowUs - sentUs);
    if (this.#slices === undefined) return;
    const slice = this.#slices.at(atUs);
    slice.ok += 1;
    addOne(slice.cells, latencyCell(nowUs - sentUs));
  }

  /** `code`: of the operating system or the parser. `status`: of a complete answer. */
  failed(
    kind: FailureClass,
    sentUs: number,
    nowUs: number,
    { code, status }: { readonly code?: string; readonly status?: number | string },
    entry = 0,
  ): void {
    const atUs = nowUs - this.#originUs;
    this.#lastDoneUs = atUs;
    if (status !== undefined) addOne(this.#statusCodes, status);
    if (code !== undefined) addOne(this.#errorCodes, code);
    // A request that got no connection has no latency.
    if (kind !== "connectErrors") this.#latencies.failed.add(nowUs - sentUs);
    this.#all.fail(kind);
    this.#timeline.at(atUs).fail(kind);
    if (this.#slices !== undefined) addFailure(this.#slices.at(atUs).failures, kind);
    this.#mix[entry]?.fail(kind);
  }

  /** Where the time of an ok request went, in microseconds; only some engines can tell. */
  phases(connectUs: number, processingUs: number, waitingUs: number): void {
    const { connect, processing, waiting, total } = this.#latencies;
    connect.add(connectUs);
    processing.add(processingUs);
    waiting.add(waitingUs);
    total.add(connectUs + processingUs);
  }

  /** An event of a stream has come: `us` after the request was due if it is the first, else after the one before. */
  event(isFirst: boolean, us: number): void {
    this.#latencies[isFirst ? "firstEvent" : "gap"].add(us);
  }

  /** A connection was established: how long that took, in microseconds, and which handshake it ended with, if it did with one. */
  connected(us: number, tls: Handshake | undefined): void {
    this.#latencies.tcp.add(us - (tls?.us ?? 0));
    if (tls === undefined) return;
    this.#latencies.tls.add(tls.us);
    if (tls.resumed) this.counts.resumed += 1;
    addOne(this.#agreed, tls.agreed);
  }

  /** By how much a request of an open loop left too late, in microseconds. */
  late(latenessUs: number): void {
    this.#latencies.late.add(latenessUs);
  }

  /** Users that started; a number below 0 counts users that ended. */
  users(nowUs: number, users: number): void {
    this.#timeline.at(nowUs - this.#originUs);
    this.#timeline.users += users;
  }

  /** Requests that left, that have an outcome, and that failed. */
  progress(): { readonly sent: number; readonly done: number; readonly failed: number } {
    const { sent, ok, failed } = this.#all;
    return { sent, done: ok.count + failed, failed };
  }

  /** Requests so far that ended with a complete answer. */
  answers(): number {
    const { ok, failures } = this.#all;
    return ok.count + (failures.non2xx ?? 0) + (failures.mismatched ?? 0);
  }

  /** A second of the record; `undefined` if it may still change, `null` if the record ended before it. */
  readSecond(second: number, nowUs: number): SecondRecord | null | undefined {
    return this.#timeline.read(second, nowUs - this.#originUs);
  }

  /** Ends the record. `stoppedUs`, on the clock of the run, is set when load was stopped before it was used up; the seconds are those up to then. */
  finish(inFlight: number, stoppedUs: number | null): LoadRecord {
    const { sent, ok, failures } = this.#all;
    const endUs = stoppedUs === null ? this.#lastDoneUs : stoppedUs - this.#originUs;
    const latencies = Object.entries({ ok, ...this.#latencies }).filter(([, { count }]) => count > 0);
    return {
      firstSentUs: this.#firstSentUs,
      endUs,
      requests: { sent, ok: ok.count, ...NO_FAILURES, ...failures, inFlight },
      counts: this.counts,
      statusCodes: Object.fromEntries(this.#statusCodes),
      errorCodes: Object.fromEntries(this.#errorCodes),
      agreed: Object.fromEntries(this.#agreed),
      latencies: Object.fromEntries(latencies.map(([timed, taken]) => [timed, taken.finish()])),
      seconds: this.#timeline.finish(sent === 0 ? 0 : endUs),
      ...defined({ slices: this.#slices?.finish(endUs), serverTimes: this.serverTimes?.finish() }),
      mix: this.#mix.map((entry) => {
        const latency = entry.ok.count === 0 ? null : entry.ok.finish();
        return { sent: entry.sent, ok: entry.ok.count, failed: entry.failed, latency };
      }),
    };
  }
}

function addOne<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

type Failures = Partial<Record<FailureClass, number>>;

function addFailure(failures: Failures, kind: FailureClass): void {
  failures[kind] = (failures[kind] ?? 0) + 1;
}

/** Counts of requests by outcome: of all, of one entry of a mix, or of a second. */
class Tally {
  sent = 0;
  readonly ok = new Latencies();
  failed = 0;
  failures: Failures = {};

  fail(kind: FailureClass): void {
    this.failed += 1;
    addFailure(this.failures, kind);
  }
}

const SECOND_US = 1_000_000;

/** Counts by second. One histogram serves all seconds in turn. */
class Timeline {
  readonly #mergeable: boolean;
  readonly #lastSecond: number;
  readonly #seconds: SecondRecord[] = [];
  readonly #current = new Tally();
  users = 0;
  #endUs: number;
  #ended = false;

  constructor(mergeable: boolean, lastsMs = Infinity) {
    this.#mergeable = mergeable;
    this.#lastSecond = Math.max(0, Math.ceil(lastsMs / 1000) - 1);
    this.#endUs = this.#lastSecond === 0 ? Infinity : SECOND_US;
  }

  /** The counts of the second of that moment. Earlier seconds are over. */
  at(nowUs: number): Tally {
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
    this.#seconds.push({ second, ...counts, ok: ok.count, users: this.users, ...ok.takeSecond(this.#mergeable) });
    Object.assign(this.#current, { sent: 0, failed: 0, failures: {} });
    this.#endUs = second + 1 === this.#lastSecond ? Infinity : (second + 2) * SECOND_US;
  }
}

/** What happened in a slice. */
interface Slice {
  sent: number;
  ok: number;
  readonly failures: Failures;
  /** Latencies of ok requests, by their cell. */
  readonly cells: Map<number, number>;
}

/** Counts by slices of equal length, the first from the common start on. */
class SliceRecord {
  readonly #ms: number;
  readonly #slices: Slice[] = [];

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** The counts of the slice of that moment. */
  at(nowUs: number): Slice {
    const index = Math.max(0, Math.floor(nowUs / (this.#ms * 1000)));
    this.#extendTo(index + 1);
    return this.#slices[index] as Slice;
  }

  /** Ends with the slice in which something happened last, or that `untilUs` is in or at the end of. */
  finish(untilUs: number): Slices {
    this.#extendTo(Math.ceil(untilUs / (this.#ms * 1000)));
    const all = this.#slices;
    const kinds = FAILURES.filter(({ key }) => all.some(({ failures }) => failures[key] !== undefined));
    return {
      ms: this.#ms,
      sent: all.map(({ sent }) => sent),
      ok: all.map(({ ok }) => ok),
      failures: Object.fromEntries(kinds.map(({ key }) => [key, all.map(({ failures }) => failures[key] ?? 0)])),
      latencies: all.map(({ cells }) => [...cells].toSorted(([a], [b]) => a - b)),
    };
  }

  #extendTo(length: number): void {
    while (this.#slices.length < length) this.#slices.push({ sent: 0, ok: 0, failures: {}, cells: new Map() });
  }
}
