import { describe, expect, it } from "vitest";
import { adjustHolm } from "./holm.js";
import { seededRandom } from "./seeded-random.js";
import { drawSkewedTrials, drawTrials } from "./test-support/simulated-trials.js";
import { compareTrials, judgeDifference } from "./trials.js";
import type { TrialsComparison } from "./trials.js";

const PAIRS = 200;

/** 5 % of 200 pairs, and what chance adds in 39 of 40 such experiments: P(B(200, 0.05) > 16) = 2.4 %. */
const MOST_FALSE = 16;

type Verdict = TrialsComparison["verdict"];

function simulate<T>(seed: number, run: (random: () => number) => T): readonly T[] {
  const random = seededRandom(seed);
  return Array.from({ length: PAIRS }, () => run(random));
}

function countOf(verdicts: readonly Verdict[], verdict: Verdict): number {
  return verdicts.filter((one) => one === verdict).length;
}

describe("compareTrials on 200 pairs without a difference", () => {
  // 4 to 8 trials are tested exactly, 10 and 12 by the approximation.
  it.each([4, 5, 8, 10, 12])("calls at most 5 percent and sampling error of %i trials different", (n) => {
    const verdicts = simulate(n, (random) => {
      const side = (): readonly number[] => drawTrials(random, n, 1000, 0.03);
      return compareTrials(side(), side()).verdict;
    });
    expect(PAIRS - countOf(verdicts, "~")).toBeLessThanOrEqual(MOST_FALSE);
  });

  it.each([5, 10])("does so as well with %i trials of skewed noise, as latencies have", (n) => {
    const verdicts = simulate(n, (random) => {
      const side = (): readonly number[] => drawSkewedTrials(random, n, 10, 0.3);
      return compareTrials(side(), side()).verdict;
    });
    expect(PAIRS - countOf(verdicts, "~")).toBeLessThanOrEqual(MOST_FALSE);
  });
});

describe("compareTrials on 200 pairs that differ by 10 % with 3 % of noise", () => {
  // Measured with 2000 pairs: 100 % of 10, 98.9 % of 5 and 87 % of 4 trials.
  it.each([
    [10, 190],
    [5, 190],
    [4, 160],
  ])("of %i trials finds at least %i", (n, atLeast) => {
    const verdicts = simulate(
      n,
      (random) => compareTrials(drawTrials(random, n, 1000, 0.03), drawTrials(random, n, 1100, 0.03)).verdict,
    );
    expect(countOf(verdicts, "higher")).toBeGreaterThanOrEqual(atLeast);
    expect(countOf(verdicts, "lower")).toBe(0);
  });
});

describe("compareTrials over 6 levels, corrected by Holm", () => {
  const LEVELS = [1, 50, 100, 250, 500, 1000];

  function judgeLevels(random: () => number, n: number, factor: number): readonly Verdict[] {
    const sides = LEVELS.map((level) => ({
      reference: drawTrials(random, n, level, 0.03),
      other: drawTrials(random, n, level * factor, 0.03),
    }));
    const pValues = adjustHolm(sides.map(({ reference, other }) => compareTrials(reference, other).pValue));
    return sides.map(({ reference, other }, index) => judgeDifference(reference, other, pValues[index] ?? null));
  }

  it.each([5, 10])("with %i trials says of at most 5 percent of sweeps that any level differs, if none does", (n) => {
    const sweeps = simulate(n, (random) => judgeLevels(random, n, 1));
    expect(sweeps.filter((verdicts) => verdicts.some((verdict) => verdict !== "~")).length).toBeLessThanOrEqual(
      MOST_FALSE,
    );
  });

  it.each([5, 10])("with %i trials finds a tenth at no less than 95 percent of the levels", (n) => {
    const verdicts = simulate(n, (random) => judgeLevels(random, n, 1.1)).flat();
    expect(countOf(verdicts, "higher") / verdicts.length).toBeGreaterThanOrEqual(0.95);
  });

  it("can find nothing with 4 trials, whatever the difference: 2 of 70 ways, times 6", () => {
    const verdicts = simulate(4, (random) => judgeLevels(random, 4, 3)).flat();
    expect(countOf(verdicts, "~")).toBe(verdicts.length);
  });
});
