import { LATENCY_METRICS } from "../stats/latency-keys.js";
import type { Threshold, ThresholdMetric } from "../model/threshold.js";
import { parseDuration } from "./parse-duration.js";
import { listWords, suggest } from "./suggest.js";

const METRICS = new Set<ThresholdMetric>(["throughput", "errors", ...LATENCY_METRICS]);

/**
 * Reads a condition like `p99<50ms`, `errors<1%` or `throughput>1000`.
 * Throws an `Error` that says what was expected, for anything else.
 */
export function parseThreshold(source: string): Threshold {
  const match = /^\s*(\w+)\s*(<=|>=|<|>)\s*(\S+)\s*$/.exec(source);
  if (match === null) {
    throw new Error(
      `expected a condition with <, <=, > or >=, such as p99<50ms, errors<1% or throughput>1000, got "${source}"`,
    );
  }
  const [, word = "", operator = "<", value = ""] = match;
  const metric = [...METRICS].find((one) => one === word);
  if (metric === undefined) {
    throw new Error(`expected one of ${listWords(METRICS)} in "${source}", got "${word}".${suggest(word, METRICS)}`);
  }
  return {
    source: source.trim(),
    metric,
    operator: operator as Threshold["operator"],
    value: parseValue(metric, value, source),
  };
}

function parseValue(metric: ThresholdMetric, value: string, source: string): number {
  if (metric === "throughput")
    return parseNumber(value, source, "a number of ok responses per second, such as throughput>1000");
  if (metric !== "errors") return parseLatency(value, source);
  const percent = /^(.+)%$/.exec(value)?.[1];
  const expected = "a share such as errors<1% or errors<0.01";
  const share =
    percent === undefined ? parseNumber(value, source, expected) : parseNumber(percent, source, expected) / 100;
  if (share > 1) throw new Error(`expected ${expected}, at most 100%, got "${source}"`);
  return share;
}

function parseLatency(value: string, source: string): number {
  try {
    return parseDuration(value);
  } catch (error) {
    // A threshold without a unit is nearly always one in milliseconds.
    const hint = /^\d+(\.\d+)?$/.test(value) ? `; did you mean "${source}ms"?` : "";
    throw new Error(`expected a time such as 50ms or 1.5s after the sign, got "${source}"${hint}`, { cause: error });
  }
}

function parseNumber(text: string, source: string, expected: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error(`expected ${expected}, got "${source}"`);
  return Number(text);
}
