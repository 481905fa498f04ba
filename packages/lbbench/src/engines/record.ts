import type { FailureClass } from "../model/measurement.js";

/** Exact sums beside a histogram, in microseconds; `min` is Infinity while `count` is 0. */
export interface LatencyRecord {
  readonly count: number;
  readonly minUs: number;
  readonly maxUs: number;
  readonly sumUs: number;
  readonly sumSquaresUs: number;
  /** HDR histogram of whole microseconds, compressed, base64. */
  readonly histogram: string;
}

/** Where the time of ok requests went, by phase. */
export interface PhasesRecord {
  readonly connect: LatencyRecord;
  readonly processing: LatencyRecord;
  readonly waiting: LatencyRecord;
  readonly total: LatencyRecord;
}

/** How an open loop kept to its share of the schedule. */
export interface ScheduleRecord {
  readonly unsent: number;
  /** Most connections that were needed at a time. */
  readonly connections: number;
  readonly lateness: LatencyRecord;
}

/** What became of the requests of one entry of a mix. */
export interface MixedRecord {
  readonly sent: number;
  readonly ok: number;
  readonly failed: number;
  /** Of ok responses; `null` when there were none. */
  readonly latency: LatencyRecord | null;
}

/** One second of a record, counted from the common start of all generators. */
export interface SecondRecord {
  readonly second: number;
  readonly sent: number;
  readonly ok: number;
  readonly failed: number;
  /** How they failed, the ways that occurred. */
  readonly failures: Readonly<Partial<Record<FailureClass, number>>>;
  /** Users that had started by the end of this second, and had not ended. */
  readonly users: number;
  /** Latency of the ok responses of this second; `null` when there were none. */
  readonly latency: SecondLatency | null;
}

/** Latency in one second, in ms. */
export interface SecondLatency {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  /** Exact. */
  readonly max: number;
  /** As in {@link LatencyRecord}; `null` where there is nothing to merge it with. */
  readonly histogram: string | null;
}

/** What one generator process recorded: mergeable with the records of others. */
export interface LoadRecord {
  /** First request sent and last outcome, in microseconds from the common start; `null` when nothing was sent. */
  readonly firstSentUs: number | null;
  readonly lastDoneUs: number;
  /** When load was stopped before it was used up, in microseconds from the common start. */
  readonly stoppedUs: number | null;
  readonly sent: number;
  readonly ok: number;
  readonly failures: Readonly<Record<FailureClass, number>>;
  readonly inFlight: number;
  readonly connectionsOpened: number;
  readonly connectionsEstablished: number;
  readonly receivedBytes: number;
  readonly bodyBytes: number;
  readonly sentBytes: number;
  readonly statusCodes: Readonly<Record<string, number>>;
  readonly errorCodes: Readonly<Record<string, number>>;
  readonly latency: LatencyRecord;
  readonly failedLatency: LatencyRecord;
  readonly seconds: readonly SecondRecord[];
  /** Absent where phases are not told apart, and where no request was ok. */
  readonly phases?: PhasesRecord;
  /** Of an open loop alone. */
  readonly schedule?: ScheduleRecord;
  /** By entry of a mix, in its order; absent without one. */
  readonly mix?: readonly MixedRecord[];
}
