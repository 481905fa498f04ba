import { describe, expect, it } from "vitest";
import { medianInterval } from "./spread.js";
import {
  adjustHolm,
  compareMatched,
  compareTrials,
  flipSigns,
  permutationTest,
  rankSides,
  significanceAt,
  smallestPValue,
  summarizeTrials,
  trialsToTell,
  trialsNeeded,
} from "./trials.js";
import { seededRandom } from "./seeded-random.js";
import { drawSkewedTrials, drawTrials, fewestByChance, mostByChance } from "./test-support/simulated-trials.js";

/** The p-value by trying every way. */
function tryEveryWay(reference: readonly number[], other: readonly number[]): number {
  const pooled = [...reference, ...other];
  const total = pooled.reduce((sum, value) => sum + value, 0);
  const distance = (sum: number): number => Math.abs(sum - (total * reference.length) / pooled.length);
  const observed = distance(reference.reduce((sum, value) => sum + value, 0)) - 1e-9;
  let [ways, extreme] = [0, 0];
  for (let chosen = 0; chosen < 2 ** pooled.length; chosen += 1) {
    const dealt = pooled.filter((_, index) => (chosen >> index) % 2 === 1);
    if (dealt.length !== reference.length) continue;
    ways += 1;
    extreme += distance(dealt.reduce((sum, value) => sum + value, 0)) >= observed ? 1 : 0;
  }
  return extreme / ways;
}

describe("the tests of a difference", () => {
  it.each([
    [1, 5],
    [4, 4],
    [5, 5],
    [6, 3],
  ])("the permutation test counts what trying every way finds, also with ties: %i against %i", (n, m) => {
    const random = seededRandom(n);
    for (const grain of [1000, 1, 1000, 1]) {
      const draw = (size: number): readonly number[] =>
        drawTrials(random, size, 10, 0.3).map((value) => Math.round(value * grain) / grain);
      const [reference, other] = [draw(n), draw(m)];
      expect(permutationTest(reference, other)).toBeCloseTo(tryEveryWay(reference, other), 12);
      expect(permutationTest(other, reference)).toBeCloseTo(permutationTest(reference, other), 12);
    }
  });

  it("the normal approximation of many ways is close to all of them", () => {
    const random = seededRandom(5);
    for (const factor of [1, 1.03, 1.08]) {
      const [reference, other] = [1, factor].map((center) => drawTrials(random, 10, center, 0.05)) as [
        number[],
        number[],
      ];
      const exact = permutationTest(reference, other, Infinity);
      expect(Math.abs(permutationTest(reference, other) - exact)).toBeLessThan(0.01);
    }
    expect(permutationTest([7, 7, 7], [7, 7], 0)).toBe(1);
  });

  it("Holm's correction multiplies the smallest by their number, the next by one less, and never falls", () => {
    adjustHolm([0.04, 0.01, 0.03]).forEach((one, at) => expect(one).toBeCloseTo([0.06, 0.03, 0.06][at] ?? NaN, 12));
    expect(adjustHolm([null, 0.02, null, 0.9])).toEqual([null, 0.04, null, 0.9]);
    expect(adjustHolm([0.7, 0.8])).toEqual([1, 1]);
    expect(adjustHolm([])).toEqual([]);
  });

  it("several looks share what one may spend, and the first two of six and nine pairs can tell something", () => {
    const looks = [6, 9, 14, 20];
    const spent = looks.map((trials) => significanceAt(trials, looks));
    expect(spent.reduce((sum, part) => sum + part, 0)).toBeCloseTo(0.05, 12);
    expect(spent[0]).toBeGreaterThan(2 / 2 ** 6);
    expect(spent[1]).toBeGreaterThan(2 / 2 ** 9);
    // A look is at the trials that it takes, also while they are made.
    expect(significanceAt(8, looks)).toBe(spent[1]);
    expect(significanceAt(20, [20])).toBeCloseTo(0.05, 12);
  });

  it("for more comparisons at once it takes more trials, and three or none are never enough", () => {
    expect([smallestPValue(3, 3), smallestPValue(0, 6)]).toEqual([null, null]);
    for (const p of [smallestPValue(3, 6), smallestPValue(6, 3)]) expect(p).toBeCloseTo(2 / 84, 12);
    const needed = [1, 2, 6, 7, 23, 24, 1000].map((comparisons) => trialsNeeded(comparisons));
    expect(needed).toEqual([4, 5, 5, 6, 6, 7, 9]);
    // Beyond the exact test.
    expect(trialsNeeded(100_000)).toBeGreaterThan(9);
  });
});

it("rankSides shares the mean of their ranks among equal values, and has Infinity last", () => {
  expect(rankSides([5, Infinity, 1], [5, Infinity, 7])).toEqual([
    [2.5, 5.5, 1],
    [2.5, 5.5, 4],
  ]);
});

describe("compareTrials", () => {
  it("says in which direction they differ", () => {
    const comparison = compareTrials([100, 101, 102, 103, 104], [121, 122, 122.4, 123, 124]);
    expect(comparison).toEqual({ pValue: expect.closeTo(2 / 252, 12), verdict: "higher" });
    expect(compareTrials([10, 11, 12, 13], [1, 2, 3, 4]).verdict).toBe("lower");
  });

  it.each<[string, readonly number[], readonly number[], object]>([
    ["three trials, which can never be significant", [1, 2, 3], [7, 8, 9], { pValue: null, verdict: "~" }],
    ["three against four", [1, 2, 3], [6, 7, 8, 9], { pValue: null, verdict: "~" }],
    ["trials that are all equal", [5, 5, 5, 5], [5, 5, 5, 5], { pValue: 1, verdict: "~" }],
    ["a reference of 0", [0, 0, 0, 0], [1, 2, 3, 4], { verdict: "higher" }],
    ["means and medians that contradict", Array<number>(9).fill(10), [9, 9, 9, 9, 9, 40, 40, 40, 40], { verdict: "~" }],
  ])("judges %s", (_, reference, other, expected) => {
    expect(compareTrials(reference, other)).toMatchObject(expected);
  });
});

