import { describe, expect, it } from "vitest";
import type { CompleteMeasurement, FailureClass } from "../model/measurement.js";
import type { MixedRequest } from "../model/scenario.js";
import { decodeHistogram } from "../stats/histogram.js";
import { latencyCell } from "../stats/latency-cells.js";
import { mergeRecords, type Asked } from "./merge.js";
import { Recorder, type LoadRecord } from "./recorder.js";

const START = new Date("2026-11-05T10:00:00.000Z");
const SECOND_US = 1_000_000;

/** Something that is entered in a record, in seconds from the common start. */
type Entered = readonly [atS: number, enter: (recorder: Recorder, atUs: number) => void];

/** A request with its answer, in the entry of a mix if there is one. */
function ok(sentS: number, doneS: number, entry?: number): readonly Entered[] {
  return [
    [sentS, (recorder, us) => recorder.sent(us, entry)],
    [doneS, (recorder, us) => recorder.ok(sentS * SECOND_US, us, 200, entry)],
  ];
}

function failed(
  kind: FailureClass,
  sentS: number,
  doneS: number,
  why: object = {},
  entry?: number,
): readonly Entered[] {
  return [
    [sentS, (recorder, us) => recorder.sent(us, entry)],
    [doneS, (recorder, us) => recorder.failed(kind, sentS * SECOND_US, us, why, entry)],
  ];
}

const open = (sentS: number): readonly Entered[] => [[sentS, (recorder, us) => recorder.sent(us)]];
const comes = (atS: number): readonly Entered[] => [[atS, (recorder, us) => recorder.users(us, 1)]];
const goes = (atS: number): readonly Entered[] => [[atS, (recorder, us) => recorder.users(us, -1)]];

interface RecordOptions {
  readonly inFlight?: number;
  /** When it was stopped, in seconds; it ended by itself without this. */
  readonly stoppedS?: number;
  /** After which time it was to be cut. */
  readonly lastsMs?: number;
  readonly entries?: number;
  readonly sliceMs?: number;
  /** Seconds that are read once their end has come, in order. */
  readonly read?: readonly number[];
}

/** Records what happened, in the order of time. */
function record(events: readonly (readonly Entered[])[], options: RecordOptions = {}): LoadRecord {
  const { inFlight = 0, stoppedS, lastsMs, entries, sliceMs, read = [] } = options;
  const recorder = new Recorder({ mergeable: true, entries, lastsMs, sliceMs });
  for (const [atS, enter] of events.flat().toSorted(([a], [b]) => a - b)) enter(recorder, atS * SECOND_US);
  for (const second of read) recorder.readSecond(second, (second + 1) * SECOND_US);
  return recorder.finish(inFlight, stoppedS === undefined ? null : stoppedS * SECOND_US);
}

