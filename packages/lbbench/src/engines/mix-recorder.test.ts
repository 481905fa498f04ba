import { describe, expect, it } from "vitest";
import type { MixedRequest } from "../model/scenario.js";
import { mergeRecords } from "./merge-records.js";
import { createRecorder } from "./recorder.js";
import type { LoadRecord } from "./record.js";

const MIX = ["a", "b", "c"].map((name) => ({ name }) as MixedRequest);
const START = new Date("2026-11-05T10:00:00.000Z");

/** Requests of the entry b take `latencyUs`; every second of a is refused, and one is never answered. */
function record(requests: number, latencyUs: number): LoadRecord {
  const recorder = createRecorder(true, MIX.length);
  for (let request = 0; request < requests; request += 1) {
    recorder.sent(request, 0);
    recorder.sent(request, 1);
    if (request % 2 === 0) recorder.failed("non2xx", request, request + 500, { status: 503 }, 0);
    else recorder.ok(request, request + 1000, 200, 0);
    recorder.ok(request, request + latencyUs, 200, 1);
  }
  recorder.sent(requests, 0);
  return recorder.finish(1, null);
}

describe("a record of a mix", () => {
  it("has every entry, with its counts and its latency", () => {
    const { mix } = record(10, 3000);
    expect(mix).toMatchObject([
      { sent: 11, ok: 5, failed: 5, latency: { count: 5, minUs: 1000, maxUs: 1000 } },
      { sent: 10, ok: 10, failed: 0, latency: { count: 10, minUs: 3000, maxUs: 3000 } },
      { sent: 0, ok: 0, failed: 0, latency: null },
    ]);
  });

  it("says nothing of entries without a mix", () => {
    expect(createRecorder(false).finish(0, null)).not.toHaveProperty("mix");
  });

  it("takes no more room for a hundred times as many requests", () => {
    const sizes = [1000, 100_000].map((requests) => JSON.stringify(record(requests, 3000).mix).length);
    expect((sizes[1] ?? 0) - (sizes[0] ?? 0)).toBeLessThan(100);
  });

  it("refuses an entry that there is none of", () => {
    expect(() => createRecorder(false, 2).sent(0, 2)).toThrow("There is no entry 2 in a mix of 2");
  });

  it("is added to those of other generators, in the order of the mix, percentiles of all requests together", () => {
    const { mix } = mergeRecords([record(10, 2000), record(30, 40_000)], { connections: 2 }, START, MIX);
    expect(mix).toMatchObject([
      { name: "a", sent: 42, ok: 20, failed: 20, latency: { min: 1, max: 1 } },
      { name: "b", sent: 40, ok: 40, failed: 0, latency: { min: 2, mean: 30.5, max: 40 } },
      { name: "c", sent: 0, ok: 0, failed: 0 },
    ]);
    expect(mix?.[1]?.latency?.p50).toBeCloseTo(40, 0);
    expect(mix?.[2]).not.toHaveProperty("latency");
    expect(mergeRecords([record(1, 1000)], { connections: 1 }, START)).not.toHaveProperty("mix");
  });
});
