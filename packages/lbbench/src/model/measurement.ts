/**
 * What became of every request: `sent` is the exact sum of the others. A program that is driven from outside may not tell all
 * of it: a count that it does not tell is absent, and `sent` is what it accounts for.
 */
export interface RequestCounts {
  readonly sent: number;
  /** Answered completely, with an expected status and body. */
  readonly ok: number;
  /** Answered completely, with a status that was not expected. */
  readonly non2xx: number;
  /** Answered with an unexpected body, or with something that is not HTTP (or gRPC). */
  readonly mismatched?: number;
  /** No connection: refused, no address, no descriptor, no free port. */
  readonly connectErrors?: number;
  /** The connection was reset before the answer was complete. */
  readonly resets?: number;
  /** The server closed the connection before the answer was complete. */
  readonly dropped?: number;
  /** No complete answer within the timeout. */
  readonly timedOut?: number;
  /** Still open when a run of fixed duration, or one that was cut short, ended. */
  readonly inFlight?: number;
  /** Failed, the engine does not tell how; absent in engines that tell of every request. */
  readonly unclassified?: number;
}

/** What an engine that generates the load itself tells of it. */
export type CompleteCounts = Required<Omit<RequestCounts, "unclassified">>;

/** The ways a request can fail, in the order in which reports list them. */
export type FailureClass = "non2xx" | "mismatched" | "connectErrors" | "resets" | "dropped" | "timedOut";

/**
 * Latency in milliseconds, to the microsecond or as exactly as the engine tells. What is absent a program that is driven from
 * outside, or whose output was imported, does not tell.
 */
export interface LatencySummary {
  readonly min?: number;
  readonly mean?: number;
  readonly stddev?: number;
  readonly p50?: number;
  readonly p66?: number;
  readonly p75?: number;
  readonly p80?: number;
  readonly p90?: number;
  readonly p95?: number;
  readonly p98?: number;
  readonly p99?: number;
  readonly p999?: number;
  readonly max?: number;
}

/** Of latencies that were all seen. */
export type CompleteLatency = Required<LatencySummary>;

/** What happened in one second of a measurement, counted from the moment at which the load was started. */
export interface TimelineSecond {
  readonly second: number;
  readonly sent: number;
  readonly ok: number;
  readonly failed: number;
  /** How they failed, the ways that occurred; absent in files of 0.1.0. */
  readonly failures?: Readonly<Partial<Record<FailureClass, number>>>;
  /** Latency of the ok responses of this second, in ms; `null` when there were none. */
  readonly p50: number | null;
  /** Absent in files of 0.1.0. */
  readonly p90?: number | null;
  readonly p99: number | null;
  /** Absent in files of 0.1.0. */
  readonly max?: number | null;
  /** Users of a ramp that had come by the end of this second, and had not left. */
  readonly users?: number;
}

/** What the balancer, or the backend itself, says of one backend, for the window of the measurement. */
export interface BackendShare {
  readonly requests: number;
  /** Requests that failed on it; absent where nobody tells. */
  readonly errors?: number;
}

/** Which backends a balancer picked, one after another, in the window of the measurement. */
export interface BackendTurns {
  /** What it picked a backend for. */
  readonly of: "requests" | "connections";
  readonly picked: number;
  /** Of those: the backend that follows the one picked before, in the order of the list, and the first after the last. */
  readonly inTurn: number;
  /** The first ones, by name. */
  readonly first: readonly string[];
  readonly byBackend: Readonly<Record<string, number>>;
}

/** Of one phase of the `ok` requests, in ms. */
export interface PhaseSummary {
  readonly min: number;
  readonly mean: number;
  readonly stddev: number;
  readonly median: number;
  readonly max: number;
}

/** Where the time of `ok` requests went, as ApacheBench defines it. */
export interface Phases {
  /** Until the connection was established; 0 on one that was open already. */
  readonly connect: PhaseSummary;
  /** From there to the last byte of the answer. */
  readonly processing: PhaseSummary;
  /** Part of processing: from the request being written to the first byte of the answer. */
  readonly waiting: PhaseSummary;
  /** Connect and processing together. */
  readonly total: PhaseSummary;
}

/** How an open loop kept to its schedule. */
export interface ScheduleKept {
  /** Requests per second that were asked for. */
  readonly rate: number;
  /** Requests sent, and those that were due and could not leave. */
  readonly planned: number;
  /** Could not leave, because as many as are allowed were in flight. */
  readonly unsent: number;
  /** From when a request was due to when it left (was written or, on a new connection, connecting began), in ms. */
  readonly lateness: { readonly mean: number; readonly p99: number; readonly max: number };
}

/** What became of the requests of one entry of a mix. */
export interface MixedShare {
  /** Of the entry. */
  readonly name: string;
  readonly sent: number;
  readonly ok: number;
  readonly failed: number;
  /** Of ok responses; absent when there were none. */
  readonly latency?: LatencySummary;
}

