import { describe, expect, it } from "vitest";
import { rampStartsUs } from "./ramp-starts.js";
import { rampUsers } from "./ramp-users.js";

const SMOOTH = { from: 1, riseMs: 99_000, steps: null };
const STEPS = { from: 10, riseMs: 60_000, steps: 3 };

describe("users at a moment", () => {
  it("counts one more every second of a ramp that rises so", () => {
    expect([0, 999, 1000, 61_500, 99_000, 500_000].map((ms) => rampUsers(100, SMOOTH).at(ms))).toEqual([
      1, 1, 2, 62, 100, 100,
    ]);
  });

  it("counts those of a step from its end on", () => {
    expect([0, 19_999, 20_000, 59_999, 60_000].map((ms) => rampUsers(40, STEPS).at(ms))).toEqual([10, 10, 20, 30, 40]);
  });

  it.each([
    [100, SMOOTH],
    [40, STEPS],
    [7, { from: 7, riseMs: 5000, steps: null }],
    [250, { from: 3, riseMs: 10_000, steps: 7 }],
  ])("agrees with when the engines start the users of a ramp to %i: %j", (users, ramp) => {
    const starts = rampStartsUs(users, ramp);
    for (let ms = 0; ms <= 110_000; ms += 777) {
      expect(rampUsers(users, ramp).at(ms)).toBe(starts.filter((start) => start <= ms * 1000).length);
    }
  });
});

describe("users on average", () => {
  it("is the middle of a smooth rise", () => {
    expect(rampUsers(100, SMOOTH).mean(0, 99_000)).toBeCloseTo(50, 9);
  });

  it("counts the time that all of them stay", () => {
    expect(rampUsers(40, STEPS).mean(0, 120_000)).toBeCloseTo((10 * 20 + 20 * 20 + 30 * 20 + 40 * 60) / 120, 9);
  });

  it("is of the part that is asked for", () => {
    expect(rampUsers(40, STEPS).mean(19_000, 21_000)).toBeCloseTo(15, 9);
  });
});
