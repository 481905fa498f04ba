import { describe, expect, it } from "vitest";
import { invertNormal, solveNonNegative } from "./least-squares.js";

function lineThrough(points: readonly (readonly [number, number])[]): readonly number[] | undefined {
  return solveNonNegative(points.map(([x, value]) => ({ coefficients: [1, x], value })));
}

function expectClose(values: readonly number[] | undefined, expected: readonly number[]): void {
  expect(values).toHaveLength(expected.length);
  expected.forEach((value, index) => expect(values?.[index]).toBeCloseTo(value, 9));
}

describe("solveNonNegative", () => {
  it("solves equations that hold exactly", () => {
    expectClose(
      lineThrough([
        [0, 1],
        [1, 3],
        [2, 5],
      ]),
      [1, 2],
    );
  });

  it("finds the line of least squares", () => {
    // By hand: slope 15 / 10, through the mean of 3 and 5.
    expectClose(
      lineThrough([
        [1, 2],
        [2, 3],
        [3, 6],
        [4, 5],
        [5, 9],
      ]),
      [0.2, 1.6],
    );
  });

  it("keeps what would be below 0 at 0, and fits the rest anew", () => {
    // Without bounds 8 - x; a constant does best with the mean, a slope alone with 16 / 14.
    expectClose(
      lineThrough([
        [1, 7],
        [2, 6],
        [3, 5],
      ]),
      [6, 0],
    );
    expectClose(
      lineThrough([
        [1, 0],
        [2, 1],
        [3, 5],
      ]),
      [0, 17 / 14],
    );
  });

  it("keeps all at 0 that can only do harm, and says so by giving none", () => {
    expect(
      lineThrough([
        [1, -1],
        [2, -2],
      ]),
    ).toBeUndefined();
  });

  it("does with some unknowns when the columns depend on one another", () => {
    expectClose(
      lineThrough([
        [1, 4],
        [1, 6],
      ]),
      [5, 0],
    );
  });

  it("solves columns of very different sizes", () => {
    const loads = [1, 50, 250, 1000, 100_000];
    const equations = loads.map((n) => ({ coefficients: [1, n, n * n], value: 3 + 0.02 * n + 1e-7 * n * n }));
    const [p, q, r] = solveNonNegative(equations) ?? [];
    expect(p).toBeCloseTo(3, 5);
    expect(q).toBeCloseTo(0.02, 7);
    expect(r).toBeCloseTo(1e-7, 12);
  });

  it("of nothing is nothing", () => {
    expect(solveNonNegative([])).toBeUndefined();
  });
});

describe("invertNormal", () => {
  it("inverts a small case counted by hand", () => {
    // Normal matrix 3, 6 / 6, 14; its determinant is 6.
    const inverse = invertNormal([1, 2, 3].map((x) => [1, x]));
    expectClose(inverse?.flat(), [14 / 6, -1, -1, 0.5]);
  });

  it("has none when the columns depend on one another, or are all 0", () => {
    expect(invertNormal([1, 2, 3].map((x) => [x, 2 * x]))).toBeUndefined();
    expect(invertNormal([1, 2, 3].map((x) => [x, 0]))).toBeUndefined();
  });
});
