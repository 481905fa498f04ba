import { expect, test } from "vitest";
import { describeRamp } from "./describe-ramp.js";

test.each([
  [{ users: 100, durationMs: 100_000 }, { from: 1, riseMs: 100_000, steps: null }, "1 to 100 users over 100 s"],
  [
    { users: 1000, durationMs: 90_500 },
    { from: 10, riseMs: 60_000, steps: 3 },
    "10 to 1,000 users over 60 s in 3 steps, then 30.5 s with all of them",
  ],
  [
    { users: 5, durationMs: 800 },
    { from: 1, riseMs: 500, steps: 1 },
    "1 to 5 users over 500 ms in 1 step, then 300 ms with all of them",
  ],
  [{ users: 9, durationMs: 3_600_000 }, { from: 1, riseMs: 3_600_000, steps: null }, "1 to 9 users over 1 h"],
])("%j, %j", (level, ramp, text) => {
  expect(describeRamp(level, ramp)).toBe(text);
});
