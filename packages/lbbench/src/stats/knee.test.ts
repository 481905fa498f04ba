import { describe, expect, it } from "vitest";
import { findKnee } from "./knee.js";
import type { Knee, KneePoint } from "./knee.js";
import { seededRandom } from "./seeded-random.js";
import { addNoise, fewestByChance } from "./test-support/simulated-trials.js";

const SERVICE_MS = 10;
const SWEEP = [1, 50, 100, 250, 500, 1000];
const DOUBLING = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const TENS = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

type Curve = (load: number) => number;

/** Ok responses per second of `size` threads, each of which takes 10 ms for a request. */
function pool(size: number): Curve {
  return (load) => (Math.min(load, size) * 1000) / SERVICE_MS;
}

/** Like a pool, but each connection pauses for 10 ms between two requests, at random: a gradual bend. */
function poolWithPauses(size: number): Curve {
  return (load) => {
    // Machine repairman: odds of k requests at the server, from those of k - 1.
    let odds = [1];
    for (let k = 1; k <= load; k += 1) {
      const next = ((odds.at(-1) ?? 0) * (load - k + 1)) / Math.min(k, size);
      odds = [...odds, next];
    }
    const all = odds.reduce((sum, value) => sum + value, 0);
    const busy = odds.reduce((sum, value, k) => sum + value * Math.min(k, size), 0) / all;
    return (busy * 1000) / SERVICE_MS;
  };
}

/** A closed loop over some levels; latency by Little's law. */
function measure(curve: Curve, loads: readonly number[], noise = 0, random = seededRandom(1)): readonly KneePoint[] {
  return loads.map((load) => {
    const throughput = addNoise(random, curve(load), noise);
    return { load, throughput, latencyMs: addNoise(random, (load / throughput) * 1000, noise) };
  });
}

describe("findKnee", () => {
  it.each([
    [4, SWEEP, 1, 50],
    [60, SWEEP, 50, 100],
    [120, SWEEP, 100, 250],
    [30, DOUBLING, 16, 32],
    [55, TENS, 50, 60],
  ])("finds the size of a pool of %i threads over %j between %i and %i", (size, loads, below, above) => {
    const knee = findKnee(measure(pool(size), loads));
    expect(knee).toMatchObject({ state: "found", load: expect.closeTo(size, 9), below, above });
    expect(knee).toMatchObject({ throughput: expect.closeTo(size * 100, 9) });
  });

  it("says whether it is at a level or between two", () => {
    expect(findKnee(measure(pool(16), DOUBLING))).toMatchObject({ betweenLevels: false, below: 16, above: 32 });
    expect(findKnee(measure(pool(31), DOUBLING))).toMatchObject({ betweenLevels: false, below: 16, above: 32 });
    expect(findKnee(measure(pool(24), DOUBLING))).toMatchObject({ betweenLevels: true, below: 16, above: 32 });
  });

  it("finds where the asymptotes of a gradual bend meet", () => {
    // Half of the time of a request is a pause, so the pool is busy with twice its size.
    expect(findKnee(measure(poolWithPauses(16), DOUBLING))).toMatchObject({ load: expect.closeTo(32, 0) });
  });

  it("does not depend on how far the levels go beyond it", () => {
    for (const loads of [DOUBLING.slice(0, 6), [...DOUBLING, 512, 1024, 2048]]) {
      expect(findKnee(measure(pool(12), loads))).toMatchObject({ load: expect.closeTo(12, 9) });
    }
  });

  it("finds it as well when throughput falls again beyond it", () => {
    const falling: Curve = (load) => pool(8)(load) * (load > 64 ? 0.5 : 1);
    expect(findKnee(measure(falling, DOUBLING))).toMatchObject({ state: "found", load: expect.closeTo(8, 9) });
  });

  it("finds it over rates of an open loop, which are served as they come up to it", () => {
    const rates = [100, 200, 400, 600, 800];
    const points = rates.map((load) => ({
      load,
      throughput: Math.min(load, 500),
      latencyMs: load > 500 ? 2000 : SERVICE_MS,
    }));
    expect(findKnee(points)).toMatchObject({ load: expect.closeTo(500, 9), below: 400, above: 600 });
  });

  it("takes the median of the trials of a level", () => {
    // Not the same at each level, or it would cancel out.
    const trials = measure(pool(16), DOUBLING).flatMap((point, index) =>
      [1, 1 / (index + 2), index + 2].map((factor) => ({ ...point, throughput: point.throughput * factor })),
    );
    expect(findKnee(trials)).toMatchObject({ load: expect.closeTo(16, 9) });
  });

  it.each([
    [4, SWEEP],
    [120, SWEEP],
    [16, DOUBLING],
    [30, TENS],
  ])("finds the size of a pool of %i threads to 15 percent with noise of 5 percent, over %j", (size, loads) => {
    const random = seededRandom(size);
    const knees = Array.from({ length: 100 }, () => findKnee(measure(pool(size), loads, 0.05, random)));
    const close = knees.filter((knee): knee is Knee => knee.state === "found" && Math.abs(knee.load / size - 1) < 0.15);
    expect(close.length).toBeGreaterThanOrEqual(fewestByChance(100, 0.97));
  });
});

