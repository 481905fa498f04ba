import { describe, expect, test } from "vitest";
import { keepRange, pickRange, stretchRange } from "./zoom-range.js";
import type { Range } from "./zoom-range.js";

const FULL = { min: 0, max: 100 } as const;
const nearer = (at: number, factor = 2): { from: number; to: number; factor: number } => ({ from: at, to: at, factor });

function expectRange(range: Range | undefined, min: number, max: number): void {
  expect(range?.min).toBeCloseTo(min, 9);
  expect(range?.max).toBeCloseTo(max, 9);
}

describe("a stretch", () => {
  test("keeps what is under the pointer where it is", () => {
    expectRange(stretchRange(FULL, FULL, nearer(0.25), "linear"), 12.5, 62.5);
  });

  test("moves what is under the fingers with them", () => {
    expectRange(stretchRange(FULL, { min: 40, max: 60 }, { from: 0.5, to: 0.25, factor: 1 }, "linear"), 45, 65);
  });

  test("keeps ratios on a logarithmic axis", () => {
    expectRange(stretchRange({ min: 1, max: 10_000 }, { min: 1, max: 10_000 }, nearer(0.5), "log"), 10, 1000);
  });

  test("never leaves the axis", () => {
    expectRange(stretchRange(FULL, { min: 0, max: 50 }, { from: 0, to: 0.5, factor: 1 }, "linear"), 0, 50);
    expectRange(stretchRange(FULL, { min: 50, max: 100 }, { from: 1, to: 0.5, factor: 1 }, "linear"), 50, 100);
  });

  test("that shows all of it is no zoom", () => {
    expect(stretchRange(FULL, { min: 25, max: 75 }, nearer(0.5, 0.5), "linear")).toBeUndefined();
    expect(stretchRange(FULL, { min: 25, max: 75 }, nearer(0.5, 0.01), "linear")).toBeUndefined();
  });

  test("ends at a ten-thousandth of the axis", () => {
    const range = stretchRange(FULL, FULL, nearer(0.5, 1e9), "linear") ?? FULL;
    expect(range.max - range.min).toBeCloseTo(0.01, 9);
  });

  test("of categories shows whole ones, in the end a single one", () => {
    const full = { min: 0, max: 5 };
    const first = stretchRange(full, full, nearer(0.5, 1.5), "category") ?? full;
    expect(first).toEqual({ min: 1, max: 4 });
    const second = stretchRange(full, first, nearer(0.5, 1.5), "category") ?? full;
    expect(second).toEqual({ min: 2, max: 3 });
    const third = stretchRange(full, second, nearer(0.5, 4), "category") ?? full;
    expect(third.min).toBe(third.max);
  });
});

describe("a piece that is picked", () => {
  test("is the same from either end", () => {
    expectRange(pickRange(FULL, FULL, 0.2, 0.7, "linear"), 20, 70);
    expectRange(pickRange(FULL, FULL, 0.7, 0.2, "linear"), 20, 70);
  });

  test("is of what is seen, not of the whole axis", () => {
    expectRange(pickRange(FULL, { min: 20, max: 60 }, 0.5, 1, "linear"), 40, 60);
  });

  test("ends where the axis does", () => {
    expectRange(pickRange(FULL, FULL, 0.5, 3, "linear"), 50, 100);
  });

  test("of categories holds those whose middles are in it", () => {
    expect(pickRange({ min: 0, max: 3 }, { min: 0, max: 3 }, 0.3, 0.95, "category")).toEqual({ min: 1, max: 3 });
  });
});

describe("what was picked before", () => {
  test("is kept while it is part of the axis", () => {
    expect(keepRange(FULL, { min: 10, max: 20 }, "linear")).toEqual({ min: 10, max: 20 });
  });

  test.each([
    ["beyond its end", { min: 10, max: 120 }],
    ["before its begin", { min: -1, max: 20 }],
    ["all of it", FULL],
    ["nothing", { min: 5, max: 5 }],
  ])("is dropped when it is %s", (_, range) => {
    expect(keepRange(FULL, range, "linear")).toBeUndefined();
  });

  test("is kept when it is one category", () => {
    expect(keepRange({ min: 0, max: 5 }, { min: 2, max: 2 }, "category")).toEqual({ min: 2, max: 2 });
  });
});
