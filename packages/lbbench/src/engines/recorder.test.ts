import { describe, expect, it } from "vitest";
import { decodeHistogram } from "../stats/histogram.js";
import { createRecorder } from "./recorder.js";

describe("createRecorder", () => {
  it("counts every request once, by its outcome", () => {
    const recorder = createRecorder(false);
    for (let request = 0; request < 8; request += 1) recorder.sent(request * 10);
    recorder.ok(0, 1000, 200);
    recorder.ok(10, 2010, 204);
    recorder.failed("non2xx", 20, 3000, { status: 503 });
    recorder.failed("mismatched", 30, 3000, { status: 200 });
    recorder.failed("resets", 40, 3000, { code: "ECONNRESET" });
    recorder.failed("connectErrors", 50, 3000, { code: "ECONNREFUSED" });
    recorder.failed("dropped", 60, 4000, {});
    expect(recorder.counts()).toEqual({ sent: 8, done: 7, failed: 5 });

    const record = recorder.finish(1, 5000);
    expect(record).toMatchObject({
      sent: 8,
      ok: 2,
      inFlight: 1,
      failures: { non2xx: 1, mismatched: 1, connectErrors: 1, resets: 1, dropped: 1, timedOut: 0 },
      statusCodes: { "200": 2, "204": 1, "503": 1 },
      errorCodes: { ECONNRESET: 1, ECONNREFUSED: 1 },
      firstSentUs: 0,
      lastDoneUs: 4000,
      stoppedUs: 5000,
    });
  });

  it("keeps latencies of ok answers and of failed requests apart, and none of requests that had no connection", () => {
    const recorder = createRecorder(false);
    recorder.ok(100, 1100, 200);
    recorder.ok(100, 1600.5, 200);
    recorder.failed("timedOut", 0, 50_000, {});
    recorder.failed("connectErrors", 0, 90_000, { code: "EMFILE" });
    const { latency, failedLatency } = recorder.finish(0, null);
    expect(latency).toMatchObject({ count: 2, minUs: 1000, maxUs: 1500.5, sumUs: 2500.5 });
    expect(latency.sumSquaresUs).toBeCloseTo(1000 ** 2 + 1500.5 ** 2, 6);
    expect(failedLatency).toMatchObject({ count: 1, minUs: 50_000, maxUs: 50_000 });
    expect(decodeHistogram(latency.histogram).totalCount).toBe(2);
  });

  it("adds up bytes, and tells first connections from further ones", () => {
    const recorder = createRecorder(false);
    recorder.connected(true);
    recorder.connected(true);
    recorder.connected(false);
    recorder.written(100);
    recorder.written(100);
    recorder.received(70);
    recorder.body(20);
    expect(recorder.finish(0, null)).toMatchObject({
      connectionsOpened: 2,
      connectionsEstablished: 3,
      sentBytes: 200,
      receivedBytes: 70,
      bodyBytes: 20,
    });
  });

  it("has a second for all of the time until it was stopped, and none for a timer that was late", () => {
    const secondsOf = (stoppedUs: number, lastsMs?: number): number => {
      const recorder = createRecorder(false, undefined, lastsMs);
      recorder.sent(0);
      return recorder.finish(1, stoppedUs).seconds.length;
    };
    expect(secondsOf(3_000_700)).toBe(4);
    expect(secondsOf(3_000_700, 3000)).toBe(3);
    expect(secondsOf(2_200_000, 3000)).toBe(3);
    expect(secondsOf(900_000, 3000)).toBe(1);
  });

  it("says that nothing was sent where nothing was", () => {
    expect(createRecorder(false).finish(0, 12)).toMatchObject({ firstSentUs: null, sent: 0, seconds: [] });
  });
});
