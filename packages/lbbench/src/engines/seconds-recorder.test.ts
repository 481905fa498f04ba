import { describe, expect, it } from "vitest";
import { decodeHistogram } from "../stats/histogram.js";
import { createSecondsRecorder } from "./seconds-recorder.js";

const SECOND_US = 1_000_000;

describe("createSecondsRecorder", () => {
  it("has no seconds before anything happened", () => {
    expect(createSecondsRecorder(false).finish(0)).toEqual([]);
  });

  it("counts each event in the second in which it happened: a request when it leaves, its outcome when it comes", () => {
    const seconds = createSecondsRecorder(false);
    seconds.sent(0);
    seconds.sent(999_999);
    seconds.ok(SECOND_US, 1_000_000);
    seconds.failed(SECOND_US + 1, "resets");
    seconds.sent(2 * SECOND_US - 1);
    expect(seconds.finish(0).map(({ second, sent, ok, failed }) => [second, sent, ok, failed])).toEqual([
      [0, 2, 0, 0],
      [1, 1, 1, 1],
    ]);
  });

  it("keeps seconds in which nothing happened, so that the line has no gap", () => {
    const seconds = createSecondsRecorder(false);
    seconds.sent(100);
    seconds.ok(3.5 * SECOND_US, 3_499_900);
    expect(seconds.finish(0)).toMatchObject([
      { second: 0, sent: 1, latency: null },
      { second: 1, sent: 0, ok: 0, failed: 0, latency: null },
      { second: 2, sent: 0, ok: 0, failed: 0, latency: null },
      { second: 3, sent: 0, ok: 1 },
    ]);
  });

  it("starts each second with an empty histogram", () => {
    const seconds = createSecondsRecorder(false);
    seconds.ok(500, 1000);
    seconds.ok(SECOND_US + 500, 2000);
    const [first, second] = seconds.finish(0);
    expect(first?.latency).toEqual({ p50: 1, p90: 1, p99: 1, max: 1, histogram: null });
    expect(second?.latency).toEqual({ p50: 2, p90: 2, p99: 2, max: 2, histogram: null });
  });

  it("has an entry for every second up to its end, also where nothing happened", () => {
    const seconds = createSecondsRecorder(false);
    seconds.sent(100);
    expect(seconds.finish(3.2 * SECOND_US).map(({ second, sent }) => [second, sent])).toEqual([
      [0, 1],
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
  });

  it.each([
    [1, 1],
    [1.000001, 2],
    [2, 2],
  ])("does not begin a second that it ends at: %d s", (untilS, length) => {
    const seconds = createSecondsRecorder(false);
    seconds.sent(100);
    expect(seconds.finish(untilS * SECOND_US)).toHaveLength(length);
  });

  it.each([
    [3000, 3.002, 3],
    [2500, 3.002, 3],
    [3000, 2.2, 3],
    [3000, 0.9, 1],
    [400, 1.1, 1],
  ])(
    "counts what happens until a late timer rings in the last second of a load of %d ms that ends after %d s",
    (lastsMs, untilS, length) => {
      const seconds = createSecondsRecorder(false, lastsMs);
      seconds.sent(0);
      seconds.ok((untilS - 0.001) * SECOND_US, 500);
      const line = seconds.finish(untilS * SECOND_US);
      expect(line).toHaveLength(length);
      expect(line.at(-1)).toMatchObject({ second: length - 1, ok: 1 });
    },
  );

  it("has all seconds of a load that is cut, also where nothing happened", () => {
    const seconds = createSecondsRecorder(false, 3000);
    seconds.sent(100);
    expect(seconds.finish(3.002 * SECOND_US).map(({ second, sent }) => [second, sent])).toEqual([
      [0, 1],
      [1, 0],
      [2, 0],
    ]);
  });

  it("tells by class how requests failed in each second", () => {
    const seconds = createSecondsRecorder(false);
    seconds.failed(10, "non2xx");
    seconds.failed(20, "non2xx");
    seconds.failed(30, "timedOut");
    seconds.failed(SECOND_US, "resets");
    seconds.ok(2 * SECOND_US, 500);
    expect(seconds.finish(0).map(({ failed, failures }) => ({ failed, failures }))).toEqual([
      { failed: 3, failures: { non2xx: 2, timedOut: 1 } },
      { failed: 1, failures: { resets: 1 } },
      { failed: 0, failures: {} },
    ]);
  });

  it("counts the users who had come by the end of a second, and had not left", () => {
    const seconds = createSecondsRecorder(false);
    seconds.userStarted(0);
    seconds.userStarted(SECOND_US - 1);
    seconds.userStarted(SECOND_US);
    seconds.userEnded(3 * SECOND_US);
    seconds.userStarted(3 * SECOND_US + 1);
    seconds.userEnded(3 * SECOND_US + 2);
    expect(seconds.finish(5 * SECOND_US).map(({ users }) => users)).toEqual([2, 3, 3, 2, 2]);
  });

  it("tells of a second that is over what the timeline has in the end, though nothing has happened since", () => {
    const seconds = createSecondsRecorder(true);
    seconds.sent(100);
    seconds.ok(900, 800);
    const read = seconds.read(0);
    seconds.sent(SECOND_US + 1);
    expect(read).toMatchObject({ second: 0, sent: 1, ok: 1 });
    expect(seconds.finish(0)[0]).toEqual(read);
  });

  it("has the same timeline whether it was read or not", () => {
    const record = (readings: readonly number[], untilUs: number): unknown => {
      const seconds = createSecondsRecorder(false);
      seconds.sent(100);
      seconds.ok(1.2 * SECOND_US, 500);
      for (const second of readings) seconds.read(second);
      return seconds.finish(untilUs);
    };
    for (const untilUs of [1.2 * SECOND_US, 2 * SECOND_US, 3.5 * SECOND_US]) {
      expect(record([0, 1, 2, 3, 4], untilUs)).toEqual(record([], untilUs));
    }
  });

  it("has no seconds where nothing was sent, though they were read", () => {
    const seconds = createSecondsRecorder(false);
    expect(seconds.read(1)).toMatchObject({ second: 1, sent: 0 });
    expect(seconds.finish(0)).toEqual([]);
  });

  it("says that there is nothing beyond its end, and nothing yet of the last second of a load that is to be cut", () => {
    const seconds = createSecondsRecorder(false, 2000);
    seconds.sent(100);
    expect(seconds.read(0)).toMatchObject({ sent: 1 });
    expect(seconds.read(1)).toBeUndefined();
    seconds.finish(2.001 * SECOND_US);
    expect(seconds.read(1)).toMatchObject({ second: 1, sent: 0 });
    expect(seconds.read(2)).toBeNull();
  });

  it("tells percentiles that are not above the longest latency, which is exact", () => {
    const seconds = createSecondsRecorder(false);
    for (let request = 1; request <= 100; request += 1) seconds.ok(1000, request * 100_003);
    const [first] = seconds.finish(0);
    expect(first?.latency?.max).toBeCloseTo(10_000.3, 9);
    expect(first?.latency?.p99).toBeLessThanOrEqual(10_000.3);
    expect(first?.latency?.p90).toBeCloseTo(9000.27, -1);
  });

  it("keeps the histograms of the seconds where they are to be merged", () => {
    const seconds = createSecondsRecorder(true);
    seconds.ok(500, 1000);
    seconds.ok(600, 1500);
    const [first] = seconds.finish(0);
    expect(decodeHistogram(first?.latency?.histogram ?? "").totalCount).toBe(2);
  });
});
