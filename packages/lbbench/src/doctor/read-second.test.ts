import { expect, it } from "vitest";
import { readClockStep, readSecond } from "./read-second.js";

it("finds the smallest step of a clock", () => {
  let reading = 0;
  // It stands still for three readings, then goes on by 5 or by 7.
  const now = (): number => 100 + Math.floor(reading++ / 4) * 5 + (reading > 20_000 ? 7 : 0);
  expect(readClockStep(now)).toBe(5);
});

it("does not wait when it is stopped", async () => {
  await expect(readSecond(AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
});
