import { expect, test } from "vitest";
import { colorAt, markerAt, PALETTE } from "./palette.js";

test("no two of 64 series have both colour and marker in common", () => {
  const looks = Array.from({ length: 64 }, (_, index) => `${colorAt(index, PALETTE)} ${markerAt(index)}`);
  expect(new Set(looks).size).toBe(64);
});
