import type { LatencySnapshot } from "../options/options.js";

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
