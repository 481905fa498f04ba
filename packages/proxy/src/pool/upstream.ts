import { FULL_HEALTH, type BackendHealth } from "../health/backend-health.js";
import type { BackendCondition, BackendSnapshot } from "../options/options.js";
import type { ResolvedBackend, ResolvedLimits } from "../options/resolve-options.js";
import type { BackendState } from "../policies/policy.js";
import { Latency } from "./latency.js";
import { Slots } from "./slots.js";

type StatusClass = keyof BackendSnapshot["answers"];
const STATUS_CLASSES: readonly StatusClass[] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/**
 * A backend at run time: its state as policies see it, its counts, its slots, and `link`, the way to it. Whoever begins
 * something here must end it, exactly once.
 */
export class Upstream<Link = unknown> implements BackendState {
  readonly name: string;
  readonly url: string;
  readonly backend: ResolvedBackend;
  readonly link: Link;
  readonly slots: Slots;
  readonly latency = new Latency();
  /** As it was given. */
  baseWeight: number;
  /** What policies see: the base weight, less during a slow start. */
  weight: number;
  /** What `available`, `condition` and `weight` come from; the pool keeps them in step. */
  health: BackendHealth = FULL_HEALTH;
  available = true;
  condition: BackendCondition = "up";
  requests = 0;
  errors = 0;
  aborted = 0;
  inFlight = 0;
  retries = 0;
  readonly #answers: Record<StatusClass, number> = { "1xx": 0, "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 };
  #whenIdle: (() => void)[] = [];

  constructor(backend: ResolvedBackend, link: Link, limits: ResolvedLimits) {
    this.name = backend.name;
    this.url = backend.url;
    this.backend = backend;
    this.link = link;
    this.baseWeight = backend.weight;
    this.weight = backend.weight;
    this.slots = new Slots(limits.connectionsPerBackend, limits.queuePerBackend);
  }

  /** Counts a request that it is handed. */
  begin(isRetry: boolean): void {
    this.requests += 1;
    this.inFlight += 1;
    if (isRetry) this.retries += 1;
  }

  /** Counts a request that it has answered completely. */
  endAnswered(status: number, ms: number): void {
    const statusClass = STATUS_CLASSES[Math.floor(status / 100) - 1];
    if (statusClass !== undefined) this.#answers[statusClass] += 1;
    this.latency.record(ms);
    this.#end();
  }

  /** Counts a request that it has not answered completely. */
  endFailed(): void {
    this.errors += 1;
    this.#end();
  }

  /** Counts a request whose client went away first. */
  endAborted(): void {
    this.aborted += 1;
    this.#end();
  }

  /** Resolves when nothing is in flight. */
  async idle(): Promise<void> {
    if (this.inFlight > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  snapshot(): BackendSnapshot {
    return {
      name: this.name,
      url: this.url,
      weight: this.baseWeight,
      condition: this.condition,
      requests: this.requests,
      errors: this.errors,
      aborted: this.aborted,
      inFlight: this.inFlight,
      queued: this.slots.queued,
      retries: this.retries,
      answers: { ...this.#answers },
      latency: this.latency.snapshot(),
    };
  }

  #end(): void {
    this.inFlight -= 1;
    if (this.inFlight > 0 || this.#whenIdle.length === 0) return;
    const waiting = this.#whenIdle;
    this.#whenIdle = [];
    for (const resolve of waiting) resolve();
  }
}