describe("summarizeTrials", () => {
  it("gives the range up to five trials, and an interval of the median from six on", () => {
    expect(summarizeTrials([5, 1, 4, 2, 3])).toEqual({ median: 3, low: 1, high: 5, n: 5, interval: "range" });
    expect(summarizeTrials([8])).toEqual({ median: 8, low: 8, high: 8, n: 1, interval: "range" });
    const trials = Array.from({ length: 20 }, (_, index) => 20 - index);
    const interval = medianInterval(trials);
    expect(summarizeTrials(trials)).toEqual({ median: 10.5, n: 20, interval: "confidence95", ...interval });
    // Of 20 the sixth and the fifteenth enclose it in 95.9 % of cases, the seventh and the fourteenth in 88.5 %.
    expect([interval?.low, interval?.high]).toEqual([expect.closeTo(6.235, 3), expect.closeTo(14.765, 3)]);
    expect(() => summarizeTrials([])).toThrow(RangeError);
  });
});

describe("medianInterval", () => {
  it("ends between the trials that enclose the median in a little more and in a little less than 95 % of cases", () => {
    // Of 6 all lie on one side of it in 2 of 64 cases, all but one in 12 more; 5 % leaves a tenth of the way from the one to the other.
    const inwards = (5 * 0.1) / (1 + 4 * 0.1);
    const { low, high } = medianInterval([3, 1, 5, 2, 4, 6]) ?? {};
    expect([low, high]).toEqual([expect.closeTo(1 + inwards, 12), expect.closeTo(6 - inwards, 12)]);
    expect(medianInterval([1, 2, 3, 4, 5])).toBeUndefined();
  });

  it.each([
    [6, drawTrials, 0.1],
    [9, drawTrials, 0.1],
    [10, drawSkewedTrials, 0.5],
    [1300, drawSkewedTrials, 0.05],
  ])("of %i trials covers the true median in 95 of 100 cases, neither more nor less", (n, draw, noise) => {
    const runs = 200;
    const random = seededRandom(n);
    const covered = Array.from({ length: runs }, () => {
      const { low = NaN, high = NaN } = medianInterval(draw(random, n, 100, noise)) ?? {};
      return low <= 100 && high >= 100;
    }).filter(Boolean).length;
    expect(covered).toBeGreaterThanOrEqual(fewestByChance(runs, 0.95));
    expect(covered).toBeLessThanOrEqual(mostByChance(runs, 0.95));
  });
});

describe("trials that were made in turn", () => {
  /** Tries every way to flip the signs. */
  function triedOneByOne(differences: readonly number[]): number {
    const ways = 2 ** differences.length;
    const sumOf = (way: number): number =>
      Math.abs(differences.reduce((sum, value, index) => sum + ((way >> index) & 1 ? -value : value), 0));
    const observed = sumOf(0) * (1 - 1e-9);
    return Array.from({ length: ways }, (_, way) => way).filter((way) => sumOf(way) >= observed).length / ways;
  }

  it.each([
    [[1, 2, 3, 4, 5, 6]],
    [[1, 2, 3, 4, 5, -6]],
    [[1, -1, 1, -1, 1, -1]],
    [[0.3, 0.1, -0.05, 0.2, 0.4, 0.15, -0.1]],
    [[0, 0, 0, 0, 0, 0]],
  ])("have the share of flipped signs that trying each finds: %j", (differences) => {
    expect(flipSigns(differences)).toBeCloseTo(triedOneByOne(differences), 3);
  });

  it("are told apart though the machine drifts, from 6 on; fewer as trials of two sides, and never three", () => {
    const drift = [100, 120, 150, 190, 240, 300];
    const [slow, fast] = [drift, drift.map((value) => value * 1.1)];
    expect(compareTrials(slow, fast).verdict).toBe("~");
    expect(compareMatched(slow, fast)).toEqual({ pValue: 2 / 64, verdict: "higher" });
    expect(compareMatched([1, 2, 3, 4], [5, 6, 7, 8])).toEqual({ pValue: 2 / 70, verdict: "higher" });
    expect(compareMatched([1, 2, 3], [5, 6, 7])).toEqual({ pValue: null, verdict: "~" });
  });
});

it("plans trials by the spread of those that were made, and none for what cannot be told", () => {
  const around = (center: number): readonly number[] => [center - 2, center - 1, center + 1, center + 2];
  // 2 x 2.5 x 4/3 of variance, (1.96 + 0.84)^2, and a difference of 2.
  expect(trialsToTell(around(10), around(12), 1)).toBe(14);
  expect(trialsToTell(around(10), around(12), 15)).toBeGreaterThan(14);
  expect(trialsToTell(around(10), around(40), 1)).toBe(trialsNeeded(1));
  expect(trialsToTell(around(10), around(10.01), 1)).toBeUndefined();
  expect(trialsToTell([1, 1], [1, 1], 1)).toBeUndefined();
});
