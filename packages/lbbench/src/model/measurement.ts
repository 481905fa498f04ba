/** What became of every request: `sent` is the exact sum of the others. */
export interface RequestCounts {
  readonly sent: number;
  /** Answered completely, with an expected status and body. */
  readonly ok: number;
  /** Answered completely, with a status that was not expected. */
  readonly non2xx: number;
  /** Answered with an unexpected body, or with something that is not HTTP (or gRPC). */
  readonly mismatched: number;
  /** No connection: refused, no address, no descriptor, no free port. */
  readonly connectErrors: number;
  /** The connection was reset before the answer was complete. */
  readonly resets: number;
  /** The server closed the connection before the answer was complete. */
  readonly dropped: number;
  /** No complete answer within the timeout. */
  readonly timedOut: number;
  /** Still open when a run of fixed duration, or one that was cut short, ended. */
  readonly inFlight: number;
}

/** The ways a request can fail, in the order in which reports list them. */
export type FailureClass = "non2xx" | "mismatched" | "connectErrors" | "resets" | "dropped" | "timedOut";

/** Latency in milliseconds, to the microsecond. */
export interface LatencySummary {
  readonly min: number;
  readonly mean: number;
  readonly stddev: number;
  readonly p50: number;
  readonly p66: number;
  readonly p75: number;
  readonly p80: number;
  readonly p90: number;
  readonly p95: number;
  readonly p98: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** What happened in one second of a measurement, counted from the moment at which the load was started. */
export interface TimelineSecond {
  readonly second: number;
  readonly sent: number;
  readonly ok: number;
  readonly failed: number;
  /** Latency percentiles of the ok responses of this second, in ms; `null` when there were none. */
  readonly p50: number | null;
  readonly p99: number | null;
  readonly users?: number;
}

/** What the balancer, or the backend itself, says of one backend, for the window of the measurement. */
export interface BackendShare {
  readonly requests: number;
  /** Requests that failed on it; absent where nobody tells. */
  readonly errors?: number;
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

/** What an engine saw in one step. */
export interface Measurement {
  /** Wall clock time of the first request, ISO 8601. */
  readonly startedAt: string;
  /** From the first request sent to the last answer (or to the end of a run of fixed duration), in ms. */
  readonly elapsedMs: number;
  readonly connections: {
    /** Connections of the level; with gRPC the channels that its users share; of an open loop the most needed at a time. */
    readonly asked: number;
    /** How many of those asked were ever established. */
    readonly opened: number;
    /** TCP connections established in all; more than `opened` when the server closes them. */
    readonly established: number;
  };
  readonly requests: RequestCounts;
  /** By number, or with gRPC by name: `{OK: 90, UNAVAILABLE: 10}`. */
  readonly statusCodes: Readonly<Record<string, number>>;
  /** Error codes of the operating system or the parser, and how often each came: `{ECONNREFUSED: 3}`. */
  readonly errorCodes: Readonly<Record<string, number>>;
  /** ok responses per second. */
  readonly throughput: number;
  /** `received`: bytes read from the sockets, head and body. `body`: body bytes alone. `sent`: bytes written. */
  readonly bytes: { readonly received: number; readonly body: number; readonly sent: number };
  /** Of ok responses; absent when there were none. */
  readonly latency?: LatencySummary;
  /** Of requests that were sent and failed; absent when there were none. */
  readonly failedLatency?: LatencySummary;
  /** Latency of ok responses: HDR histogram, microseconds, 3 digits, compressed, base64. */
  readonly histogram: string;
  readonly timeline: readonly TimelineSecond[];
  /** Absent where the engine does not tell phases apart. */
  readonly phases?: Phases;
  /** Of an open loop alone. Its latency counts from when a request was due, not from when it left. */
  readonly schedule?: ScheduleKept;
  /** Requests by backend, as the balancer or the backends counted them; absent without a balancer. */
  readonly backends?: Readonly<Record<string, BackendShare>>;
}
