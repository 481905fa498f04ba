import { describe, expect, it } from "vitest";
import { findCollapse } from "./collapse.js";

const GOOD = [100, 100, 100, 100, 100];

describe("findCollapse", () => {
  it.each([
    ["all of it from one second to the next", [...GOOD, 0, 0, 0, 0], 5],
    ["all of it, by a second that is half good", [...GOOD, 60, 0, 0, 0], 5],
    ["all of it, although what is left becomes less still", [...GOOD, 5, 4, 1, 1, 1], 5],
    ["half of it", [...GOOD, 50, 50, 50], 5],
    ["all of it, after it had begun to fall", [...GOOD, 79, 78, 90, 0, 0, 0], 8],
  ])("finds the second in which it loses %s", (_, goodputs, index) => {
    expect(findCollapse(goodputs, 5, 50)).toBe(index);
  });

  it.each([
    ["a pause of a second", [...GOOD, 0, 75, 75, 75, 75]],
    ["a fall that takes ten seconds", [...GOOD, 78, 70, 60, 50, 40, 30, 20, 10, 0, 0, 0]],
    ["a third that is gone", [...GOOD, 66, 66, 66]],
    ["two seconds, which are too few to tell", [...GOOD, 0, 0]],
  ])("does not take for one %s", (_, goodputs) => {
    expect(findCollapse(goodputs, 5, 50)).toBeUndefined();
  });
});
