import { describe, expect, it } from "vitest";
import { seededRandom } from "../stats/seeded-random.js";
import { addNoise } from "../stats/test-support/simulated-trials.js";
import { compareResults } from "./compare-results.js";
import { aRun, MARGINS } from "./test-support/compare-samples.js";

const NOISE = 0.03;
const PAIRS = 300;

/** What is few: 5 % of 300 pairs, and what chance adds in 39 of 40 such experiments: P(B(300, 0.05) > 23) = 2 %. */
const MOST_FALSE = 23;

interface Experiment {
  readonly trials: number;
  readonly connections: readonly number[];
  /** Throughput of B as a part of that of A. */
  readonly factor: number;
  readonly margin: number;
}

/** In how many of the pairs of results with 3 % of noise B is called worse, and not worse. */
function simulate({ trials, connections, factor, margin }: Experiment): {
  readonly fail: number;
  readonly pass: number;
} {
  const random = seededRandom(1);
  const run = (center: number) => aRun({ trials, connections, speed: () => addNoise(random, center, NOISE) });
  const outcomes = Array.from(
    { length: PAIRS },
    () => compareResults(run(1), run(factor), { ...MARGINS, margin }).status,
  );
  const count = (status: string): number => outcomes.filter((one) => one === status).length;
  return { fail: count("fail"), pass: count("pass") };
}

describe("compareResults on 300 pairs of results with 3 % of noise", () => {
  it.each([
    { trials: 5, connections: [50] },
    { trials: 10, connections: [50] },
    { trials: 10, connections: [1, 50, 100] },
  ])("calls none worse beyond the margin when nothing changed: $trials trials at $connections", (shape) => {
    expect(simulate({ ...shape, factor: 1, margin: 0.05 }).fail).toBe(0);
  });

  it.each([
    { trials: 5, connections: [50] },
    { trials: 10, connections: [50] },
    { trials: 10, connections: [1, 50, 100] },
  ])("calls few worse with no margin at all when nothing changed: $trials trials at $connections", (shape) => {
    expect(simulate({ ...shape, factor: 1, margin: 0 }).fail).toBeLessThanOrEqual(MOST_FALSE);
  });

  it("calls few worse when B is worse just by the margin", () => {
    const shape = { trials: 10, connections: [50], factor: 0.95, margin: 0.05 };
    expect(simulate(shape).fail).toBeLessThanOrEqual(MOST_FALSE);
  });

  it("finds 10 % in at least 95 % of results with 10 trials", () => {
    const { fail, pass } = simulate({ trials: 10, connections: [50], factor: 0.9, margin: 0.05 });
    expect(fail).toBeGreaterThanOrEqual(0.95 * PAIRS);
    expect(pass).toBe(0);
  });

  it("lets at least 85 % pass when nothing changed, with 10 trials", () => {
    expect(simulate({ trials: 10, connections: [50], factor: 1, margin: 0.05 }).pass).toBeGreaterThanOrEqual(
      0.85 * PAIRS,
    );
  });
});
