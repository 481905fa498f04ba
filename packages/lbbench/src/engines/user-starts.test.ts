import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rampStartsUs } from "../stats/ramp-starts.js";
import { userStartsUs } from "./user-starts.js";

describe("userStartsUs", () => {
  it("starts all connections of a level at once", () => {
    expect(userStartsUs({ level: { connections: 3, requests: 9 } }, { index: 1, of: 2 })).toEqual([0, 0, 0]);
  });

  it("deals the users of a ramp out to generators, so that each of them rises as the whole does", () => {
    const load = { level: { users: 5, durationMs: 9000 }, ramp: { from: 1, riseMs: 4000, steps: null } };
    expect(userStartsUs(load, { index: 0, of: 2 })).toEqual([0, 2_000_000, 4_000_000]);
    expect(userStartsUs(load, { index: 1, of: 2 })).toEqual([1_000_000, 3_000_000]);
  });

  it("deals out every user once, whatever the number of generators", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 1, max: 16 }),
        (from, others, generators) => {
          const users = from + others;
          const of = Math.min(generators, users);
          const ramp = { from, riseMs: 30_000, steps: null };
          const shares = Array.from({ length: of }, (_, index) =>
            userStartsUs({ level: { users, durationMs: 40_000 }, ramp }, { index, of }),
          );
          expect(shares.flat().toSorted((a, b) => a - b)).toEqual(rampStartsUs(users, ramp));
          expect(Math.min(...shares.map(({ length }) => length))).toBeGreaterThan(0);
        },
      ),
    );
  });

  it("refuses a rate, and users without a ramp", () => {
    expect(() => userStartsUs({ level: { rate: 5, durationMs: 1 } }, { index: 0, of: 1 })).toThrow(RangeError);
    expect(() => userStartsUs({ level: { users: 5, durationMs: 1 } }, { index: 0, of: 1 })).toThrow("ramp");
  });
});