describe("findKnee finds none", () => {
  it.each([
    ["in two levels", measure(pool(4), [1, 50]), "TOO_FEW_LEVELS"],
    ["in nothing", [], "TOO_FEW_LEVELS"],
    ["when throughput grows with the load to the last", measure(pool(5000), SWEEP), "STILL_GROWING"],
    ["when it is at the last level", measure(pool(100), TENS), "STILL_GROWING"],
    ["when half of a doubling still arrives at the end", measure((n) => n / (1 + n / 40), TENS), "STILL_GROWING"],
    ["when the first level is beyond it", measure(pool(4), TENS), "NO_GROWTH"],
    ["when throughput falls from the first level on", measure((n) => (n === 1 ? 839 : 17), SWEEP), "NO_GROWTH"],
    ["without any throughput", SWEEP.map((load) => ({ load, throughput: 0, latencyMs: 0 })), "NO_GROWTH"],
    [
      "when something other than the server limits",
      SWEEP.map((load) => ({ load, throughput: Math.min(load, 80) * 100, latencyMs: SERVICE_MS })),
      "LATENCY_FLAT",
    ],
  ])("%s", (_name, points, reason) => {
    expect(findKnee(points)).toEqual({ state: "none", reason });
  });

  it("in levels that vary as much as they grow, nor is it misled by them where growth is clear", () => {
    const wild = [1, 0.7, 1.3, 1.25, 0.75, 1.2, 0.8, 0.9].map((factor, index) => ({
      load: (index + 1) * 10,
      throughput: 800 * factor * (index === 0 ? 0.8 : 1),
      latencyMs: (index + 1) * 10,
    }));
    expect(findKnee(wild)).toEqual({ state: "none", reason: "NO_GROWTH" });
    const grown = wild.map((point, index) =>
      index === 0 ? { ...point, load: 1, throughput: 80, latencyMs: 1 } : point,
    );
    expect(findKnee(grown)).toMatchObject({ state: "found" });
  });

  it.each([
    ["flat", pool(1), "NO_GROWTH"],
    ["linear", (load: number) => load * 100, "STILL_GROWING"],
  ])("in nearly all of 100 %s curves with noise of 5 percent", (_name, curve, reason) => {
    const random = seededRandom(4);
    const knees = Array.from({ length: 100 }, () => findKnee(measure(curve, TENS, 0.05, random)));
    const right = knees.filter((knee) => knee.state === "none" && knee.reason === reason);
    expect(right.length).toBeGreaterThanOrEqual(fewestByChance(100, 0.97));
  });
});
