import { expect, it } from "vitest";
import { compareWithLlhttp } from "./test-support/compare-with-llhttp.js";

it.each(["requests", "answers"] as const)("%s that are accepted are read by llhttp in the same way", (what) => {
  const { heads, whole, refused } = compareWithLlhttp(what, 10_000);
  // Otherwise there would be little that it compared.
  expect(heads).toBeGreaterThan(6000);
  expect(whole).toBeGreaterThan(5000);
  expect(refused).toBeGreaterThan(5000);
});
