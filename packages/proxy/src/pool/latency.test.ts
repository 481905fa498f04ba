import { describe, expect, it } from "vitest";
import { Latency } from "./latency.js";

/** The upper bound in seconds of the bucket that a latency is counted in; `above` for the last. */
function bucketOf(ms: number): number | "above" {
  const latency = new Latency();
  latency.record(ms);
  const { counts, boundsSeconds } = latency.snapshot();
  return boundsSeconds[counts.indexOf(1)] ?? "above";
}

describe("Latency", () => {
  it.each([
    [0, 0.0001],
    [0.1, 0.0001],
    [0.100001, 0.00025],
    [1, 0.001],
    [1.01, 0.0025],
    [60, 0.1],
    [10_000, 10],
    [10_001, "above"],
    [Infinity, "above"],
  ])("counts %s ms in the bucket up to %s s", (ms, bound) => {
    expect(bucketOf(ms)).toBe(bound);
  });

  it("has one count more than bounds, which rise, and a sum in seconds", () => {
    const latency = new Latency();
    for (const ms of [1, 2, 20_000]) latency.record(ms);
    const { counts, boundsSeconds, sumSeconds } = latency.snapshot();
    expect(counts).toHaveLength(boundsSeconds.length + 1);
    expect(boundsSeconds).toEqual(boundsSeconds.toSorted((a, b) => a - b));
    expect(counts.reduce((sum, count) => sum + count)).toBe(3);
    expect(counts.at(-1)).toBe(1);
    expect(sumSeconds).toBeCloseTo(20.003, 9);
  });

  it("gives snapshots that stay as they are", () => {
    const latency = new Latency();
    const before = latency.snapshot();
    latency.record(1);
    expect(before.counts.every((count) => count === 0)).toBe(true);
  });
});
