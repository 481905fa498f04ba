import { describe, expect, it } from "vitest";
import { seededRandom } from "./seeded-random.js";
import { addNoise } from "./test-support/simulated-trials.js";
import { fitUslParameters, uslThroughput } from "./usl-parameters.js";
import type { LoadPoint, UslParameters } from "./usl-parameters.js";

const LOADS = [1, 2, 4, 8, 16, 32, 64, 128];

function curveOf(parameters: UslParameters, loads = LOADS): readonly LoadPoint[] {
  return loads.map((load) => ({ load, throughput: uslThroughput(parameters, load) }));
}

function squaredError(points: readonly LoadPoint[], parameters: UslParameters): number {
  return points.reduce(
    (sum, { load, throughput }) => sum + Math.log(throughput / uslThroughput(parameters, load)) ** 2,
    0,
  );
}

describe("uslThroughput", () => {
  it("agrees with a calculation by hand", () => {
    // 1000 * 11 / (1 + 0.05 * 10 + 0.001 * 11 * 10)
    expect(uslThroughput({ lambda: 1000, sigma: 0.05, kappa: 0.001 }, 11)).toBeCloseTo(11_000 / 1.61, 9);
  });
});

describe("fitUslParameters", () => {
  it.each([
    ["contention and coherency", { lambda: 1000, sigma: 0.02, kappa: 0.0001 }],
    ["coherency alone", { lambda: 40, sigma: 0, kappa: 0.003 }],
    ["contention alone, as Amdahl has it", { lambda: 7, sigma: 0.3, kappa: 0 }],
    ["linear growth", { lambda: 250, sigma: 0, kappa: 0 }],
    ["all of the work under contention", { lambda: 9, sigma: 1, kappa: 0 }],
  ])("recovers %s from exact data", (_name, parameters) => {
    const fitted = fitUslParameters(curveOf(parameters));
    expect(fitted?.lambda).toBeCloseTo(parameters.lambda, 6);
    expect(fitted?.sigma).toBeCloseTo(parameters.sigma, 8);
    expect(fitted?.kappa).toBeCloseTo(parameters.kappa, 10);
  });

  it("does so for loads that span five powers of ten", () => {
    const fitted = fitUslParameters(
      curveOf({ lambda: 500, sigma: 0.001, kappa: 1e-8 }, [1, 10, 100, 1000, 10_000, 100_000]),
    );
    expect(fitted?.sigma).toBeCloseTo(0.001, 8);
    expect(fitted?.kappa).toBeCloseTo(1e-8, 13);
  });

  it("stays within the bounds, and no neighbour within them fits better, on 100 noisy curves", () => {
    const random = seededRandom(8);
    for (let run = 0; run < 100; run += 1) {
      const truth = { lambda: 100, sigma: random() * 0.02, kappa: random() < 0.5 ? 0 : random() * 0.0005 };
      const points = curveOf(truth).map(({ load, throughput }) => ({
        load,
        throughput: addNoise(random, throughput, 0.05),
      }));
      const best = fitUslParameters(points) ?? { lambda: Number.NaN, sigma: Number.NaN, kappa: Number.NaN };
      expect(best.sigma).toBeGreaterThanOrEqual(0);
      expect(best.sigma).toBeLessThanOrEqual(1);
      expect(best.kappa).toBeGreaterThanOrEqual(0);
      for (const step of [1, -1]) {
        const neighbours = [
          { ...best, lambda: best.lambda * (1 + step * 0.001) },
          { ...best, sigma: Math.max(0, best.sigma + step * 0.0001) },
          { ...best, kappa: Math.max(0, best.kappa + step * 0.000_001) },
        ];
        for (const neighbour of neighbours) {
          expect(squaredError(points, neighbour)).toBeGreaterThanOrEqual(squaredError(points, best) - 1e-9);
        }
      }
    }
  });

  it("comes to an end on data that follow no law", () => {
    const points = [1, 5000, 2, 0.01, 9000, 3].map((throughput, index) => ({ load: 10 ** index, throughput }));
    expect(fitUslParameters(points)).toBeDefined();
    expect(fitUslParameters([])).toBeUndefined();
  });
});
