import { expect, it } from "vitest";
import { createBackoff } from "./backoff.js";

it("waits twice as long each time, up to a quarter of a second, and starts again when it is reset", () => {
  const backoff = createBackoff();
  expect(Array.from({ length: 7 }, () => backoff.nextMs())).toEqual([10, 20, 40, 80, 160, 250, 250]);
  backoff.reset();
  expect(backoff.nextMs()).toBe(10);
});
