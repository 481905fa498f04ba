import { expect, it } from "vitest";
import { holds } from "../judge/thresholds.js";
import { invertThreshold } from "./invert-threshold.js";
import { parseThreshold } from "./parse-threshold.js";

it.each([
  ["p99<50ms", "p99>=50ms"],
  ["p99 <= 50ms", "p99 > 50ms"],
  ["throughput>1000", "throughput<=1000"],
  ["errors>=1%", "errors<1%"],
])("makes of %j the condition that is met where it is not", (source, opposite) => {
  const threshold = parseThreshold(source);
  const inverted = invertThreshold(threshold);
  expect(inverted).toEqual(parseThreshold(opposite));
  for (const actual of [threshold.value - 1, threshold.value, threshold.value + 1]) {
    expect(holds(inverted, actual)).toBe(!holds(threshold, actual));
  }
});
