import { describe, expect, it } from "vitest";
import { decodeHistogram } from "../stats/histogram.js";
import { fakeMeasurement } from "./fake-measurement.js";
import { aRequest } from "../test-support/fixtures.js";

const LEVELS = [
  { connections: 1, requests: 70 },
  { connections: 50, durationMs: 2500 },
  { connections: 1000, durationMs: 3000 },
];

const REQUEST = aRequest();

describe("fakeMeasurement", () => {
  it.each(LEVELS)("adds up: %o", (level) => {
    const { requests, timeline, histogram } = fakeMeasurement({ level }, { requests: { non2xx: 2, dropped: 1 } });
    const { sent, ...outcomes } = requests;
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(sent);
    expect(requests).toMatchObject({ non2xx: 2, dropped: 1 });
    expect(timeline.reduce((sum, second) => sum + second.sent, 0)).toBe(sent);
    expect(timeline.reduce((sum, second) => sum + second.ok, 0)).toBe(requests.ok);
    expect(decodeHistogram(histogram).totalCount).toBe(requests.ok);
  });

  it.each(LEVELS)("obeys Little's law: %o", (level) => {
    const { throughput, latency } = fakeMeasurement({ level }, {});
    expect((throughput * (latency?.mean ?? 0)) / 1000 / level.connections).toBeCloseTo(1, 1);
  });

  it("gives no more than the capacity of the target", () => {
    const level = { connections: 100, durationMs: 1000 };
    expect(fakeMeasurement({ level }, { capacity: 800 }).throughput).toBe(800);
  });

  it("has no latency when nothing was ok", () => {
    const { latency, requests } = fakeMeasurement(
      { level: { connections: 1, requests: 5 } },
      { requests: { resets: 5 } },
    );
    expect(requests).toMatchObject({ sent: 5, ok: 0, resets: 5 });
    expect(latency).toBeUndefined();
  });

  it("raises the users of a ramp second by second, and obeys Little's law in each", () => {
    const ramp = { from: 10, riseMs: 6000, steps: 3 };
    const level = { users: 100, durationMs: 8000 };
    const { timeline, requests, latency } = fakeMeasurement({ level, ramp }, { capacity: 5000 });
    expect(timeline.map(({ users }) => users)).toEqual([10, 10, 40, 40, 70, 70, 100, 100]);
    expect(timeline.map(({ ok }) => Math.round(ok / 100) * 100)).toEqual(
      [10, 10, 40, 40, 70, 70, 100, 100].map((users) => Math.min(5000, users * 100)),
    );
    expect(timeline[0]?.p50).toBeLessThan(timeline[7]?.p50 ?? 0);
    expect(latency?.max).toBe(timeline[7]?.max);
    expect(timeline.reduce((sum, second) => sum + second.ok, 0)).toBe(requests.ok);
  });

  it("tells by class how requests failed in each second, and latencies in their order", () => {
    const failing = { non2xx: 300, timedOut: 7 };
    const { timeline } = fakeMeasurement({ level: { connections: 50, durationMs: 2500 } }, { requests: failing });
    const sumOf = (kind: "non2xx" | "timedOut"): number =>
      timeline.reduce((sum, { failures }) => sum + (failures?.[kind] ?? 0), 0);
    expect({ non2xx: sumOf("non2xx"), timedOut: sumOf("timedOut") }).toEqual(failing);
    for (const { failed, failures, p50, p90, p99, max } of timeline) {
      expect(failed).toBe(Object.values(failures ?? {}).reduce((sum, count) => sum + count, 0));
      const latencies = [p50, p90, p99, max].map((value) => value ?? Number.NaN);
      expect(latencies).toEqual(latencies.toSorted((a, b) => a - b));
    }
  });

  it("shares requests out to the entries of a mix by their weights, each with one outcome", () => {
    const mix = [1, 3, 0.5].map((weight) => ({ name: `of ${weight}`, weight, request: REQUEST, bodies: null }));
    const level = { connections: 9, requests: 450 };
    const { mix: shares, latency } = fakeMeasurement({ level, mix }, { requests: { non2xx: 45, inFlight: 9 } });
    expect(shares).toEqual([
      { name: "of 1", sent: 100, ok: 88, failed: 10, latency },
      { name: "of 3", sent: 300, ok: 264, failed: 30, latency },
      { name: "of 0.5", sent: 50, ok: 44, failed: 5, latency },
    ]);
    const none = fakeMeasurement({ level, mix }, { requests: { resets: 450 } });
    expect(none.mix?.map(({ sent, ok, failed }) => [sent, ok, failed])).toEqual([
      [100, 0, 100],
      [300, 0, 300],
      [50, 0, 50],
    ]);
    expect(none.mix?.[0]).not.toHaveProperty("latency");
  });

  it("is the same for the same load", () => {
    const level = { connections: 50, durationMs: 2500 };
    expect(fakeMeasurement({ level }, {})).toEqual(fakeMeasurement({ level }, {}));
  });
});
