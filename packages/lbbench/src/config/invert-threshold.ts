import type { Threshold } from "../model/threshold.js";

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
