import type { ChartAxis } from "./chart-definition.js";
import { linearTicks } from "./round-numbers.js";

const MOST_STEPS = 10;

/** Part of the axis that may be empty at its end for the sake of a round number there. */
const EMPTY_END = 0.1;

/** Returns an axis of seconds from 0 to the last, with whole ones as ticks. */
export function secondAxis(last: number): ChartAxis {
  return { label: "second", scale: "linear", ticks: ticksUpTo(last) };
}

function ticksUpTo(last: number): readonly number[] {
  if (last <= MOST_STEPS) return Array.from({ length: last + 1 }, (_, second) => second);
  const { ticks, max } = linearTicks(last, MOST_STEPS);
  return max <= last * (1 + EMPTY_END) ? ticks : [...ticks.filter((tick) => tick < last), last];
}
