import { describe, expect, it } from "vitest";
import type { TimelineSecond } from "../model/measurement.js";
import { isWhole, perSecond, rampSeconds } from "./ramp-seconds.js";

const RAMP = { from: 1, riseMs: 4000, steps: null };

function aSecond(second: number, ok: number, rest: Partial<TimelineSecond> = {}): TimelineSecond {
  return { second, sent: ok, ok, failed: 0, p50: 5, p90: 7, p99: 9, max: 12, ...rest };
}

function oks(...counts: readonly number[]): readonly TimelineSecond[] {
  return counts.map((ok, second) => aSecond(second, ok));
}

describe("rampSeconds", () => {
  it("tells users by the end of a second and on average in it", () => {
    const seconds = rampSeconds([{ elapsedMs: 4998, timeline: oks(1, 2, 3, 4, 5) }], 5, RAMP);
    expect(seconds.map(({ users }) => users)).toEqual([2, 3, 4, 5, 5]);
    expect(seconds.map((one) => one.meanUsers)).toEqual([1, 2, 3, 4, 5]);
    expect(seconds.every(isWhole)).toBe(true);
  });

  it("believes the engine about users", () => {
    const timeline = oks(1, 2).map((one) => ({ ...one, users: 40 + one.second }));
    expect(rampSeconds([{ elapsedMs: 2000, timeline }], 99, RAMP).map(({ users }) => users)).toEqual([40, 41]);
  });

  it("has the seconds in which nothing happened, although the timeline ends before them", () => {
    const seconds = rampSeconds([{ elapsedMs: 4000, timeline: oks(10, 20) }], 5, RAMP);
    expect(seconds.map(({ ok, p50, max, users }) => [ok, p50, max, users])).toEqual([
      [10, 5, 12, 2],
      [20, 5, 12, 3],
      [0, null, null, 4],
      [0, null, null, 5],
    ]);
  });

  it("says how much there was of a last second that was cut short, and leaves out next to none", () => {
    const timeline = oks(10, 10, 4);
    const [, , last] = rampSeconds([{ elapsedMs: 2400, timeline }], 5, RAMP);
    expect(last).toMatchObject({ lengthMs: 400, ok: 4 });
    expect(last && perSecond(last, last.ok)).toBe(10);
    expect(last && isWhole(last)).toBe(false);
    expect(rampSeconds([{ elapsedMs: 2150, timeline }], 5, RAMP)).toHaveLength(2);
  });

  it("leaves out what comes after the last request of a run that ended late, which is no fall", () => {
    const timeline = oks(10, 10);
    expect(rampSeconds([{ elapsedMs: 2400, timeline }], 5, RAMP).map(({ ok }) => ok)).toEqual([10, 10]);
    const failing = [...timeline, aSecond(2, 0, { failed: 3 })];
    expect(rampSeconds([{ elapsedMs: 2400, timeline: failing }], 5, RAMP).map(({ failed }) => failed)).toEqual([
      0, 0, 3,
    ]);
  });

  it("takes the median of the trials of each second, as far as most of them go", () => {
    const trials = [oks(10, 40, 70), oks(20, 50, 80), oks(90, 60)].map((timeline) => ({
      elapsedMs: timeline.length * 1000,
      timeline,
    }));
    expect(rampSeconds(trials, 5, RAMP).map(({ ok }) => ok)).toEqual([20, 50, 75]);
    expect(rampSeconds(trials.slice(1), 5, RAMP)).toHaveLength(2);
  });

  it("counts a way of failing that did not occur in a trial as none there", () => {
    const timelines = [[aSecond(0, 5, { failed: 8, failures: { resets: 8 } })], [aSecond(0, 5)], [aSecond(0, 5)]];
    const [second] = rampSeconds(
      timelines.map((timeline) => ({ elapsedMs: 1000, timeline })),
      5,
      RAMP,
    );
    expect(second).toMatchObject({ failed: 0, failures: { resets: 0 } });
  });

  it("reads files that tell neither p90 nor max", () => {
    const timeline = [{ second: 0, sent: 1, ok: 1, failed: 0, p50: 2, p99: 3 }];
    expect(rampSeconds([{ elapsedMs: 1000, timeline }], 5, RAMP)).toMatchObject([
      { p50: 2, p90: null, p99: 3, max: null, failures: {} },
    ]);
  });

  it("has nothing of no measurement", () => {
    expect(rampSeconds([], 5, RAMP)).toEqual([]);
  });
});
