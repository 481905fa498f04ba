import { describe, expect, it } from "vitest";
import { seededRandom } from "./seeded-random.js";
import { addNoise, fewestByChance, mostByChance } from "./test-support/simulated-trials.js";
import { uslThroughput, fitUsl } from "./usl.js";
import type { LoadPoint, UslFit } from "./usl.js";

const DOUBLING = [1, 2, 4, 8, 16, 32, 64, 128];
const SWEEP = [1, 50, 100, 250, 500, 1000];
const TENS = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

type Curve = (load: number) => number;

function usl(sigma: number, kappa: number): Curve {
  return (load) => uslThroughput({ lambda: 1000, sigma, kappa }, load);
}

function exact(curve: Curve, loads: readonly number[] = DOUBLING): readonly LoadPoint[] {
  return loads.map((load) => ({ load, throughput: curve(load) }));
}

const near = (value: number, digits: number): unknown => expect.closeTo(value, digits);

interface Noise {
  readonly noise: number;
  readonly trials: number;
}

/** The fits of 100 sweeps over the same curve, without those that were refused. */
function fitMany(curve: Curve, loads: readonly number[], { noise, trials }: Noise): readonly UslFit[] {
  const random = seededRandom(loads.length);
  return Array.from({ length: 100 }, () => {
    const points = loads.flatMap((load) =>
      Array.from({ length: trials }, () => ({ load, throughput: addNoise(random, curve(load), noise) })),
    );
    return fitUsl(points);
  }).flatMap((fit) => fit ?? []);
}

describe("fitUsl on exact data", () => {
  it("recovers the parameters and the peak", () => {
    const fit = fitUsl(exact(usl(0.02, 0.0001)));
    expect(fit).toMatchObject({ relativeError: expect.closeTo(0, 9) });
    expect(fit).toMatchObject({ lambda: near(1000, 6), sigma: near(0.02, 9) });
    // sqrt(0.98 / 0.0001); there, 1000 N / (1 + 0.02 (N - 1) + 0.0001 N (N - 1)).
    const peak = { load: near(98.995, 3), throughput: near(25_190, 0) };
    expect(fit).toMatchObject({ peak });
    expect(fitUsl(exact(usl(0.02, 0.0001), [1, 5, 10, 20, 40])), "beyond the levels").toMatchObject({ peak });
  });

  it.each([
    ["linear growth", 0, 0],
    ["contention alone", 0.05, 0],
    ["much contention", 0.3, 0],
    ["coherency alone", 0, 0.003],
  ])("recovers %s, and sees a peak only where there is coherency", (_name, sigma, kappa) => {
    const fit = fitUsl(exact(usl(sigma, kappa)));
    expect(fit).toMatchObject({ sigma: near(sigma, 8), kappa: near(kappa, 8) });
    expect(fit?.peak !== undefined).toBe(kappa > 0);
  });

  it("takes the median of the trials of a level, in whatever order they come", () => {
    const trials = exact(usl(0.02, 0.0001)).flatMap(({ load, throughput }) =>
      [0.5, 1, 1.01].map((factor) => ({ load, throughput: throughput * factor })),
    );
    expect(fitUsl(trials.toReversed())).toMatchObject({ lambda: near(1000, 6) });
  });
});

describe("fitUsl on noisy data", () => {
  // Peaks at 43.6, 99.0 and 43.6. Within: how far 95 of 100 estimates of the peak stray, measured with 400 sweeps.
  it.each([
    { loads: DOUBLING, sigma: 0.05, kappa: 0.0005, noise: 0.02, trials: 1, within: 0.07 },
    { loads: SWEEP, sigma: 0.02, kappa: 0.0001, noise: 0.03, trials: 1, within: 0.06 },
    { loads: TENS, sigma: 0.05, kappa: 0.0005, noise: 0.03, trials: 1, within: 0.1 },
    { loads: DOUBLING, sigma: 0.05, kappa: 0.0005, noise: 0.05, trials: 5, within: 0.1 },
  ])("recovers $sigma and $kappa with noise of $noise in $trials trials", ({ loads, within, ...setting }) => {
    const { sigma, kappa } = setting;
    const fits = fitMany(usl(sigma, kappa), loads, setting);
    expect(fits.length).toBeGreaterThanOrEqual(90);
    const truth = Math.sqrt((1 - sigma) / kappa);
    const close = fits.filter(({ peak }) => peak && Math.abs(Math.log(peak.load / truth)) < within);
    expect(close.length).toBeGreaterThanOrEqual(fewestByChance(fits.length, 0.95));
  });

  it.each<[string, number, number, "sigma" | "kappa"]>([
    ["coherency, and so a peak,", 0.05, 0, "kappa"],
    ["contention", 0, 0.0005, "sigma"],
  ])("sees %s where there is none in at most 5 %% of sweeps", (_, sigma, kappa, key) => {
    const fits = fitMany(usl(sigma, kappa), DOUBLING, { noise: 0.03, trials: 1 });
    expect(fits.length).toBeGreaterThanOrEqual(90);
    expect(fits.filter((fit) => fit[key] > 0).length).toBeLessThanOrEqual(mostByChance(fits.length, 0.05));
    expect(fits.every(({ peak, kappa: seen }) => (peak === undefined) === (seen === 0))).toBe(true);
  });
});

describe("fitUsl refuses", () => {
  const pool =
    (size: number): Curve =>
    (load) =>
      Math.min(load, size) * 100;

  it.each<[string, readonly LoadPoint[]]>([
    ["fewer than five levels", exact(usl(0.02, 0.0001), [1, 10, 50, 100])],
    ["nothing", []],
    ["what follows no law", [1, 5000, 2, 0.01, 9000, 3].map((of, at) => ({ load: 10 ** at, throughput: of }))],
    ["a cliff to nothing", exact((load) => (load > 60 ? 0 : load * 100))],
    ["a cliff to something", exact((load) => (load > 60 ? 300 : Math.min(load, 16) * 100))],
    ["a sharp bend", exact(pool(16))],
    ["a sharp bend among other levels", exact(pool(32), TENS)],
    ["waves", exact((load) => load * (1 + 0.2 * Math.sin(load)))],
    ["levels that are all beyond saturation", exact(pool(4), TENS)],
    ["a fall from the first level on", exact((load) => (load === 1 ? 839 : 17), SWEEP)],
  ])("%s", (_name, points) => {
    expect(fitUsl(points)).toBeUndefined();
  });

  it("levels that leave open what one connection would do, by a factor of two", () => {
    const random = seededRandom(3);
    const fits = Array.from({ length: 40 }, () =>
      fitUsl(exact((load) => addNoise(random, usl(0.01, 0)(load), 0.04), [100, 150, 200, 250, 300])),
    );
    expect(fits).toContain(undefined);
    const told = fits.flatMap((fit) => fit?.lambda ?? []);
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter((lambda) => lambda < 500 || lambda > 2000)).toEqual([]);
  });

  it("more noise than trials make up for", () => {
    const points = { noise: 0.1, trials: 1 };
    expect(fitMany(usl(0.02, 0.0001), DOUBLING, points).length).toBeLessThan(10);
  });
});
