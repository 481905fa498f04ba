import { expect, it } from "vitest";
import { connectionBytes } from "./held.js";

const process = (before: number, start: number, middle: number, spread = 0) => ({
  beforeHold: { bytes: before, spreadBytes: spread },
  memory: { startBytes: start, middleBytes: middle, endBytes: middle },
});

it("divides what some processes have beyond what they had before by the connections", () => {
  expect(connectionBytes([process(50_000_000, 60_000_000, 60_000_000)], 1000)).toBe(10_000);
  const workers = [process(5_000_000, 8_000_000, 8_000_000), process(5_000_000, 9_000_000, 9_000_000)];
  expect(connectionBytes(workers, 1000)).toBe(7000);
});

it("says nothing within the noise, of processes that were replaced, and of no connections", () => {
  expect(connectionBytes([process(50_000_000, 55_000_000, 55_000_000)], 1000)).toBeNull();
  expect(connectionBytes([process(50_000_000, 56_000_000, 56_000_000, 1_000_000)], 1000)).toBeNull();
  expect(connectionBytes([process(50_000_000, 56_000_000, 59_000_000, 2_000_000)], 1000)).toBeNull();
  expect(connectionBytes([process(60_000_000, 50_000_000, 50_000_000)], 1000)).toBeNull();
  expect(connectionBytes([{ memory: process(1, 2, 2).memory }], 1000)).toBeNull();
  expect(connectionBytes([process(50_000_000, 60_000_000, 60_000_000)], 0)).toBeNull();
  expect(connectionBytes([], 1000)).toBeNull();
});
