import { describe, expect, it } from "vitest";
import { decodeHistogram } from "../stats/histogram.js";
import { createSecondsRecorder } from "./seconds-recorder.js";

const SECOND_US = 1_000_000;

describe("createSecondsRecorder", () => {
  it("has no seconds before anything happened", () => {
    expect(createSecondsRecorder(false).finish()).toEqual([]);
  });

  it("counts each event in the second in which it happened: a request when it leaves, its outcome when it comes", () => {
    const seconds = createSecondsRecorder(false);
    seconds.sent(0);
    seconds.sent(999_999);
    seconds.ok(SECOND_US, 1_000_000);
    seconds.failed(SECOND_US + 1);
    seconds.sent(2 * SECOND_US - 1);
    expect(seconds.finish().map(({ second, sent, ok, failed }) => [second, sent, ok, failed])).toEqual([
      [0, 2, 0, 0],
      [1, 1, 1, 1],
    ]);
  });

  it("keeps seconds in which nothing happened, so that the line has no gap", () => {
    const seconds = createSecondsRecorder(false);
    seconds.sent(100);
    seconds.ok(3.5 * SECOND_US, 3_499_900);
    expect(seconds.finish()).toMatchObject([
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
    const [first, second] = seconds.finish();
    expect(first?.latency).toEqual({ p50: 1, p99: 1, histogram: null });
    expect(second?.latency).toEqual({ p50: 2, p99: 2, histogram: null });
  });

  it("keeps the histograms of the seconds where they are to be merged", () => {
    const seconds = createSecondsRecorder(true);
    seconds.ok(500, 1000);
    seconds.ok(600, 1500);
    const [first] = seconds.finish();
    expect(decodeHistogram(first?.latency?.histogram ?? "").totalCount).toBe(2);
  });
});
