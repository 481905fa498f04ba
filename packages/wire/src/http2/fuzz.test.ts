import { expect, it } from "vitest";
import { compareWithNghttp2 } from "../test-support/compare-with-nghttp2.js";

it.each(["requests", "answers"] as const)("%s that are accepted are read by nghttp2 in the same way", async (said) => {
  const { heads, whole, plain, refused } = await compareWithNghttp2(said, 2000);
  // Otherwise there would be little that it compared.
  expect(heads).toBeGreaterThan(2000);
  expect(whole).toBeGreaterThan(1800);
  expect(plain).toBeGreaterThan(700);
  expect(refused).toBeGreaterThan(350);
});
