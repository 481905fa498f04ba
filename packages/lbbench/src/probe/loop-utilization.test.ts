import { expect, it } from "vitest";
import { loopUtilization, type LoopReading } from "./loop-utilization.js";

const BEFORE: LoopReading = { idleMs: 5000, activeMs: 1000, atMs: 100 };

it.each<[string, number, LoopReading | undefined, LoopReading]>([
  ["what it did not wait between the questions", 0.75, BEFORE, { idleMs: 5250, activeMs: 1750, atMs: 1100 }],
  ["all the time when it never waited", 1, BEFORE, { idleMs: 5000, activeMs: 2000, atMs: 1100 }],
  ["as much when it answers 3 s late", 0.75, BEFORE, { idleMs: 5250, activeMs: 4750, atMs: 1100 }],
  ["since its begin when it was not there before", 0.25, undefined, { idleMs: 300, activeMs: 100, atMs: 1100 }],
  ["since its begin when another process had its pid", 0.25, BEFORE, { idleMs: 300, activeMs: 100, atMs: 1100 }],
  ["nothing before its loop began", 0, undefined, { idleMs: 0, activeMs: 0, atMs: 1100 }],
  ["nothing when no time has passed", 0, BEFORE, BEFORE],
  ["never less than nothing", 0, BEFORE, { idleMs: 7000, activeMs: 1000, atMs: 1100 }],
])("an event loop was busy for %s", (_, expected, before, after) => {
  expect(loopUtilization(before, after)).toBe(expected);
});
