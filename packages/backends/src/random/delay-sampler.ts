import { randomExponential, randomNormal, randomUniform } from "d3-random";
import type { Delay } from "../handler-spec.js";

/** A function that gives one delay after another, in ms; `source` gives numbers from 0 to 1. */
export function delaySampler(delay: Delay, source: () => number): () => number {
  switch (delay.kind) {
    case "fixed":
      return () => delay.ms;
    case "uniform":
      return randomUniform.source(source)(delay.minMs, delay.maxMs);
    case "exponential":
      return delay.meanMs === 0 ? () => 0 : randomExponential.source(source)(1 / delay.meanMs);
    case "normal": {
      const sample = randomNormal.source(source)(delay.meanMs, delay.stddevMs);
      return () => Math.max(0, sample());
    }
  }
}
