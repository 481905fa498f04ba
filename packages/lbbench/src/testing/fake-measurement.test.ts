import { describe, expect, it } from "vitest";
import { decodeHistogram } from "../stats/histogram.js";
import { fakeMeasurement } from "./fake-measurement.js";

const LEVELS = [
  { connections: 1, requests: 70 },
  { connections: 50, durationMs: 2500 },
  { connections: 1000, durationMs: 3000 },
];

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

  it("is the same for the same load", () => {
    const level = { connections: 50, durationMs: 2500 };
    expect(fakeMeasurement({ level }, {})).toEqual(fakeMeasurement({ level }, {}));
  });
});
