import { describe, expect, it } from "vitest";
import type { CompleteMeasurement } from "../model/measurement.js";
import type { Load, LoadProgress } from "../plugin.js";
import { sum } from "../stats/descriptive.js";
import { decodeHistogram } from "../stats/histogram.js";
import { aRequest } from "../test-support/fixtures.js";
import { aLoad } from "../test-support/load.js";
import { createFakeEngine, type FakeRun } from "./fake-engine.js";

/** Runs a load of 10 connections for 4 s, or what differs from it, by an engine that sees this. */
async function run(
  load: Partial<Load> = {},
  seen: FakeRun = {},
): Promise<{ readonly measurement: CompleteMeasurement; readonly told: readonly LoadProgress[] }> {
  const told: LoadProgress[] = [];
  const { measurement } = await createFakeEngine({ see: () => seen }).run(
    aLoad({ connections: 10, durationMs: 4000 }, load),
    {
      signal: new AbortController().signal,
      children: { acquire: () => [], close: async () => {} },
      folder: ".",
      onProgress: (progress) => void told.push(progress),
    },
  );
  return { measurement: measurement as CompleteMeasurement, told };
}

describe("a fake engine", () => {
  it("tells of its progress what its measurement says in the end, and of no second before one is over", async () => {
    const { measurement, told } = await run({}, { requests: { non2xx: 100 } });
    expect(told.map(({ failed, elapsedMs }) => [failed, elapsedMs])).toEqual([
      [50, 2000],
      [100, 4000],
    ]);
    expect(told.map(({ latest }) => latest)).toEqual([measurement.timeline[1], measurement.timeline[3]]);
    const short = await run({ level: { connections: 10, durationMs: 500 } });
    expect(short.told.map((progress) => "latest" in progress)).toEqual([false, false]);
  });

  it.each([
    { connections: 1, requests: 70 },
    { connections: 50, durationMs: 2500 },
    { connections: 1000, durationMs: 3000 },
  ])("adds up in every second, obeys Little's law, and is the same for the same load: %o", async (level) => {
    const seen = { requests: { non2xx: 20, timedOut: 1 } };
    const { measurement } = await run({ level }, seen);
    const { requests, timeline, histogram } = measurement;
    const { sent, ...outcomes } = requests;
    expect(sum(Object.values(outcomes))).toBe(sent);
    expect(requests).toMatchObject({ non2xx: 20, timedOut: 1 });
    expect(sum(timeline.map((second) => second.sent))).toBe(sent);
    expect(sum(timeline.map((second) => second.ok))).toBe(requests.ok);
    expect(sum(timeline.map(({ failures }) => failures?.non2xx ?? 0))).toBe(20);
    expect(decodeHistogram(histogram).totalCount).toBe(requests.ok);
    for (const { p50, p90, p99, max } of timeline.filter(({ ok }) => ok > 0)) {
      const latencies = [p50, p90, p99, max].map((value) => value ?? Number.NaN);
      expect(latencies).toEqual(latencies.toSorted((a, b) => a - b));
    }
    const { throughput, latency } = (await run({ level })).measurement;
    expect((throughput * (latency?.mean ?? 0)) / 1000 / level.connections).toBeCloseTo(1, 1);
    expect((await run({ level }, seen)).measurement).toEqual(measurement);
  });

  it("gives no more than the capacity of the target, and no latency when nothing was ok", async () => {
    const level = { connections: 100, durationMs: 1000 };
    expect((await run({ level }, { capacity: 800 })).measurement.throughput).toBe(800);
    const failing = await run({ level: { connections: 1, requests: 5 } }, { requests: { resets: 5 } });
    expect(failing.measurement.requests).toMatchObject({ sent: 5, ok: 0, resets: 5 });
    expect(failing.measurement.latency).toBeUndefined();
  });

  it("shares requests out to the entries of a mix by their weights, each with one outcome", async () => {
    const mix = [1, 3, 0.5].map((weight) => ({ name: `of ${weight}`, weight, request: aRequest(), bodies: null }));
    const level = { connections: 9, requests: 450 };
    const { measurement } = await run({ level, mix }, { requests: { non2xx: 45, inFlight: 9 } });
    const { latency } = measurement;
    expect(measurement.mix).toEqual([
      { name: "of 1", sent: 100, ok: 88, failed: 10, latency },
      { name: "of 3", sent: 300, ok: 264, failed: 30, latency },
      { name: "of 0.5", sent: 50, ok: 44, failed: 5, latency },
    ]);
    const none = await run({ level, mix }, { requests: { resets: 450 } });
    expect(none.measurement.mix?.[0]).toEqual({ name: "of 1", sent: 100, ok: 0, failed: 100 });
  });
});
