import { describe, expect, it } from "vitest";
import { FULL_HEALTH } from "./backend-health.js";
import { nextChangeMs, shareOf } from "./share-of.js";

const rules = { passive: false, active: false, slowStartMs: 1000 } as const;
const starting = { ...FULL_HEALTH, slowStartSinceMs: 5000 };

describe("shareOf", () => {
  it.each([
    [5000, 0.1],
    [5500, 0.55],
    [5900, 0.91],
    [6000, 1],
    [9000, 1],
  ])("is at %s ms of a slow start from 5000 to 6000 ms %s", (nowMs, share) => {
    expect(shareOf(starting, nowMs, rules)).toBeCloseTo(share, 12);
  });

  it("is 1 without a slow start", () => {
    expect(shareOf(FULL_HEALTH, 5000, rules)).toBe(1);
  });
});

describe("nextChangeMs", () => {
  it.each([
    [5000, 5050],
    [5049, 5050],
    [5050, 5100],
    [5975, 6000],
    [6500, 6000],
  ])("is at %s ms of a slow start from 5000 to 6000 ms the step at %s ms", (nowMs, dueMs) => {
    expect(nextChangeMs(starting, nowMs, rules)).toBeCloseTo(dueMs, 9);
  });

  it("is the end of an ejection, and never when there is none", () => {
    expect(nextChangeMs({ ...FULL_HEALTH, ejectedUntilMs: 700 }, 10, rules)).toBe(700);
    expect(nextChangeMs(FULL_HEALTH, 10, rules)).toBe(Infinity);
  });
});
