import { check, whole } from "../options/check.js";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import type { BackendState, RequestEvents } from "./policy.js";

/** Knows how loaded each backend of one balancer is. */
export interface Load extends RequestEvents {
  /**
   * How loaded a backend is, in any unit, 0 or above. `leastLoaded` and `powerOfTwoChoices` compare it with the backend's weight, which
   * is no part of it.
   */
  readonly loadOf: (backend: BackendState) => number;
}

/** How the load of backends is measured: a plain object that makes a fresh `Load` for each balancer. */
export interface LoadMeasure {
  readonly name: string;
  /** `now` is a clock in ms that never goes back. */
  readonly create: (now: () => number) => Load;
}

/** What a backend has in flight. */
export const inFlight: LoadMeasure = {
  name: "in-flight",
  create: () => ({ loadOf: (backend) => backend.inFlight }),
};

/** What measures of latency can be told. */
export interface LatencyOptions {
  /**
   * In this time the weight of what was seen falls to 1/e, 37 %, in ms; 10 s by default, as in Finagle. The shorter, the sooner a
   * backend that was slow is tried again.
   */
  readonly decayMs?: number;
}

/**
 * The latency of a backend times what it would have in flight with one more request. A latency above the estimate becomes the
 * estimate at once; it then decays.
 *
 * Source: `PeakEwma` of Finagle (`com.twitter.finagle.loadbalancer.PeakEwma`), also for the penalty of a backend that has requests in
 * flight and no history; the moving average of unevenly spaced samples is that of Eckner, "Algorithms for Unevenly Spaced Time
 * Series". Three things differ. Latency ends with the head of an answer, as in `PeakEwma` of tower (`CompleteOnResponse`): the rest
 * depends on the size of the answer and on the client. Nothing decays while requests wait for answers: a backend that hangs would
 * seem faster from second to second. A request that got no answer can only raise the estimate: a backend that refuses at once is not fast.
 */
export function peakEwmaLoad(options: LatencyOptions = {}): LoadMeasure {
  return latencyLoad("peak-ewma", true, options);
}

/**
 * The mean latency of a backend, as a moving average, times what it would have in flight with one more request. All else is as in
 * `peakEwmaLoad`.
 *
 * Source: `leasttime` of Traefik (mean time to the head of an answer x (1 + in flight) / weight), whose mean is that of the last 100
 * answers. With that, a backend that was slow once is not tried again. The formula of `least_time` of nginx Plus is not public.
 */
export function responseTimeLoad(options: LatencyOptions = {}): LoadMeasure {
  return latencyLoad("response-time", false, options);
}

/** What a backend without history counts as when it has requests in flight: worse than all that have one. Finagle's is of this size. */
const UNKNOWN_MS = 1e8;

function latencyLoad(name: string, jumps: boolean, options: LatencyOptions): LoadMeasure {
  const decayMs = check(whole(1), options.decayMs ?? BALANCER_DEFAULTS.latencyDecayMs, "decayMs");
  const create: LoadMeasure["create"] = (now) => {
    const estimates = new WeakMap<BackendState, LatencyEstimate>();
    const estimateOf = (backend: BackendState): LatencyEstimate => {
      let estimate = estimates.get(backend);
      if (estimate === undefined) {
        estimate = new LatencyEstimate(decayMs, jumps, now());
        estimates.set(backend, estimate);
      }
      return estimate;
    };
    return {
      loadOf: (backend) => {
        const latencyMs = estimateOf(backend).read(now());
        const pending = backend.inFlight;
        return latencyMs === 0 && pending > 0 ? UNKNOWN_MS + pending : latencyMs * (pending + 1);
      },
      began: (backend) => estimateOf(backend).wait(now()),
      answering: (backend, waitedMs) => estimateOf(backend).take(waitedMs, now()),
      ended: (backend, { outcome, ms, waitedMs }) => {
        if (waitedMs === undefined) estimateOf(backend).giveUp(outcome === "unsent" ? 0 : ms, now());
      },
    };
  };
  return { name, create };
}

/** How long a backend takes to begin an answer: an average that forgets. All times are in ms. */
class LatencyEstimate {
  readonly #decayMs: number;
  readonly #jumps: boolean;
  #latencyMs = 0;
  #asOfMs: number;
  /** Requests whose answer has not begun. */
  #waiting = 0;

  constructor(decayMs: number, jumps: boolean, nowMs: number) {
    this.#decayMs = decayMs;
    this.#jumps = jumps;
    this.#asOfMs = nowMs;
  }

  /** The estimate; 0 before the first answer. */
  read(nowMs: number): number {
    if (this.#waiting === 0) {
      this.#latencyMs *= this.#weightAt(nowMs);
      this.#asOfMs = nowMs;
    }
    return this.#latencyMs;
  }

  wait(nowMs: number): void {
    this.read(nowMs);
    this.#waiting += 1;
  }

  /** An answer has begun. */
  take(waitedMs: number, nowMs: number): void {
    const weight = this.#weightAt(nowMs);
    const isFirst = this.#latencyMs === 0;
    const isPeak = this.#jumps && waitedMs > this.#latencyMs;
    this.#latencyMs = isFirst || isPeak ? waitedMs : this.#latencyMs * weight + waitedMs * (1 - weight);
    this.#asOfMs = nowMs;
    this.#waiting -= 1;
  }

  /** A request has ended after `ms` without an answer, which would have taken at least so long. */
  giveUp(ms: number, nowMs: number): void {
    if (ms > this.#latencyMs) this.take(ms, nowMs);
    else {
      this.#asOfMs = nowMs;
      this.#waiting -= 1;
    }
  }

  /** What is left by now of the weight of what was seen. */
  #weightAt(nowMs: number): number {
    return Math.exp(-Math.max(nowMs - this.#asOfMs, 0) / this.#decayMs);
  }
}
