import { describe, expect, it } from "vitest";
import type { TimelineSecond } from "../model/measurement.js";
import { isWhole, perSecond, rampSeconds, rampStartsUs, rampUsers } from "./ramp-seconds.js";

describe("rampStartsUs", () => {
  it.each([
    ["one more every second", 5, { from: 1, riseMs: 4000, steps: null }, [0, 1, 2, 3, 4]],
    ["the first together", 4, { from: 2, riseMs: 4000, steps: null }, [0, 0, 2, 4]],
    ["users that steps do not share evenly", 6, { from: 1, riseMs: 9000, steps: 2 }, [0, 4.5, 4.5, 9, 9, 9]],
    ["the users of a step together, at its end", 7, { from: 1, riseMs: 9000, steps: 3 }, [0, 3, 3, 6, 6, 9, 9]],
    ["all from the start where their number does not rise", 3, { from: 3, riseMs: 5000, steps: null }, [0, 0, 0]],
  ])("brings %s", (_, users, ramp, seconds) => {
    expect(rampStartsUs(users, ramp)).toEqual(seconds.map((second) => second * 1_000_000));
  });
});

describe("rampUsers", () => {
  const SMOOTH = { from: 1, riseMs: 99_000, steps: null };
  const STEPS = { from: 10, riseMs: 60_000, steps: 3 };

  it("counts who is there at a moment, as the engines start them", () => {
    expect([0, 999, 1000, 61_500, 99_000, 500_000].map(rampUsers(100, SMOOTH).at)).toEqual([1, 1, 2, 62, 100, 100]);
    expect([0, 19_999, 20_000, 59_999, 60_000].map(rampUsers(40, STEPS).at)).toEqual([10, 10, 20, 30, 40]);
    for (const [users, ramp] of [
      [250, { from: 3, riseMs: 10_000, steps: 7 }],
      [100, SMOOTH],
    ] as const) {
      const starts = rampStartsUs(users, ramp);
      const { at } = rampUsers(users, ramp);
      for (let ms = 0; ms <= 110_000; ms += 3777) {
        expect(at(ms)).toBe(starts.filter((start) => start <= ms * 1000).length);
      }
    }
  });

  it("knows how many were there on average between two moments", () => {
    expect(rampUsers(100, SMOOTH).mean(0, 99_000)).toBeCloseTo(50, 9);
    expect(rampUsers(40, STEPS).mean(0, 120_000)).toBeCloseTo((10 * 20 + 20 * 20 + 30 * 20 + 40 * 60) / 120, 9);
    expect(rampUsers(40, STEPS).mean(19_000, 21_000)).toBeCloseTo(15, 9);
  });
});

describe("rampSeconds", () => {
  const RAMP = { from: 1, riseMs: 4000, steps: null };

  const aSecond = (second: number, ok: number, rest: Partial<TimelineSecond> = {}): TimelineSecond => {
    return { second, sent: ok, ok, failed: 0, p50: 5, p90: 7, p99: 9, max: 12, ...rest };
  };
  const oks = (...counts: readonly number[]): readonly TimelineSecond[] => counts.map((ok, at) => aSecond(at, ok));
  const seconds = (elapsedMs: number, timeline: readonly TimelineSecond[]) =>
    rampSeconds([{ elapsedMs, timeline }], 5, RAMP);

  it("tells users by the end of a second and on average in it, and believes the engine about them", () => {
    const all = seconds(4998, oks(1, 2, 3, 4, 5));
    expect(all.map(({ users, meanUsers }) => `${users} ${meanUsers}`)).toEqual(["2 1", "3 2", "4 3", "5 4", "5 5"]);
    expect(all.every(isWhole)).toBe(true);
    const told = oks(1, 2).map((one) => ({ ...one, users: 40 + one.second }));
    expect(seconds(2000, told).map(({ users }) => users)).toEqual([40, 41]);
  });

  it("says how much there was of a last second that was cut short, and leaves out next to none, or an empty one", () => {
    const [, , last] = seconds(2400, oks(10, 10, 4));
    expect(last).toMatchObject({ lengthMs: 400, ok: 4 });
    expect(last && [perSecond(last, last.ok), isWhole(last)]).toEqual([10, false]);
    expect(seconds(2150, oks(10, 10, 4))).toHaveLength(2);
    expect(seconds(2400, oks(10, 10))).toHaveLength(2);
    expect(seconds(2400, [...oks(10, 10), aSecond(2, 0, { failed: 3 })])).toHaveLength(3);
  });

  it("takes the median of the trials of each second, as far as most of them go", () => {
    const whole = (timeline: readonly TimelineSecond[]) => ({ elapsedMs: timeline.length * 1000, timeline });
    const trials = [oks(10, 40, 70), oks(20, 50, 80), oks(90, 60)].map(whole);
    expect(rampSeconds(trials, 5, RAMP).map(({ ok }) => ok)).toEqual([20, 50, 75]);
    expect(rampSeconds(trials.slice(1), 5, RAMP)).toHaveLength(2);
    // A way of failing that did not occur in a trial is none there.
    const one = [aSecond(0, 5, { failed: 8, failures: { resets: 8 } })];
    expect(rampSeconds([one, oks(5), oks(5)].map(whole), 5, RAMP)).toMatchObject([
      { failed: 0, failures: { resets: 0 } },
    ]);
    expect(rampSeconds([], 5, RAMP)).toEqual([]);
  });

  it("reads files that tell neither p90 nor max", () => {
    const timeline = [{ second: 0, sent: 1, ok: 1, failed: 0, p50: 2, p99: 3 }];
    expect(seconds(1000, timeline)).toMatchObject([{ p50: 2, p90: null, p99: 3, max: null, failures: {} }]);
  });
});
