/** Durations that an engine takes one by one, and what generators hand over of them. */
import { createLatencyHistogram, encodeHistogram, percentileMs, type LatencyHistogram } from "../stats/histogram.js";
import type { ExactFigures } from "../stats/latency-summary.js";

export interface LatencyRecord extends ExactFigures {
  /** HDR histogram of whole microseconds, compressed, base64. */
  readonly histogram: string;
}

/** Durations in microseconds: exact sums, and a histogram from the first one on. */
export class Latencies {
  #histogram: LatencyHistogram | undefined;
  #minUs = Infinity;
  #maxUs = 0;
  #sumUs = 0;
  #sumSquaresUs = 0;
  count = 0;
  readonly #leastUs: number;

  /** `leastUs`: what is shorter counts in the histogram as so long; by default as short as any latency is. */
  constructor(leastUs = 1) {
    this.#leastUs = leastUs;
  }

  add(latencyUs: number): void {
    this.count += 1;
    if (latencyUs < this.#minUs) this.#minUs = latencyUs;
    if (latencyUs > this.#maxUs) this.#maxUs = latencyUs;
    this.#sumUs += latencyUs;
    this.#sumSquaresUs += latencyUs * latencyUs;
    this.#histogram ??= createLatencyHistogram();
    this.#histogram.recordValue(Math.max(this.#leastUs, Math.round(latencyUs)));
  }

  /** The latencies since the last call, as those of a second; then starts anew. */
  takeSecond(mergeable: boolean) {
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

/** The latency of a second without an ok request. */
export const NO_LATENCY = { p50: null, p90: null, p99: null, max: null, histogram: null };

/** Percentiles of one second, in ms: none above the longest, `max`, which is exact. */
export function secondLatency(histogram: LatencyHistogram, max: number) {
  const at = (percentile: number): number => Math.min(percentileMs(histogram, percentile), max);
  return { p50: at(50), p90: at(90), p99: at(99), max };
}
