import { describe, expect, it } from "vitest";
import { findKnee } from "./knee.js";
import type { KneePoint } from "./knee.js";
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
    [30, DOUBLING, 16, 32],
    [55, TENS, 50, 60],
  ])("finds the size of a pool of %i threads over %j between %i and %i", (size, loads, below, above) => {
    const knee = findKnee(measure(pool(size), loads));
    const [load, throughput] = [expect.closeTo(size, 9), expect.closeTo(size * 100, 9)];
    expect(knee).toMatchObject({ load, below, above, throughput });
  });

  const pool8 = pool(8);
  const points16 = measure(pool(16), DOUBLING);
  const rates = [100, 200, 400, 600, 800].map((load) => {
    return { load, throughput: Math.min(load, 500), latencyMs: load > 500 ? 2000 : SERVICE_MS };
  });

  it.each<[string, readonly KneePoint[], number]>([
    ["however far the levels go beyond it", measure(pool(12), [...DOUBLING, 512, 1024, 2048]), 12],
    ["when throughput falls again", measure((load) => pool8(load) * (load > 64 ? 0.5 : 1), DOUBLING), 8],
    ["over rates of an open loop, which are served as they come up to it", rates, 500],
    [
      "by the median of the trials of a level",
      // Not the same at each level, or it would cancel out.
      points16.flatMap((point, at) =>
        [1, 1 / (at + 2), at + 2].map((factor) => ({ ...point, throughput: point.throughput * factor })),
      ),
      16,
    ],
  ])("finds it %s", (_, points, load) => {
    expect(findKnee(points)).toMatchObject({ load: expect.closeTo(load, 9) });
  });

  it.each([
    [4, SWEEP],
    [16, DOUBLING],
    [30, TENS],
  ])("finds the size of a pool of %i threads to 15 percent with noise of 5 percent, over %j", (size, loads) => {
    const random = seededRandom(size);
    const knees = Array.from({ length: 100 }, () => findKnee(measure(pool(size), loads, 0.05, random)));
    const close = knees.filter((knee) => knee && Math.abs(knee.load / size - 1) < 0.15);
    expect(close.length).toBeGreaterThanOrEqual(fewestByChance(100, 0.97));
  });
});

describe("findKnee finds none", () => {
  it.each<[string, readonly KneePoint[]]>([
    ["in two levels", measure(pool(4), [1, 50])],
    ["when throughput grows with the load to the last", measure(pool(5000), SWEEP)],
    ["when it is at the last level", measure(pool(100), TENS)],
    ["when half of a doubling still arrives at the end", measure((n) => n / (1 + n / 40), TENS)],
    [
      "when only the highest level is on the plateau",
      [1250, 6000, 5900, 6173, 7164, 8080].map((throughput, at) => {
        const load = SWEEP[at] ?? 0;
        return { load, throughput, latencyMs: (load / throughput) * 1000 };
      }),
    ],
    ["when there is a peak in place of a plateau", measure((n) => (n < 100 ? n : 9000 / n) * 10, TENS)],
    [
      "when a single level stands out among those beyond it",
      measure((n) => (n <= 20 ? n * 100 : 1400 - n), [1, 5, 20, 50, 100, 200]),
    ],
    ["when the first level is beyond it", measure(pool(4), TENS)],
    ["when throughput falls from the first level on", measure((n) => (n === 1 ? 839 : 17), SWEEP)],
    ["without any throughput", SWEEP.map((load) => ({ load, throughput: 0, latencyMs: 0 }))],
    [
      "when something other than the server limits",
      SWEEP.map((load) => ({ load, throughput: Math.min(load, 80) * 100, latencyMs: SERVICE_MS })),
    ],
  ])("%s", (_name, points) => {
    expect(findKnee(points)).toBeUndefined();
  });

  it("in levels that vary as much as they grow, nor is it misled by them where growth is clear", () => {
    const wild = [1, 0.7, 1.3, 1.25, 0.75, 1.2, 0.8, 0.9].map((factor, index) => ({
      load: (index + 1) * 10,
      throughput: 800 * factor * (index === 0 ? 0.8 : 1),
      latencyMs: (index + 1) * 10,
    }));
    expect(findKnee(wild)).toBeUndefined();
    const grown = wild.map((point, index) =>
      index === 0 ? { ...point, load: 1, throughput: 80, latencyMs: 1 } : point,
    );
    expect(findKnee(grown)).toBeDefined();
  });
});
