import { LATENCY_METRICS } from "../stats/latency-keys.js";
import type { Threshold, ThresholdMetric } from "../model/threshold.js";
import { listWords, suggest } from "./config-error.js";
import { parseDuration } from "./parse-values.js";

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

function parseValue(metric: ThresholdMetric, text: string, source: string): number {
  if (metric === "throughput") {
    return parseNumber(text, source, "a number of ok responses per second, such as throughput>1000");
  }
  if (metric === "errors") {
    const expected = "a share such as errors<1% or errors<0.01";
    const share = text.endsWith("%")
      ? parseNumber(text.slice(0, -1), source, expected) / 100
      : parseNumber(text, source, expected);
    if (share > 1) throw new Error(`expected ${expected}, at most 100%, got "${source}"`);
    return share;
  }
  try {
    return parseDuration(text);
  } catch (error) {
    // A threshold without a unit is nearly always one in milliseconds.
    const hint = NUMBER.test(text) ? `; did you mean "${source}ms"?` : "";
    throw new Error(`expected a time such as 50ms or 1.5s after the sign, got "${source}"${hint}`, { cause: error });
  }
}

const NUMBER = /^\d+(\.\d+)?$/;

function parseNumber(text: string, source: string, expected: string): number {
  if (!NUMBER.test(text)) throw new Error(`expected ${expected}, got "${source}"`);
  return Number(text);
}

const OPPOSITE: Readonly<Record<Threshold["operator"], Threshold["operator"]>> = {
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
};

/** The condition that is met where a threshold is not: `p99>=50ms` of `p99<50ms`. */
export function invertThreshold(threshold: Threshold): Threshold {
  const operator = OPPOSITE[threshold.operator];
  return { ...threshold, operator, source: threshold.source.replace(threshold.operator, operator) };
}
