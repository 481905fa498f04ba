import type * as stored from "./result-schema.js";

/**
 * What became of every request: `sent` is the exact sum of the others. A program that is driven from outside may not tell all
 * of it: a count that it does not tell is absent, and `sent` is what it accounts for.
 */
export interface RequestCounts extends stored.Of<typeof stored.requestCounts> {}

/** What an engine that generates the load itself tells of it. */
export type CompleteCounts = Required<Omit<RequestCounts, "unclassified">>;

/** The ways a request can fail. */
export type FailureClass = keyof NonNullable<TimelineSecond["failures"]>;

/**
 * Latency in milliseconds, to the microsecond or as exactly as the engine tells. What is absent a program that is driven from
 * outside, or whose output was imported, does not tell.
 */
export interface LatencySummary extends stored.Of<typeof stored.latencySummary> {}

/** Of latencies that were all seen. */
export type CompleteLatency = Required<LatencySummary>;

/** What happened in one second of a measurement, counted from the moment at which the load was started. */
export interface TimelineSecond extends stored.Of<typeof stored.timelineSecond> {}

/**
 * What happened in short slices of a measurement. Each list has an entry a slice, from its start. Requests count where they ended, in
 * `sent` where they left.
 */
export interface Slices extends stored.Of<typeof stored.slices> {}

/** What the balancer, or the backend itself, says of one backend, for the window of the measurement. */
export interface BackendShare extends stored.Of<typeof stored.backendShare> {}

/** The connections that a backend, or a target without backends, says it had in the window of the measurement. */
export interface BackendConnections extends stored.Of<typeof stored.backendConnections> {}

/** Which backends a balancer picked, one after another, in the window of the measurement. */
export interface BackendTurns extends stored.Of<typeof stored.backendTurns> {}

/** Of one phase of the `ok` requests, in ms. */
export interface PhaseSummary extends stored.Of<typeof stored.phaseSummary> {}

/** Where the time of `ok` requests went, as ApacheBench defines it. */
export interface Phases extends stored.Of<typeof stored.phases> {}

/**
 * Where the time of ok requests went, by what their answers say in `Server-Timing`. Percentiles are of the parts of each request, which add
 * up to its latency: `generator`, `added` and `backend`.
 */
export interface ServerTiming extends stored.Of<typeof stored.serverTiming> {}

/** The connections that were established in the time of a measurement, and how long that took. Latencies are those of connections. */
export interface Opening extends stored.Of<typeof stored.opening> {}

/** The server-sent events that came on streams. Latencies are those of events. */
export interface StreamEvents extends stored.Of<typeof stored.streamEvents> {}

/** What became of the requests of one entry of a mix. */
export interface MixedShare extends stored.Of<typeof stored.mixedShare> {}

export type { DoubtReason } from "./result-schema.js";

/** A figure of a program's output that means less than it seems, and why. */
export interface Doubt extends stored.Of<typeof stored.doubt> {}

/** What became of connections that are held, and what a burst beside them saw. `established` is `alive` and all that were lost. */
export interface HeldConnections extends stored.Of<typeof stored.heldConnections> {}

/** What an engine saw in one step. */
export interface Measurement extends stored.Of<typeof stored.measurementSchema> {}

/** What an engine saw that generates the load itself. */
export interface CompleteMeasurement extends Measurement {
  readonly connections: Required<Measurement["connections"]>;
  readonly requests: CompleteCounts;
  readonly bytes: Required<Measurement["bytes"]>;
  readonly latency?: CompleteLatency;
  readonly failedLatency?: CompleteLatency;
  readonly histogram: string;
}
