import { expect, it } from "vitest";
import { knownDigits, knownMs, knownSeconds } from "./known-digits.js";

it.each([
  [0.36683797100000015, 0.366838],
  [23.49523099999968, 23.4952],
  [7323.662472851946, 7323.66],
  [123_456.7, 123_457],
  [1_234_567.891, 1_234_568],
  [-0.1 - 0.2, -0.3],
  [123_456_789_012, 123_456_789_012],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [0, 0],
])("of %d six digits are kept, or all before the point: %d", (value, known) => {
  expect(knownDigits(value)).toBe(known);
});

it("times are kept to the microsecond", () => {
  expect([knownMs(23.49523099999968), knownMs(86_400_000.1234)]).toEqual([23.495, 86_400_000.123]);
  expect([knownSeconds(0.02349523), knownSeconds(3)]).toEqual([0.023495, 3]);
});
