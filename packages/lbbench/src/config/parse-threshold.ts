import { LATENCY_METRICS } from "../stats/latency-keys.js";
import type { Threshold, ThresholdMetric } from "../model/threshold.js";
import { listWords, suggest } from "./config-error.js";
import { parseDuration } from "./parse-values.js";

const METRICS: readonly ThresholdMetric[] = ["throughput", "errors", ...LATENCY_METRICS];

const OPPOSITE = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" } as const;

/**
 * Reads a condition like `p99<50ms`, `errors<1%` or `throughput>1000`.
 * Throws an `Error` that says what was expected, for anything else.
 */
export function parseThreshold(text: string): Threshold {
  const source = text.trim();
  const [, word = "", operator, value = ""] = /^(\w+)\s*(<=|>=|<|>)\s*(\S+)$/.exec(source) ?? [];
  if (operator === undefined) {
    throw new Error(
      `expected a condition with <, <=, > or >=, such as p99<50ms, errors<1% or throughput>1000, got "${text}"`,
    );
  }
  const metric = METRICS.find((one) => one === word);
  if (metric === undefined) {
    throw new Error(`expected one of ${listWords(METRICS)} in "${text}", got "${word}".${suggest(word, METRICS)}`);
  }
  return { source, metric, operator: operator as Threshold["operator"], value: parseValue(metric, value, source) };
}

function parseValue(metric: ThresholdMetric, text: string, source: string): number {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  if (metric === "throughput") {
    if (digits !== undefined && percent === "") return Number(digits);
    throw new Error(`expected a number of ok responses per second, such as throughput>1000, got "${source}"`);
  }
  if (metric === "errors") {
    const share = Number(digits) / (percent === "%" ? 100 : 1);
    if (share <= 1) return share;
    throw new Error(`expected a share such as errors<1% or errors<0.01, at most 100%, got "${source}"`);
  }
  try {
    return parseDuration(text);
  } catch (cause) {
    // A threshold without a unit is nearly always one in milliseconds.
    const hint = digits !== undefined && percent === "" ? `; did you mean "${source}ms"?` : "";
    throw new Error(`expected a time such as 50ms or 1.5s after the sign, got "${source}"${hint}`, { cause });
  }
}

/** The condition that is met where a threshold is not: `p99>=50ms` of `p99<50ms`. */
export function invertThreshold(threshold: Threshold): Threshold {
  const operator = OPPOSITE[threshold.operator];
  return { ...threshold, operator, source: threshold.source.replace(threshold.operator, operator) };
}
