import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { uncorrectLatencies } from "./wrk.js";

/** What wrk makes of latencies, as its documentation of the correction describes it: each long one stands for others. */
function correct(measured: ReadonlyMap<number, number>, intervalUs: number): Map<number, number> {
  const corrected = new Map(measured);
  for (const [us, count] of measured) {
    if (us < 2 * intervalUs) continue;
    for (let earlier = us - intervalUs; earlier > intervalUs; earlier -= intervalUs) {
      corrected.set(earlier, (corrected.get(earlier) ?? 0) + count);
    }
  }
  return corrected;
}

const LATENCIES = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 5 })), { minLength: 1 })
  .map((entries) => new Map(entries));

const total = (counts: ReadonlyMap<number, number>): number => [...counts.values()].reduce((sum, n) => sum + n, 0);
const sorted = (counts: ReadonlyMap<number, number>) => [...counts].toSorted(([a], [b]) => a - b);

describe("uncorrectLatencies", () => {
  it("finds again what was measured, whatever it was and however short the interval", () => {
    fc.assert(
      fc.property(
        LATENCIES,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 8 }),
        (counts, interval, connections) => {
          const measured = total(counts);
          const answers = measured + connections;
          const durationUs = interval * Math.floor(answers / connections);
          const found = uncorrectLatencies(correct(counts, interval), { durationUs, answers, connections, measured });
          expect(found && sorted(found)).toEqual(sorted(counts));
        },
      ),
    );
  });

  it("takes latencies as they are where no connection had an answer on average", () => {
    const counts = new Map([[500_000, 2]]);
    const run = { durationUs: 1_000_000, answers: 2, connections: 4, measured: 2 };
    expect(uncorrectLatencies(counts, run)).toEqual(counts);
  });

  it("gives nothing where the counts are not what the correction leaves", () => {
    const run = { durationUs: 100, answers: 10, connections: 1, measured: 2 };
    expect(uncorrectLatencies(new Map([[25, 1]]), run)).toBeUndefined();
    expect(
      uncorrectLatencies(
        new Map([
          [15, 1],
          [25, 3],
        ]),
        run,
      ),
    ).toBeUndefined();
  });
});
