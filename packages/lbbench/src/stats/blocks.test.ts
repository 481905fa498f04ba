import { describe, expect, it } from "vitest";
import { testInBlocks } from "./blocks.js";

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

  it("are tested by drawn ways where there are too many", () => {
    const [count, alternating] = [40, Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 1 : -1.2))];
    expect(test(zeros(count), Array<number>(count).fill(1))[0]).toBe(1 / 10_001);
    // The sum of 40 signs is 4 / 1.1 or farther from 0 in 63 of 100 cases.
    expect(test(zeros(count), alternating)[0]).toBeCloseTo(0.63, 1);
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
