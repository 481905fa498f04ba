import { BackendHealth } from "../health/backend-health.js";
import type { BackendCondition, BackendSnapshot, LatencySnapshot } from "../options/options.js";
import type { ResolvedBackend, ResolvedHealth, ResolvedLimits } from "../options/resolve-options.js";
import type { BackendState, RequestEnd, RequestEvents } from "../policies/policy.js";
import { handshakesWith } from "../tls/backend-sessions.js";

type StatusClass = keyof BackendSnapshot["answers"];
const STATUS_CLASSES: readonly StatusClass[] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/** By their numbers. Source: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
const GRPC_STATUSES = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

/** A request that is handed to a backend, as far as its times are concerned. */
export interface Handed {
  /** When it was handed to it. */
  readonly handedMs: number;
  /** From then to the head of its answer. It is written here, and kept only where a policy is told of it. */
  waitedMs: number | undefined;
}

/**
 * A backend at run time: its state as policies see it, its counts, its slots, and `link`, the way to it. A caller must end what
 * it begins here, exactly once.
 */
export class Upstream<Link = unknown> implements BackendState {
  readonly name: string;
  readonly url: string;
  readonly slots: Slots;
  readonly latency = new Latency();
  /** As it was given. */
  baseWeight: number;
  /** What policies see: the base weight, less during a slow start. */
  weight: number;
  /** What `available`, `condition` and `weight` come from; the pool keeps them in step. */
  readonly health: BackendHealth;
  available = true;
  condition: BackendCondition = "up";
  requests = 0;
  errors = 0;
  aborted = 0;
  inFlight = 0;
  retries = 0;
  readonly #answers: Record<StatusClass, number> = { "1xx": 0, "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 };
  readonly #grpc: number[] = GRPC_STATUSES.map(() => 0);
  /** They are told of its requests. */
  readonly #watchers: readonly RequestEvents[];
  /** On probation: the request that cannot be repeated by which it is tried. */
  trial: object | undefined;
  #whenIdle: (() => void)[] = [];
  /** Set by the pool: ends the timer; ends the checks; the end of its link. */
  stopTimer: () => void = () => undefined;
  endChecks: () => Promise<void> = async () => undefined;
  closed: Promise<void> | undefined;

  constructor(
    readonly backend: ResolvedBackend,
    readonly link: Link,
    limits: ResolvedLimits,
    rules: ResolvedHealth,
    watchers: readonly RequestEvents[] = [],
  ) {
    this.name = backend.name;
    this.url = backend.url;
    this.baseWeight = backend.weight;
    this.weight = backend.weight;
    this.health = new BackendHealth(rules);
    this.#watchers = watchers;
    this.slots = new Slots(limits.connectionsPerBackend, limits.queuePerBackend);
  }

