import { describe, expect, it } from "vitest";
import { testGroups, testInBlocks } from "./blocks.js";

/** Tests things by their values in each block, those of the reference first; blocks in which one has no value are those of the others alone. */
const test = (...columns: readonly (readonly (number | null)[])[]): readonly (number | null)[] =>
  testInBlocks(
    columns.length - 1,
    (set) => {
      const chosen = [0, ...set.map((thing) => thing + 1)];
      return (columns[0] ?? [])
        .map((_, block) => chosen.flatMap((column) => columns[column]?.[block] ?? []))
        .filter((values) => values.length === chosen.length);
    },
    (reference: number, other: number) => other - reference,
  );
const zeros = (count: number): readonly number[] => Array<number>(count).fill(0);

describe("things measured in blocks", () => {
  it.each<[string, readonly (number | null)[], number | null]>([
    ["the clearest outcome of six blocks and its mirror image", [5, 6, 7, 8, 9, 10], 2 / 64],
    // The other way round in the smallest block: that, all alike, and their mirror images.
    ["one block against five", [-5, 6, 7, 8, 9, 10], 4 / 64],
    ["equal outcomes, which count as equal", [-5, 5, 5, 5, 5, 5], 14 / 64],
    ["no difference", [...zeros(6)], 1],
    ["five blocks, of which no outcome is significant", [1, 1, 1, 1, 1], null],
    ["a block without a value", [1, 1, 1, 1, 1, null], null],
  ])("are tested by the flipping of signs: %s", (_, values, expected) => {
    expect(test(zeros(values.length), values)).toEqual([expected]);
  });

  it("are tested by all ways however many there are, and two of them by drawn ways", () => {
    const [count, alternating] = [40, Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 1 : -1.2))];
    expect(test(zeros(count), Array<number>(count).fill(1))[0]).toBe(2 / 2 ** 40);
    // The sum of 40 signs is 4 / 1.1 or farther from 0 in 63 of 100 cases.
    expect(test(zeros(count), alternating)[0]).toBeCloseTo(0.63, 1);
    expect(
      test(
        zeros(count),
        zeros(count).map((_, at) => 1 + at / 100),
        zeros(count),
      ),
    ).toEqual([1 / 10_001, 1]);
  });

  it("are taken once each in a grid of 10,000, and no set of those is tested that cannot be told by themselves", () => {
    const grid = (things: number, valueOf: (block: number) => number): readonly [number, readonly unknown[]] => {
      const blocks = Array.from({ length: 100 }, (_, block) => [0, valueOf(block)]);
      let calls = 0;
      const pValues = testInBlocks(
        things,
        (set) => blocks.map(([reference = 0, other = 0]) => [reference, ...set.map(() => other)]),
        (reference: number, other: number) => {
          calls += 1;
          return other - reference;
        },
      );
      return [calls, pValues];
    };
    expect(grid(100, () => 1)).toEqual([10_000, Array<number>(100).fill((100 * 2) / 2 ** 100)]);
    expect(grid(4, (block) => (block % 2 === 0 ? 1 : -1))).toEqual([400, [1, 1, 1, 1]]);
  });

  it("differ where all of them together do, which one that is alike cannot make of another", () => {
    const reference = [0.1, -0.2, 0.3, -0.1, 0.2, 0];
    const far = reference.map((value) => value + 10);
    const near = reference.map((value, at) => value + ([1, -0.9, 0.8, -1.1, 0.7, 0.6][at] as number));
    const [ofFar, ofNear] = test(reference, far, near);
    // Far from both: of the 3! ways of each block only those are as far that keep it apart from what takes the place of the reference.
    expect(ofFar).toBe(2 / 64);
    expect(ofNear).toBeGreaterThan(0.3);
    // Two that are as far are told together, and each by itself.
    for (const pValue of test(reference, far, far)) expect(pValue).toBeLessThanOrEqual(2 / 64);
  });

  it("are corrected by Holm's method where their sets are too many", () => {
    const apart = Array.from({ length: 7 }, () => 1);
    const five = Array.from({ length: 5 }, () => apart);
    expect(test(zeros(7), ...five)).toEqual(Array<number>(5).fill((5 * 2) / 128));
  });
});

describe("groups that give a value each", () => {
  it.each<[string, readonly number[], number, unknown]>([
    // p-values by numerical integration of the density.
    ["by Student's t test", [0.18, 0.44, 0.56, 0.6, 0.35], 0, expect.closeTo(0.004_913, 5)],
    ["the same on the other side", [-0.18, -0.44, -0.56, -0.6, -0.35], 0, expect.closeTo(0.004_913, 5)],
    ["beyond a bound", [0.18, 0.44, 0.56, 0.6, 0.35], 0.05, expect.closeTo(0.007_681, 5)],
    ["short of a bound", [0.04, 0.041, 0.039, 0.04], 0.05, 1],
    ["one against the rest", [-0.9, 0.44, 0.56, 0.6, 0.35], 0, expect.closeTo(0.496_399, 5)],
    ["which are all alike", [1, 1, 1, 1], 0, 0],
    ["which are too few", [1, 1.1, 1.2], 0, null],
  ])("are tested %s", (_, values, bound, expected) => {
    expect(testGroups(values, bound)).toEqual(expected);
  });
});
