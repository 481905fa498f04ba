import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rampStartsUs } from "./ramp-starts.js";

const SECOND_US = 1_000_000;

/** A ramp of up to 1000 users that rises in up to an hour, and its steps, if any. */
const ramps = fc
  .tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 3_600_000 }))
  .chain(([from, others, riseMs]) =>
    fc.record({
      users: fc.constant(from + others),
      ramp: fc.record({
        from: fc.constant(from),
        riseMs: fc.constant(riseMs),
        steps: fc.option(fc.integer({ min: 1, max: others })),
      }),
    }),
  );

describe("rampStartsUs", () => {
  it("brings one more user every second", () => {
    const starts = rampStartsUs(100, { from: 1, riseMs: 99_000, steps: null });
    expect(starts).toEqual(Array.from({ length: 100 }, (_, user) => user * SECOND_US));
  });

  it("brings the users of a step together, at its end", () => {
    const starts = rampStartsUs(7, { from: 1, riseMs: 9000, steps: 3 });
    expect(starts).toEqual([0, 3, 3, 6, 6, 9, 9].map((second) => second * SECOND_US));
  });

  it("makes steps of whole users that differ by at most one", () => {
    const starts = rampStartsUs(12, { from: 2, riseMs: 4000, steps: 4 });
    const sizes = [1, 2, 3, 4].map((step) => starts.filter((start) => start === step * SECOND_US).length);
    expect(sizes).toEqual([2, 3, 2, 3]);
  });

  it("has all users from the start where their number does not rise", () => {
    expect(rampStartsUs(3, { from: 3, riseMs: 5000, steps: null })).toEqual([0, 0, 0]);
  });

  it("begins with the first users, ends with the last at the end of the rise, and never goes back", () => {
    fc.assert(
      fc.property(ramps, ({ users, ramp }) => {
        const starts = rampStartsUs(users, ramp);
        expect(starts).toHaveLength(users);
        expect(starts.filter((start) => start === 0)).toHaveLength(ramp.from);
        expect(starts.at(-1)).toBe(ramp.riseMs * 1000);
        expect(starts).toEqual(starts.toSorted((a, b) => a - b));
      }),
    );
  });

  it("spaces users evenly without steps", () => {
    fc.assert(
      fc.property(ramps, ({ users, ramp }) => {
        const starts = rampStartsUs(users, { ...ramp, steps: null });
        const gap = (ramp.riseMs * 1000) / (users - ramp.from);
        for (const [index, start] of starts.slice(ramp.from).entries()) {
          expect(Math.abs(start - gap * (index + 1))).toBeLessThan(1e-3);
        }
      }),
    );
  });

  it("has as many steps as it is asked for, equally long, of sizes that differ by at most one", () => {
    fc.assert(
      fc.property(ramps, ({ users, ramp }) => {
        const steps = ramp.steps ?? 1;
        const starts = rampStartsUs(users, { ...ramp, steps }).slice(ramp.from);
        const times = [...new Set(starts)];
        expect(times).toHaveLength(steps);
        for (const [index, time] of times.entries()) {
          expect(Math.abs(time - ((index + 1) * ramp.riseMs * 1000) / steps)).toBeLessThan(1e-3);
        }
        const sizes = times.map((time) => starts.filter((start) => start === time).length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
