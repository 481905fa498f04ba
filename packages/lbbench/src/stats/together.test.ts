import { describe, expect, it } from "vitest";
import { seededRandom } from "./seeded-random.js";
import { drawNormal, fewestByChance, mostByChance } from "./test-support/simulated-trials.js";
import { testTogether, type Starts } from "./together.js";
import { flipSigns, permutationTest } from "./trials.js";

const byTrial = (values: readonly number[]): Starts["other"] => new Map(values.map((value, at) => [at + 1, value]));
const sides = (reference: readonly number[], other: readonly number[]): Starts => ({
  reference: byTrial(reference),
  other: byTrial(other),
});

/** So many respects of some starts, which have a part of their noise in common; `gain` is what the other side has more in the first. */
function drawStarts(
  random: () => number,
  { trials = 6, respects = 8, alike = 0.5, drift = 0, gain = 0 },
): readonly Starts[] {
  const draw = (count: number): readonly number[] => Array.from({ length: count }, () => drawNormal(random));
  const [own, others, drifts] = [draw(trials), draw(trials), draw(trials)];
  const side = (shared: readonly number[], more: number): readonly number[] =>
    draw(trials).map(
      (noise, at) =>
        drift * (drifts[at] ?? 0) + Math.sqrt(alike) * (shared[at] ?? 0) + Math.sqrt(1 - alike) * noise + more,
    );
  return Array.from({ length: respects }, (_, at) => sides(side(own, 0), side(others, at === 0 ? gain : 0)));
}

describe("tests that are made together", () => {
  it("of a single respect are the test of it alone: all ways to deal starts out, or to flip signs", () => {
    const random = seededRandom(2);
    for (const trials of [4, 5, 6]) {
      const [respect = sides([], [])] = drawStarts(random, { trials, respects: 1, gain: 1 });
      const [reference, other] = [[...respect.reference.values()], [...respect.other.values()]];
      expect(testTogether([respect], false)).toEqual([expect.closeTo(permutationTest(reference, other), 9)]);
      const differences = other.map((value, at) => value - (reference[at] ?? 0));
      expect(testTogether([respect], true)).toEqual([expect.closeTo(flipSigns(differences), 3)]);
    }
  });

  it("cost nothing where they tell the same, and much where they do not", () => {
    const apart = sides([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]);
    expect(testTogether(Array<Starts>(40).fill(apart), false)).toEqual(Array(40).fill(2 / 252));
    const random = seededRandom(3);
    const [first = 1] = testTogether([apart, ...drawStarts(random, { trials: 5, respects: 30, alike: 0 })], false);
    expect(first).toBeGreaterThan(4 / 252);
  });

  it.each([
    [false, 5, 0.14],
    [false, 6, 1],
    [true, 7, 0.5],
    [true, 12, 0.14],
  ])(
    "say something by mistake in at most one of twenty runs: matched %s, %i trials, alike by %d",
    (matched, trials, alike) => {
      const random = seededRandom(trials);
      const runs = 300;
      const wrong = Array.from({ length: runs }, () =>
        testTogether(drawStarts(random, { trials, alike, drift: matched ? 1 : 0 }), matched),
      ).filter((pValues) => pValues.some((pValue) => pValue <= 0.05));
      expect(wrong.length).toBeLessThanOrEqual(mostByChance(runs, 0.05));
    },
  );

  it("trial by trial find what a drift hides that all trials share", () => {
    const random = seededRandom(4);
    const runs = Array.from({ length: 60 }, () => drawStarts(random, { trials: 8, drift: 4, gain: 2.5 }));
    const found = (matched: boolean): number =>
      runs.filter((starts) => (testTogether(starts, matched)[0] ?? 1) <= 0.05).length;
    expect(found(true)).toBeGreaterThanOrEqual(fewestByChance(60, 0.85));
    expect(found(false)).toBeLessThan(20);
  });

  it("take starts that lack a figure, and know nothing where a side has none or all are equal", () => {
    const apart = sides([1, 2, 3, 4, 5, 6], [11, 12, 13, 14, 15, 16]);
    const lacking = { ...apart, other: new Map([...apart.other].slice(2)) };
    for (const matched of [true, false]) {
      const [full = 1, less = 1, none, equal] = testTogether(
        [apart, lacking, { ...apart, other: new Map() }, sides([1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1])],
        matched,
      );
      expect(full).toBeLessThan(0.05);
      expect(less).toBeGreaterThanOrEqual(full);
      expect([none, equal]).toEqual([1, 1]);
    }
    expect(testTogether([], true)).toEqual([]);
  });
});