  /** Counts a request that it is handed. */
  begin(request: Handed, isRetry: boolean): void {
    this.requests += 1;
    this.inFlight += 1;
    if (isRetry) this.retries += 1;
    request.waitedMs = undefined;
    for (const watcher of this.#watchers) watcher.began?.(this);
  }

  /** The head of its answer has come. */
  beginAnswer(request: Handed): void {
    if (this.#watchers.length === 0) return;
    const waitedMs = performance.now() - request.handedMs;
    request.waitedMs = waitedMs;
    for (const watcher of this.#watchers) watcher.answering?.(this, waitedMs);
  }

  /** Counts a request no more that it was not handed after all. */
  takeBack(request: Handed, isRetry: boolean): void {
    this.requests -= 1;
    if (isRetry) this.retries -= 1;
    this.#end(request, "unsent");
  }

  /** Counts a request that it has answered completely; `grpcStatus` is -1 for an answer that is none of gRPC. */
  endAnswered(request: Handed, status: number, grpcStatus = -1): void {
    const ms = performance.now() - request.handedMs;
    if (grpcStatus in this.#grpc) this.#grpc[grpcStatus] = (this.#grpc[grpcStatus] ?? 0) + 1;
    const statusClass = STATUS_CLASSES[Math.floor(status / 100) - 1];
    if (statusClass !== undefined) this.#answers[statusClass] += 1;
    this.latency.record(ms);
    this.#end(request, "answered", ms, status, grpcStatus);
  }

  /** Counts a request that it has not answered completely; `aborted`: because its client went away first, or spoilt it. */
  endUnanswered(request: Handed, outcome: "failed" | "aborted"): void {
    if (outcome === "failed") this.errors += 1;
    else this.aborted += 1;
    this.#end(request, outcome);
  }

  /** Resolves when nothing is in flight, or with `stopWaiting`. */
  async idle(): Promise<void> {
    if (this.inFlight > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  snapshot(): BackendSnapshot {
    const { name, url, condition, requests, errors, aborted, inFlight, retries } = this;
    const counts = { requests, errors, aborted, inFlight, queued: this.slots.queued, retries };
    const answers = { ...this.#answers };
    const grpc = Object.fromEntries(
      GRPC_STATUSES.map((of, code) => [of, this.#grpc[code] ?? 0] as const).filter(([, count]) => count > 0),
    );
    const latency = this.latency.snapshot();
    const ejection = { ejectedFor: this.health.ejectedFor, ejections: this.health.ejections() };
    const tls = handshakesWith(this.backend);
    return { name, url, weight: this.baseWeight, condition, ...ejection, ...counts, answers, grpc, latency, ...tls };
  }

  #end(request: Handed, outcome: RequestEnd["outcome"], tookMs?: number, status = 0, grpcStatus = -1): void {
    this.inFlight -= 1;
    if (this.trial === request) this.trial = undefined;
    if (this.#watchers.length > 0) {
      const { handedMs, waitedMs } = request;
      const ms = tookMs ?? performance.now() - handedMs;
      const end: RequestEnd = { outcome, ms, waitedMs, status, grpcStatus: GRPC_STATUSES[grpcStatus] };
      for (const watcher of this.#watchers) watcher.ended?.(this, end);
    }
    if (this.inFlight === 0 && this.#whenIdle.length > 0) this.stopWaiting();
  }

  /** Ends all waits for `idle`. */
  stopWaiting(): void {
    const waiting = this.#whenIdle;
    this.#whenIdle = [];
    for (const resolve of waiting) resolve();
  }
}

/** Something that waits for a connection to a backend. */
export interface Waiter {
  /** Called once, when it is its turn; it then has the slot and must release it. */
  readonly takeTurn: () => void;
  /** Called in place of that when the backend has become unavailable: it has no place any more, and may go to another one. */
  readonly dismissed: () => void;
}

/** The connections that a backend may have at a time, and the queue of requests that wait for one, first come, first served. */
class Slots {
  readonly #limit: number;
  readonly #queueLimit: number;
  readonly #waiting = new Set<Waiter>();
  #taken = 0;

  constructor(limit: number, queueLimit: number) {
    this.#limit = limit;
    this.#queueLimit = queueLimit;
  }

  get queued(): number {
    return this.#waiting.size;
  }

  /** Whether a slot would be taken at once. */
  get isFree(): boolean {
    return this.#taken < this.#limit;
  }

  /** Whether there is neither a slot nor a place in the queue. */
  get isFull(): boolean {
    return this.#taken >= this.#limit && this.#waiting.size >= this.#queueLimit;
  }

  /** Takes a slot, or a place in the queue; `full` when there is neither. */
  take(waiter: Waiter): "taken" | "queued" | "full" {
    if (this.isFree) {
      this.#taken += 1;
      return "taken";
    }
    if (this.isFull) return "full";
    this.#waiting.add(waiter);
    return "queued";
  }

  /** Gives a slot back; the one that has waited longest gets it. */
  release(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next.takeTurn();
      return;
    }
    this.#taken -= 1;
  }

  /** Gives up a place in the queue; false for a request that is not in it. */
  leave(waiter: Waiter): boolean {
    return this.#waiting.delete(waiter);
  }

  /** Empties the queue, and tells the requests that were in it, in order. */
  dismiss(): void {
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const waiter of waiting) waiter.dismissed();
  }
}

/** Upper bounds of the buckets in seconds: 1, 2.5 and 5 of each power of ten from 0.1 ms to 10 s. */
const BOUNDS_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

const BOUNDS_MS: readonly number[] = BOUNDS_SECONDS.map((seconds) => seconds * 1000);

/** A histogram of latencies with fixed buckets: cheap enough for every request, and to be added up over workers. */
export class Latency {
  readonly #counts: number[] = Array.from({ length: BOUNDS_MS.length + 1 }, () => 0);
  #sumMs = 0;

  record(ms: number): void {
    this.#sumMs += ms;
    let bucket = 0;
    while (bucket < BOUNDS_MS.length && ms > (BOUNDS_MS[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  snapshot(): LatencySnapshot {
    return { boundsSeconds: BOUNDS_SECONDS, counts: [...this.#counts], sumSeconds: this.#sumMs / 1000 };
  }
}
