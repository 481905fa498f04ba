import { describe, expect, it } from "vitest";
import { decodeHistogram } from "../stats/histogram.js";
import { mergeRecords } from "./merge-records.js";
import { createRecorder } from "./recorder.js";
import type { LoadRecord } from "./record.js";

const START = new Date("2026-11-05T10:00:00.000Z");

/** Records ok requests, given as pairs of microseconds: sent and answered. */
function record(
  requests: readonly (readonly [sentUs: number, doneUs: number])[],
  stoppedUs: number | null = null,
): LoadRecord {
  const recorder = createRecorder(true);
  const events = requests.flatMap(([sentUs, doneUs]) => [
    { atUs: sentUs, enter: () => recorder.sent(sentUs) },
    { atUs: doneUs, enter: () => recorder.ok(sentUs, doneUs, 200) },
  ]);
  for (const { enter } of events.toSorted((a, b) => a.atUs - b.atUs)) enter();
  return recorder.finish(0, stoppedUs);
}

describe("mergeRecords", () => {
  it("lasts from the first request of any generator to the last outcome of any", () => {
    const merged = mergeRecords(
      [
        record([[2000, 5000]]),
        record([
          [1000, 3000],
          [3000, 9000],
        ]),
      ],
      { connections: 2 },
      START,
    );
    expect(merged.elapsedMs).toBe(8);
    expect(merged.throughput).toBeCloseTo(3 / 0.008, 9);
    expect(merged.startedAt).toBe("2026-11-05T10:00:00.001Z");
  });

  it("lasts until it was stopped where it was", () => {
    const merged = mergeRecords([record([[0, 5000]], 20_000), record([[0, 6000]], 21_000)], { connections: 2 }, START);
    expect(merged.elapsedMs).toBe(21);
  });

  it("adds up counts, bytes and codes", () => {
    const parts = [1, 2, 3].map((count) => {
      const recorder = createRecorder(true);
      for (let index = 0; index < count; index += 1) {
        recorder.connected(index === 0);
        recorder.sent(0);
        recorder.sent(0);
        recorder.ok(0, 1000, 200);
        recorder.failed("resets", 0, 1000, { code: "ECONNRESET" });
        recorder.written(10);
        recorder.received(7);
        recorder.body(5);
      }
      return recorder.finish(count, null);
    });
    const merged = mergeRecords(parts, { connections: 9 }, START);
    expect(merged).toMatchObject({
      requests: { sent: 12, ok: 6, resets: 6, inFlight: 6, non2xx: 0 },
      connections: { asked: 9, opened: 3, established: 6 },
      statusCodes: { "200": 6 },
      errorCodes: { ECONNRESET: 6 },
      bytes: { sent: 60, received: 42, body: 30 },
      failedLatency: { min: 1, max: 1, mean: 1 },
    });
  });

  it("merges latencies, so that percentiles are those of all requests together", () => {
    const fast = Array.from({ length: 90 }, (_, index) => [index, index + 1000] as const);
    const slow = Array.from({ length: 10 }, (_, index) => [index, index + 100_000] as const);
    const { latency, histogram } = mergeRecords([record(fast), record(slow)], { connections: 2 }, START);
    expect(latency).toMatchObject({ min: 1, p50: 1, p90: 1, max: 100 });
    expect(latency?.p95).toBeCloseTo(100, 0);
    expect(latency?.mean).toBeCloseTo((90 * 1 + 10 * 100) / 100, 6);
    expect(decodeHistogram(histogram).totalCount).toBe(100);
  });

  it("puts seconds of generators beside each other that did not last equally long", () => {
    const merged = mergeRecords(
      [
        record([[0, 1000]]),
        record([
          [0, 3000],
          [10, 1_200_000],
        ]),
      ],
      { connections: 2 },
      START,
    );
    expect(merged.timeline).toMatchObject([
      { second: 0, sent: 3, ok: 2, failed: 0, failures: {}, p50: 1, max: 3 },
      { second: 1, sent: 0, ok: 1, failed: 0 },
    ]);
    expect(merged.timeline[0]?.p99).toBeCloseTo(3, 2);
    expect(merged.timeline[1]?.p50).toBeCloseTo(1199.99, 0);
  });

  it("adds up failures by class, and users where they were asked for, second by second", () => {
    const parts = [1, 2].map((count) => {
      const recorder = createRecorder(true);
      for (let user = 0; user < count; user += 1) {
        recorder.userStarted(0);
        recorder.sent(0);
        recorder.failed("non2xx", 0, 500, { status: 503 });
      }
      for (let user = 0; user < count; user += 1) recorder.sent(1_500_000);
      for (let user = 0; user < count; user += 1) recorder.failed("timedOut", 1_500_000, 2_000_000 * count, {});
      return recorder.finish(0, null);
    });
    const { timeline } = mergeRecords(parts, { users: 3 }, START);
    expect(timeline.map(({ failures, users }) => [failures, users])).toEqual([
      [{ non2xx: 3 }, 3],
      [{}, 3],
      [{ timedOut: 1 }, 3],
      [{}, 2],
      [{ timedOut: 2 }, 2],
    ]);
    expect(mergeRecords(parts, { connections: 3 }, START).timeline[0]).not.toHaveProperty("users");
  });

  it("asks for a connection of each user, unless they share some", () => {
    expect(mergeRecords([record([[0, 1]])], { users: 9 }, START).connections.asked).toBe(9);
    expect(mergeRecords([record([[0, 1]])], { users: 9, connections: 4 }, START).connections.asked).toBe(4);
  });

  it("has no latency, no rate and no duration without a request", () => {
    const merged = mergeRecords(
      [createRecorder(true).finish(0, 50), createRecorder(true).finish(0, 60)],
      { connections: 2 },
      START,
    );
    expect(merged).toMatchObject({ elapsedMs: 0, throughput: 0, timeline: [], startedAt: START.toISOString() });
    expect(merged).not.toHaveProperty("latency");
    expect(merged).not.toHaveProperty("failedLatency");
    expect(decodeHistogram(merged.histogram).totalCount).toBe(0);
  });

  it("gives the same for one generator as for its parts", () => {
    const requests = Array.from(
      { length: 300 },
      (_, index) => [index * 7000, index * 7000 + 500 + ((index * 37) % 900)] as const,
    );
    const whole = mergeRecords([record(requests)], { connections: 3 }, START);
    const parts = mergeRecords(
      [0, 1, 2].map((part) => record(requests.filter((_, index) => index % 3 === part))),
      { connections: 3 },
      START,
    );
    expect({ ...parts, histogram: "", latency: {} }).toEqual({ ...whole, histogram: "", latency: {} });
    expect(parts.latency?.p99).toBe(whole.latency?.p99);
    expect(parts.latency?.stddev).toBeCloseTo(whole.latency?.stddev ?? Number.NaN, 9);
    expect(decodeHistogram(parts.histogram).totalCount).toBe(300);
  });
});