/** A program that generated the load, where the engine drives one. */
export interface DrivenProgram {
  /** `ab`, `wrk`. */
  readonly name: string;
  /** What it calls itself: `2.3`; `null` where imported output does not tell. */
  readonly version: string | null;
  /** The program and its arguments; `null` where imported output does not tell. */
  readonly command: readonly string[] | null;
  /** What it printed, as it came; cut where it is longer than some thousand lines. */
  readonly output: string;
}

/**
 * Why a figure of a program's output means less than it seems.
 * - `whole-seconds`: the time of a run of N requests was taken until the next whole second.
 * - `closed-uncounted`: connections that are closed without an answer count as no failure.
 * - `made-up-latencies`: latencies that nobody measured were added for each that was longer than expected.
 * - `corrected-latencies`: latencies that nobody measured were added, to correct for requests that a rate did not let leave in time.
 * - `other-lengths`: answers of another length than the first count as failures; how many of them were good is not told.
 * - `varying-load`: the load was not the same all the time.
 * - `failures-untold`: imported output does not tell whether requests failed, so that all count as ok.
 * - `time-untold`: imported output tells neither a time nor a rate.
 * - `contradiction`: `lines` of imported output cannot all be true.
 */
export type DoubtReason =
  | "whole-seconds"
  | "closed-uncounted"
  | "made-up-latencies"
  | "corrected-latencies"
  | "other-lengths"
  | "varying-load"
  | "failures-untold"
  | "time-untold"
  | "contradiction";

/** A figure of a program's output that means less than it seems, and why. */
export interface Doubt {
  /** `other`: none that a threshold or a comparison asks for. */
  readonly figure: "throughput" | "latency" | "errors" | "other";
  readonly because: DoubtReason;
  /** Of a contradiction: the lines, each with its place: `runs.txt:12 "Complete requests: 1000"`. */
  readonly lines?: string;
}

/** What an engine saw in one step. */
export interface Measurement {
  /**
   * Wall clock time of the first request, ISO 8601. Of imported output that does not tell: when its file was last changed, or, of
   * what came by the standard input, when it was imported.
   */
  readonly startedAt: string;
  /** From the first request sent to the last answer (or to the end of a run of fixed duration), in ms. */
  readonly elapsedMs: number;
  readonly connections: {
    /** Connections of the level; with gRPC the channels that its users share; of an open loop the most needed at a time. */
    readonly asked: number;
    /** How many of those asked were ever established. */
    readonly opened?: number;
    /** TCP connections established in all; more than `opened` when the server closes them. */
    readonly established?: number;
  };
  readonly requests: RequestCounts;
  /** By number, or with gRPC by name: `{OK: 90, UNAVAILABLE: 10}`; empty where the engine does not tell them. */
  readonly statusCodes: Readonly<Record<string, number>>;
  /** Error codes of the operating system or the parser, and how often each came: `{ECONNREFUSED: 3}`. */
  readonly errorCodes: Readonly<Record<string, number>>;
  /** ok responses per second. */
  readonly throughput: number;
  /**
   * `received`: bytes read from the sockets, head and body. `body`: body bytes alone. `sent`: bytes written. Absent is what the
   * engine does not tell.
   */
  readonly bytes: { readonly received?: number; readonly body?: number; readonly sent?: number };
  /** Of ok responses; absent when there were none. */
  readonly latency?: LatencySummary;
  /** Of requests that were sent and failed; absent when there were none. */
  readonly failedLatency?: LatencySummary;
  /** Latency of ok responses: HDR histogram, microseconds, 3 digits, compressed, base64; absent where the engine has none. */
  readonly histogram?: string;
  /** Empty where the engine does not tell seconds apart. */
  readonly timeline: readonly TimelineSecond[];
  /** Absent where the engine does not tell phases apart. */
  readonly phases?: Phases;
  /** Of an open loop alone. Its latency counts from when a request was due, not from when it left. */
  readonly schedule?: ScheduleKept;
  /** By entry of a mix, in its order; absent without one. */
  readonly mix?: readonly MixedShare[];
  /** Absent in engines that generate the load themselves. */
  readonly program?: DrivenProgram;
  /** Where a program generated the load that is known for it; absent without any. */
  readonly doubts?: readonly Doubt[];
  /** Requests by backend, as the balancer or the backends counted them; absent without a balancer. */
  readonly backends?: Readonly<Record<string, BackendShare>>;
  /** Absent without a balancer that tells, and in files of 0.1.0. */
  readonly turns?: BackendTurns;
}

/** What an engine saw that generates the load itself. */
export interface CompleteMeasurement extends Measurement {
  readonly connections: Required<Measurement["connections"]>;
  readonly requests: CompleteCounts;
  readonly bytes: Required<Measurement["bytes"]>;
  readonly latency?: CompleteLatency;
  readonly failedLatency?: CompleteLatency;
  readonly histogram: string;
}
