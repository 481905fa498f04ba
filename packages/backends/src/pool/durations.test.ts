import { describe, expect, it } from "vitest";
import { collectDurations } from "./durations.js";

describe("collectDurations", () => {
  it("starts with zeros", () => {
    expect(collectDurations().summary()).toEqual({ count: 0, meanMs: 0, maxMs: 0, p50Ms: 0, p99Ms: 0 });
  });

  it("knows count, mean and maximum exactly, and the quantiles to three digits", () => {
    const durations = collectDurations();
    for (let ms = 1; ms <= 1000; ms++) durations.add(ms);
    const { p50Ms, p99Ms, ...rest } = durations.summary();
    expect(rest).toEqual({ count: 1000, meanMs: 500.5, maxMs: 1000 });
    expect(Math.abs(p50Ms - 500)).toBeLessThanOrEqual(0.5);
    expect(Math.abs(p99Ms - 990)).toBeLessThanOrEqual(1);
  });

  it("takes durations below a microsecond", () => {
    const durations = collectDurations();
    durations.add(0);
    durations.add(0.0001);
    expect(durations.summary()).toEqual({ count: 2, meanMs: 0.000_05, maxMs: 0.0001, p50Ms: 0.0001, p99Ms: 0.0001 });
  });
});
