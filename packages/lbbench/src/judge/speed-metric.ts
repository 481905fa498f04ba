import type { Level } from "../model/level.js";
import { loadOf } from "../stats/load.js";

/**
 * Returns the metric that tells which of two targets is faster at a level: throughput; in an open loop p50, because its throughput
 * is what was asked for.
 */
export function speedMetric(level: Level): "throughput" | "p50" {
  return loadOf(level).kind === "rate" ? "p50" : "throughput";
}