function measurementOf(records: readonly LoadRecord[], asked: Asked = { connections: 2 }): CompleteMeasurement {
  return mergeRecords(records, asked, START);
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

describe("a record", () => {
  it("counts every request once, by its outcome, and keeps latencies of ok answers and of failed requests apart", () => {
    const recorder = new Recorder({ mergeable: false });
    for (let request = 0; request < 8; request += 1) recorder.sent(request * 10);
    recorder.ok(0, 1000, 200);
    recorder.ok(10, 2010.5, 204);
    recorder.failed("non2xx", 20, 3020, { status: 503 });
    recorder.failed("resets", 40, 3040, { code: "ECONNRESET" });
    // It had no connection, and so no latency.
    recorder.failed("connectErrors", 50, 3000, { code: "ECONNREFUSED" });
    recorder.failed("dropped", 60, 4060, {});
    recorder.failed("mismatched", 70, 4070, { status: 200 });
    expect(recorder.progress()).toEqual({ sent: 8, done: 7, failed: 5 });
    Object.assign(recorder.counts, { opened: 2, established: 3, written: 200, received: 70, body: 20 });
    const { requests, latencies, ...rest } = recorder.finish(1, 5000);
    expect(Object.entries(requests).join(" ")).toBe(
      "sent,8 ok,2 non2xx,1 mismatched,1 connectErrors,1 resets,1 dropped,1 timedOut,0 inFlight,1",
    );
    expect(rest).toMatchObject({
      statusCodes: { "200": 2, "204": 1, "503": 1 },
      errorCodes: { ECONNRESET: 1, ECONNREFUSED: 1 },
      counts: { opened: 2, established: 3, received: 70, body: 20, written: 200, unsent: 0, needed: 0 },
      firstSentUs: 0,
      endUs: 5000,
    });
    expect(Object.keys(latencies)).toEqual(["ok", "failed"]);
    const { ok: answered, failed: lost } = latencies;
    expect(answered).toMatchObject({ count: 2, minUs: 1000, maxUs: 2000.5, sumUs: 3000.5 });
    expect(answered?.sumSquaresUs).toBeCloseTo(1000 ** 2 + 2000.5 ** 2, 6);
    expect(decodeHistogram(answered?.histogram ?? "").totalCount).toBe(2);
    expect(lost).toMatchObject({ count: 4, minUs: 3000, maxUs: 4000 });
  });

  /** Sent, ok and failed of each second. */
  const timeline = ({ seconds }: LoadRecord): string =>
    seconds.map(({ sent, ok: answered, failed: lost }) => `${sent}/${answered}/${lost}`).join(" ");

  it.each<[string, readonly (readonly Entered[])[], RecordOptions, string]>([
    ["of nothing", [], { stoppedS: 0.1 }, ""],
    ["that counts an outcome when it comes", [ok(0, 1), ok(0.999999, 1.5)], {}, "2/0/0 0/2/0"],
    ["without a gap", [ok(0.1, 3.5), failed("resets", 0.1, 0.2)], {}, "2/0/1 0/0/0 0/0/0 0/1/0"],
    ["up to its end, where it is stopped", [open(0.1)], { stoppedS: 3.2 }, "1/0/0 0/0/0 0/0/0 0/0/0"],
    ["that ends with a second", [open(0.1)], { stoppedS: 1 }, "1/0/0"],
    ["that ends a moment later", [open(0.1)], { stoppedS: 1.000001 }, "1/0/0 0/0/0"],
    ["whose timer rings late", [ok(0, 2.001)], { stoppedS: 2.002, lastsMs: 2000 }, "1/0/0 0/1/0"],
    ["whose timer rings late in a second", [ok(0, 1.101)], { stoppedS: 1.102, lastsMs: 400 }, "1/1/0"],
    ["that is cut short", [ok(0, 0.8)], { stoppedS: 0.9, lastsMs: 3000 }, "1/1/0"],
  ])("has a timeline %s", (_, events, options, expected) => {
    const recorded = record(events, options);
    expect(timeline(recorded)).toBe(expected);
    expect(recorded.seconds.map(({ second }) => second)).toEqual(numbers(recorded.seconds.length));
    // Whether it was read on the way or not.
    expect(record(events, { ...options, read: [0, 1, 2, 3, 4] }).seconds).toEqual(recorded.seconds);
  });

  it("tells by second how requests failed, and the users who had come by its end and had not left", () => {
    const { seconds } = record([
      ...["non2xx", "non2xx", "timedOut"].map((kind) => failed(kind as FailureClass, 0, 0.1)),
      failed("resets", 0, 1),
      ok(0, 4.5),
      ...[0, 0.999999, 1, 3.1].map(comes),
      ...[3, 3.2].map(goes),
    ]);
    expect(seconds.map(({ failures, users }) => [failures, users])).toEqual([
      [{ non2xx: 2, timedOut: 1 }, 2],
      [{ resets: 1 }, 3],
      [{}, 3],
      [{}, 2],
      [{}, 2],
    ]);
  });

  it("has latencies for each second alone, none above the longest, which is exact", () => {
    const { seconds } = record([ok(0, 0.001), ...numbers(100).map((index) => ok(0.5, 1 + (index + 1) * 0.001003))]);
    expect(seconds[0]).toMatchObject({ p50: 1, p99: 1, max: 1 });
    const { p50, p99, max, histogram } = seconds[1] ?? {};
    expect(max).toBeCloseTo(600.3, 6);
    expect(p99).toBeLessThanOrEqual(max ?? Number.NaN);
    expect(p50).toBeCloseTo(550.15, -1);
    expect(decodeHistogram(histogram ?? "").totalCount).toBe(100);
  });
});

describe("slices", () => {
  const events = [ok(0, 0.001), ok(0.05, 0.35), failed("resets", 0.1, 0.11), failed("non2xx", 0.1, 0.32), open(0.45)];
  const sliced = { sliceMs: 100, stoppedS: 0.6 };
  const cells = [[latencyCell(1000), 1]];

  it("count what left and what ended in them, without a gap, and are there only where they are asked for", () => {
    const slices = {
      ms: 100,
      sent: [2, 2, 0, 0, 1, 0],
      ok: [1, 0, 0, 1, 0, 0],
      failures: { resets: [0, 1, 0, 0, 0, 0], non2xx: [0, 0, 0, 1, 0, 0] },
      latencies: [cells, [], [], [[latencyCell(300_000), 1]], [], []],
    };
    expect(record(events, sliced).slices).toEqual(slices);
    expect(record(events, { stoppedS: 0.6 })).not.toHaveProperty("slices");
  });

  it("of several generators add up, also where they did not last equally long", () => {
    const short = record([ok(0, 0.001), failed("resets", 0, 0.25)], { sliceMs: 100 });
    expect(measurementOf([record(events, sliced), short]).slices).toEqual({
      ms: 100,
      sent: [4, 2, 0, 0, 1, 0],
      ok: [2, 0, 0, 1, 0, 0],
      failures: { resets: [0, 1, 1, 0, 0, 0], non2xx: [0, 0, 0, 1, 0, 0] },
      latencies: [[[latencyCell(1000), 2]], [], [], [[latencyCell(300_000), 1]], [], []],
    });
    expect(measurementOf([record(events)])).not.toHaveProperty("slices");
  });
});

describe("records of several generators", () => {
  it("make the same measurement as one of all requests, with percentiles that are never averages", () => {
    const requests = numbers(300).map((index) =>
      ok(index * 0.007, index * 0.007 + 0.0005 + ((index * 37) % 900) / 1e6),
    );
    const whole = measurementOf([record(requests)]);
    const parts = measurementOf([0, 1, 2].map((part) => record(requests.filter((_, index) => index % 3 === part))));
    const close = (value = Number.NaN) => expect.closeTo(value, 9) as number;
    const { mean, stddev } = whole.latency ?? {};
    const latency = { ...whole.latency, mean: close(mean), stddev: close(stddev) };
    expect({ ...parts, histogram: "" }).toEqual({ ...whole, histogram: "", latency });
    expect(decodeHistogram(parts.histogram).totalCount).toBe(300);
  });

  it("last from the first request of any to the last answer of any, or until they were stopped", () => {
    const merged = measurementOf([record([ok(0.002, 0.005)]), record([ok(0.001, 0.003), ok(0.003, 0.009)])]);
    expect(merged).toMatchObject({ elapsedMs: 8, startedAt: "2026-11-05T10:00:00.001Z" });
    expect(merged.throughput).toBeCloseTo(3 / 0.008, 9);
    const stopped = [0.02, 0.021].map((stoppedS) => record([ok(0, 0.005)], { stoppedS }));
    expect(measurementOf(stopped).elapsedMs).toBe(21);
  });

  it("add up second by second, also where they did not last equally long, with users where these were asked for", () => {
    const parts = [1, 2].map((count) =>
      record(
        numbers(count).flatMap(() => [
          comes(0),
          failed("non2xx", 0, 0.1, { status: 503 }),
          failed("timedOut", 1.5, 2 * count),
        ]),
      ),
    );
    const { timeline, requests, connections, statusCodes } = measurementOf(parts, { users: 3 });
    expect(timeline.map(({ sent, failures, users }) => [sent, failures, users])).toEqual([
      [3, { non2xx: 3 }, 3],
      [3, {}, 3],
      [0, { timedOut: 1 }, 3],
      [0, {}, 2],
      [0, { timedOut: 2 }, 2],
    ]);
    expect(requests).toMatchObject({ sent: 6, non2xx: 3, timedOut: 3 });
    expect(statusCodes).toEqual({ "503": 3 });
    expect(connections.asked).toBe(3);
    expect(measurementOf(parts, { users: 9, connections: 4 }).connections.asked).toBe(4);
    expect(measurementOf(parts).timeline[0]).not.toHaveProperty("users");
  });

  it("have no latency, no rate and no duration without a request", () => {
    const merged = measurementOf([record([], { stoppedS: 0.05 }), record([], { stoppedS: 0.06 })]);
    expect(merged).toMatchObject({ elapsedMs: 0, throughput: 0, timeline: [], startedAt: START.toISOString() });
    expect(merged).not.toHaveProperty("latency");
    expect(merged).not.toHaveProperty("failedLatency");
    expect(decodeHistogram(merged.histogram).totalCount).toBe(0);
  });

  it("have the events of streams, also where no stream began while they were measured", () => {
    const event = (isFirst: boolean, s: number): readonly Entered[] => [
      [s, (recorder, us) => recorder.event(isFirst, us)],
    ];
    const begun = record([open(0), event(false, 1), event(false, 3)]);
    expect(measurementOf([begun]).events).toEqual({ count: 2, gap: expect.objectContaining({ min: 1000, max: 3000 }) });
    expect(measurementOf([begun, record([open(0), event(true, 2)])]).events).toMatchObject({
      count: 3,
      first: { min: 2000 },
      gap: { max: 3000 },
    });
    expect(measurementOf([record([open(0)])])).not.toHaveProperty("events");
  });

  it("have every entry of a mix with its counts and its latency, in the order of the mix", () => {
    const part = (requests: number, tookS: number): LoadRecord =>
      record(
        numbers(requests).flatMap((index) => [
          index % 2 === 0 ? failed("non2xx", 0, 0.0005, { status: 503 }, 0) : ok(0, 0.001, 0),
          ok(0, tookS, 1),
        ]),
        { entries: 3 },
      );
    const mix = ["a", "b", "c"].map((name) => ({ name }) as MixedRequest);
    const { mix: told } = mergeRecords([part(10, 0.002), part(30, 0.04)], { connections: 2 }, START, mix);
    expect(told).toMatchObject([
      { name: "a", sent: 40, ok: 20, failed: 20, latency: { min: 1, max: 1 } },
      { name: "b", sent: 40, ok: 40, failed: 0, latency: { min: 2, mean: 30.5, max: 40 } },
      { name: "c", sent: 0, ok: 0, failed: 0 },
    ]);
    expect(told?.[1]?.latency?.p50).toBeCloseTo(40, 0);
    expect(told?.[2]).not.toHaveProperty("latency");
    expect(measurementOf([part(1, 0.001)])).not.toHaveProperty("mix");
    // However many requests there are.
    const [few = 0, many = 0] = [1000, 20_000].map((requests) => JSON.stringify(part(requests, 0.003).mix).length);
    expect(many - few).toBeLessThan(100);
  });
});
