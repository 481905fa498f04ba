import { describe, expect, it } from "vitest";
import { elapsedByRate } from "./elapsed-by-rate.js";

const PRINTED = { count: 600, elapsedMs: 2000, elapsedResolutionMs: 5, perSecond: 300.3, rateResolution: 0.005 };

describe("elapsedByRate", () => {
  it("takes the more exact of the time and the rate", () => {
    expect(elapsedByRate(PRINTED)).toBeCloseTo(1998.002, 3);
    expect(elapsedByRate({ ...PRINTED, count: 3, perSecond: 1.5, rateResolution: 0.05 })).toBe(2000);
  });

  it.each([
    ["another rate", { perSecond: 297 }],
    ["a rate of nothing", { perSecond: 0 }],
    ["a rate of no requests", { count: 0 }],
  ])("finds the contradiction of %s", (_, change) => {
    expect(elapsedByRate({ ...PRINTED, ...change })).toBeUndefined();
  });

  it("takes a rate of 0 where there was nothing, or so little that it is rounded to that", () => {
    expect(elapsedByRate({ ...PRINTED, count: 0, perSecond: 0 })).toBe(2000);
    expect(elapsedByRate({ ...PRINTED, count: 1, elapsedMs: 300_000, perSecond: 0 })).toBe(300_000);
    expect(elapsedByRate({ ...PRINTED, count: 2, elapsedMs: 300_000, perSecond: 0 })).toBeUndefined();
  });
});
