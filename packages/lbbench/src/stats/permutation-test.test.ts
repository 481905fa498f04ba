import { beforeEach, describe, expect, it, vi } from "vitest";
import { binomialCoefficient } from "./binomial.js";
import { permutationTest } from "./permutation-test.js";
import { seededRandom } from "./seeded-random.js";
import { subsetSums } from "./subset-sums.js";
import { drawTrials } from "./test-support/simulated-trials.js";

vi.mock(import("./subset-sums.js"), async (importOriginal) => {
  const original = await importOriginal();
  return { subsetSums: vi.fn<typeof original.subsetSums>(original.subsetSums) };
});

beforeEach(() => {
  vi.mocked(subsetSums).mockClear();
});

/** The p-value by trying every way. */
function tryEveryWay(reference: readonly number[], other: readonly number[]): number {
  const pooled = [...reference, ...other];
  const total = pooled.reduce((sum, value) => sum + value, 0);
  const distance = (sum: number): number => Math.abs(sum - (total * reference.length) / pooled.length);
  const observed = distance(reference.reduce((sum, value) => sum + value, 0)) - 1e-9;
  let extreme = 0;
  for (let chosen = 0; chosen < 2 ** pooled.length; chosen += 1) {
    const dealt = pooled.filter((_, index) => (chosen >> index) % 2 === 1);
    const isWay = dealt.length === reference.length;
    extreme += isWay && distance(dealt.reduce((sum, value) => sum + value, 0)) >= observed ? 1 : 0;
  }
  return extreme / binomialCoefficient(pooled.length, reference.length);
}

describe("permutationTest", () => {
  it.each([
    [1, 5],
    [4, 4],
    [5, 5],
    [6, 3],
    [3, 7],
  ])("counts what trying every way finds, also with ties: %i against %i", (n, m) => {
    const random = seededRandom(n);
    for (let pair = 0; pair < 10; pair += 1) {
      const grain = pair % 2 === 0 ? 1000 : 1;
      const draw = (size: number): readonly number[] =>
        drawTrials(random, size, 10, 0.3).map((value) => Math.round(value * grain) / grain);
      const [reference, other] = [draw(n), draw(m)];
      expect(permutationTest(reference, other)).toBeCloseTo(tryEveryWay(reference, other), 12);
    }
  });

  it.each([
    ["a thousand sums for the 48 620 ways of 9 against 9", 9, 9, 2 * 2 ** 9],
    ["no more than there are ways where one side has a single value", 1, 50, 27 + 26],
  ])("adds up %s", (_, n, m, expected) => {
    const random = seededRandom(1);
    permutationTest(drawTrials(random, n, 100, 0.1), drawTrials(random, m, 110, 0.1));
    const sums = vi
      .mocked(subsetSums)
      .mock.results.flatMap(({ value }) => value as readonly Float64Array[])
      .reduce((count, ofSize) => count + ofSize.length, 0);
    expect(sums).toBe(expected);
  });
});
