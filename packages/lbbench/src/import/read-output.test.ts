import { describe, expect, it } from "vitest";
import { keptText } from "./test-support/kept-output.js";
import { readText } from "./test-support/read-text.js";
import type { NotInOutput } from "./imported-run.js";
import type { ReadRun } from "./read-block.js";

function only(name: string, told: NotInOutput = name.startsWith("hey/") ? { connections: 10 } : {}): ReadRun {
  const [run, ...others] = readText(keptText(name), told);
  if (run === undefined || others.length > 0) throw new Error(`expected one run in ${name}`);
  return run;
}

describe("output of ab", () => {
  it("tells address, level and what was answered", () => {
    const run = only("ab/keep-alive");
    expect(run).toMatchObject({
      program: "ab",
      version: "2.3",
      url: "http://127.0.0.1:18765/slow",
      connections: 20,
      amount: { requests: 2000 },
      keepAlive: true,
      doubts: [],
    });
    expect(run.figures?.requests).toEqual({
      sent: 2000,
      ok: 2000,
      non2xx: 0,
      connectErrors: 0,
      resets: 0,
      unclassified: 0,
    });
    expect(run.figures?.latency).toMatchObject({ p50: 32, p99: 42 });
    expect(run.figures?.latency).not.toHaveProperty("p999");
  });

  it("gives the latencies of answers that all failed to failed ones", () => {
    const { figures } = only("ab/all-503");
    expect(figures?.requests).toMatchObject({ sent: 1000, ok: 0, non2xx: 1000 });
    expect(figures?.latency).toBeUndefined();
    expect(figures?.failedLatency).toMatchObject({ p50: 14, max: 31 });
  });

  it("gives latencies in which good and failed answers are mixed to neither", () => {
    const { figures } = only("ab/mixed");
    expect(figures?.requests).toMatchObject({ sent: 1000, ok: 900, non2xx: 100 });
    expect(figures).not.toHaveProperty("latency");
    expect(figures).not.toHaveProperty("failedLatency");
  });

  it("says that it is not known how many were good where most pages have another length than the first", () => {
    const doubts = [
      { figure: "errors", because: "other-lengths" },
      { figure: "throughput", because: "other-lengths" },
    ];
    const run = only("ab/vary");
    expect(run).toMatchObject({ keepAlive: false, doubts });
    expect(run.figures?.requests).toMatchObject({ sent: 500, ok: 500, unclassified: 0 });
    expect(run.figures).not.toHaveProperty("latency");
    // Every tenth had status 503 and another length, the first answer among them: 450 were good.
    expect(only("ab/odd-first")).toMatchObject({
      figures: { requests: { sent: 500, ok: 450, non2xx: 50, unclassified: 0 } },
      doubts,
    });
    // The same with a good answer first: which of the other lengths had another status is not told.
    expect(only("ab/mixed").doubts).toEqual(doubts);
  });

  it.each([
    [
      "a level that its time per request is not of",
      "ab/slow",
      "Concurrency Level:      20",
      "Concurrency Level:      200",
    ],
    ["a level of no connections", "ab/slow", "Concurrency Level:      20", "Concurrency Level:      0"],
    [
      "other bytes than its transfer rate is of",
      "ab/slow",
      "Total transferred:      54600",
      "Total transferred:      64600",
    ],
    ["another transfer rate", "ab/slow", "Transfer rate:          53.08", "Transfer rate:          54.08"],
    ["another time per request", "ab/slow", "1.674 [ms]", "1.774 [ms]"],
    ["a rate of nothing", "ab/slow", "Requests per second:    597.26", "Requests per second:    0.00"],
    ["port 0", "ab/slow", "Server Port:            18765", "Server Port:            0"],
    ["other bytes per second", "wrk/latency", "Transfer/sec:     86.68KB", "Transfer/sec:     96.68KB"],
    ["other bytes", "wrk/latency", "173.75KB read", "17.75KB read"],
    ["no bytes", "wrk/latency", "Transfer/sec:     86.68KB", "Transfer/sec:     0.00B"],
    ["a rate of no requests", "wrk/latency", "  1280 requests in", "  0 requests in"],
    ["requests without a rate", "wrk/latency", "Requests/sec:    638.60", "Requests/sec:    0.00"],
    ["a time of nothing", "wrk/latency", "Running 2s", "Running 0s"],
  ])("is refused where it contradicts itself: %s", (_, name, from, to) => {
    const text = keptText(name);
    expect(text).toContain(from);
    expect(() => readText(text)).not.toThrow();
    expect(() => readText(text.replace(from, to))).toThrow(/^saved\.txt:\d+/);
  });

  it("is refused where a rate of hey is 0, and there were answers", () => {
    const text = keptText("hey/slow").replace(/Requests\/sec:\t.*/, "Requests/sec:\t0.0000");
    expect(text).not.toBe(keptText("hey/slow"));
    expect(() => readText(text, { connections: 10 })).toThrow(/^saved\.txt:\d+.* do not make the 0\.0000 requests/);
  });

  it("takes the time of its one request for every percentile", () => {
    expect(only("ab/one").figures?.latency).toMatchObject({ min: 1, p50: 1, p99: 1, max: 1 });
  });

  it("says of lengths that do not matter (-l) that closed connections may be among the good", () => {
    const [run] = readText(keptText("ab/slow").replace(/Document Length: .*/, "Document Length:        Variable"));
    expect(run?.figures?.requests).toMatchObject({ sent: 600, ok: 600 });
    expect(run?.doubts).toEqual([{ figure: "errors", because: "closed-uncounted" }]);
  });

  it("counts empty answers that all have another status as failed", () => {
    const empty = keptText("ab/all-503").replace(/Document Length: .*/, "Document Length:        0 bytes");
    expect(readText(empty)[0]).toMatchObject({ figures: { requests: { ok: 0, non2xx: 1000 } }, doubts: [] });
  });

  it("knows the time of a run by its command, or by who imports it, and the number of its requests otherwise", () => {
    const text = keptText("ab/timed");
    expect(readText(text)[0]?.amount).toEqual({ requests: 152 });
    expect(readText(`$ ab -k -t 1 -c 5 http://127.0.0.1:18765/slow\n${text}`)[0]?.amount).toEqual({ durationMs: 1000 });
    expect(readText(text, { durationMs: 1000 })[0]?.amount).toEqual({ durationMs: 1000 });
  });

  it("makes a run that failed of one that ab gave up, where its command says at what level", () => {
    const text = keptText("../refused-output/gave-up");
    expect(() => readText(text)).toThrow(
      /^saved\.txt:1-\d+: ab gave up \(apr_socket_recv: Connection refused \(111\)\)/,
    );
    const [run] = readText(`$ ab -n 100 -c 10 http://127.0.0.1:18766/\n${text}`);
    expect(run).toMatchObject({
      connections: 10,
      amount: { requests: 100 },
      failure: expect.stringContaining("refused"),
    });
    expect(run?.figures).toBeUndefined();
  });
});

describe("output of wrk", () => {
  it("tells address, level, time and latencies, and no p95", () => {
    const run = only("wrk/latency");
    expect(run).toMatchObject({
      program: "wrk",
      url: "http://127.0.0.1:18765/slow",
      connections: 20,
      amount: { durationMs: 2000 },
      keepAlive: null,
    });
    expect(run.figures?.latency).toEqual({
      mean: 31.09,
      stddev: 0.70608,
      p50: 31.08,
      p75: 31.41,
      p90: 32,
      p99: 33.44,
      max: 34.48,
    });
    // More exactly than the 2.00 s that it prints.
    expect(run.figures?.elapsedMs).toBeCloseTo((1280 / 638.6) * 1000, 6);
    expect(run.figures?.bytes).toEqual({ received: 177_920 });
  });

  it("has no percentiles without --latency", () => {
    expect(only("wrk/plain").figures?.latency).toEqual({ mean: 31.58, stddev: 3.28, max: 58.47 });
  });

  it("tells statuses above 399, late answers and closed connections", () => {
    expect(only("wrk/all-503").figures).toMatchObject({
      requests: { ok: 0, non2xx: 36_789 },
      failedLatency: { p50: 0.266 },
    });
    expect(only("wrk/mixed").figures?.requests).toMatchObject({ sent: 48_219, ok: 43_397, non2xx: 4822 });
    expect(only("wrk/mixed").figures).not.toHaveProperty("latency");
    expect(only("wrk/late").figures?.requests).toMatchObject({ sent: 88, ok: 78, timedOut: 10 });
    expect(only("wrk/close").figures?.requests).toMatchObject({ sent: 1991, ok: 1791, unclassified: 200 });
    expect(only("wrk/redirect").figures?.requests).toMatchObject({ sent: 42_869, ok: 42_869, non2xx: 0 });
    expect(only("wrk/hang").figures).toMatchObject({ requests: { sent: 0, ok: 0 } });
  });

  it("doubts percentiles that wrk has added latencies to, and leaves out their mean", () => {
    expect(only("wrk/latency").doubts).toEqual([]);
    const run = only("wrk/redirect");
    expect(run.doubts).toEqual([{ figure: "latency", because: "made-up-latencies" }]);
    expect(run.figures?.latency).toEqual({ p50: 0.075, p75: 0.123, p90: 0.227, p99: 2.74, max: 4.38 });
  });

  it("knows that threads get the same number of connections, so that some are not opened", () => {
    const text = keptText("wrk/plain").replace("1 threads and 10", "3 threads and 10");
    expect(readText(text)[0]).toMatchObject({ connections: 10, opened: 9 });
  });
});

describe("output of hey", () => {
  it("needs the connections, and an address, from elsewhere", () => {
    expect(() => only("hey/slow", {})).toThrow(
      /^saved\.txt:\d+-\d+: hey does not tell how many connections it had: say so with --connections N/,
    );
    expect(only("hey/slow")).toMatchObject({
      program: "hey",
      connections: 10,
      amount: { requests: 500 },
      keepAlive: null,
    });
    expect(only("hey/slow")).not.toHaveProperty("url");
    const [run] = readText(`$ hey -n 500 -c 20 "http://127.0.0.1:18765/slow" > runs.txt\n${keptText("hey/slow")}`, {});
    expect(run).toMatchObject({ url: "http://127.0.0.1:18765/slow", connections: 20 });
    expect(readText(`hey -z 2s -c 20 http://a/\n${keptText("hey/slow")}`, {})[0]?.amount).toEqual({ durationMs: 2000 });
  });

  it("tells statuses and errors", () => {
    expect(only("hey/mixed").figures).toMatchObject({
      requests: { sent: 500, ok: 450, non2xx: 50 },
      statusCodes: { 200: 450, 500: 50 },
    });
    expect(only("hey/mixed").figures).not.toHaveProperty("latency");
    expect(only("hey/timeouts").figures?.requests).toMatchObject({ sent: 40, ok: 32, timedOut: 8 });
    expect(only("hey/all-503").figures).toMatchObject({ requests: { ok: 0 }, failedLatency: expect.anything() });
  });
});

describe("JSON of autocannon", () => {
  it("tells of a run by time what was answered, and the time to the millisecond", () => {
    const run = only("autocannon/timed");
    expect(run).toMatchObject({
      program: "autocannon",
      url: "http://127.0.0.1:18765/slow",
      connections: 10,
      amount: { durationMs: 2000 },
      startedAt: "2026-11-22T01:58:01.347Z",
      doubts: [],
    });
    expect(run.figures).toMatchObject({
      elapsedMs: 2017,
      requests: { sent: 630, ok: 630 },
      statusCodes: { 200: 630 },
      bytes: { received: 87_570 },
      latency: { min: 29, mean: 30.9, p50: 30, p75: 31, p90: 31, p99: 57, p999: 58, max: 58 },
    });
    expect(run.figures?.latency).not.toHaveProperty("p95");
  });

  it("doubts the throughput of a run of N requests, which it counts until the next whole second", () => {
    expect(only("autocannon/amount")).toMatchObject({
      amount: { requests: 1000 },
      doubts: [{ figure: "throughput", because: "whole-seconds" }],
    });
  });

  it("counts requests that are missing and cannot have been under way as failed, and doubts how many failed", () => {
    expect(only("autocannon/close")).toMatchObject({
      figures: { requests: { sent: 490, ok: 450, unclassified: 40 } },
      doubts: [{ figure: "errors", because: "closed-uncounted" }],
    });
    expect(only("autocannon/refused").figures?.requests).toMatchObject({ sent: 100, ok: 0, unclassified: 100 });
    expect(only("autocannon/hang").figures?.requests).toMatchObject({ sent: 11, ok: 0, timedOut: 11, unclassified: 0 });
  });

  it("counts nothing as lost with a rate, where it says that more were sent, and doubts latencies that it has added", () => {
    // 300 of 300 requests were answered.
    const run = only("autocannon/rate");
    expect(run).toMatchObject({
      figures: { requests: { sent: 300, ok: 300, unclassified: 0 } },
      doubts: [
        { figure: "errors", because: "closed-uncounted" },
        { figure: "latency", because: "corrected-latencies" },
      ],
    });
    expect(run.figures?.latency).toMatchObject({ p50: 17, p99: 47, max: 61 });
    expect(run.figures?.latency).not.toHaveProperty("mean");
  });

  it("counts nothing as lost where all were answered so fast that a rate does not show", () => {
    const fast = keptText("autocannon/close").replace(/"latency":\{.*?\}/, (latency) =>
      latency.replaceAll(/:[\d.]+/g, ":1").replace('"totalCount":1', '"totalCount":450'),
    );
    const [run] = readText(fast);
    expect(run).toMatchObject({
      figures: { requests: { sent: 450, ok: 450, unclassified: 0 } },
      doubts: [{ figure: "errors", because: "closed-uncounted" }],
    });
  });

  it("has no latency where most took less than a millisecond, which it tells as 0, nor where answers are mixed", () => {
    expect(only("autocannon/all-503").figures).not.toHaveProperty("failedLatency");
    expect(only("autocannon/mixed").figures).not.toHaveProperty("latency");
    expect(only("autocannon/amount").figures?.latency).toMatchObject({ p50: 1, p99: 8 });
    expect(only("autocannon/amount").figures?.latency).not.toHaveProperty("min");
    expect(only("autocannon/amount").figures?.latency).not.toHaveProperty("mean");
  });

  it("takes pipelined requests for those under way", () => {
    const [run] = readText(keptText("autocannon/timed").replace('"pipelining":1', '"pipelining":4'));
    expect(run).toMatchObject({ connections: 40, sockets: 10 });
  });

  it("refuses figures that do not agree with each other", () => {
    const text = keptText("autocannon/timed");
    for (const [from, to] of [
      ['"2xx":630', '"2xx":631'],
      ['"duration":2.02', '"duration":1.02'],
      ['"p99":57', '"p99":30'],
      ['"total":630', '"total":600'],
      ['"non2xx":0', '"non2xx":3'],
    ] as const) {
      expect(text, from).toContain(from);
      expect(() => readText(text.replace(from, to)), from).toThrow(/^saved\.txt:1: autocannon: /);
    }
  });
});

describe("summaries of k6", () => {
  it.each(["k6/slow-export", "k6/slow-data", "k6/machine-readable"])("are read in every format: %s", (name) => {
    const run = only(name, {});
    expect(run).toMatchObject({ program: "k6", connections: 10, amount: { durationMs: 2000 }, doubts: [] });
    expect(run.version).toBe(name === "k6/machine-readable" ? "1.8.1" : null);
    expect(run).not.toHaveProperty("url");
    const { requests, latency, bytes, elapsedMs = 0 } = run.figures ?? {};
    expect(requests).toEqual({ sent: 640, ok: 640, non2xx: 0, unclassified: 0 });
    expect(bytes).toEqual({ received: 88_960 });
    expect(elapsedMs).toBeGreaterThan(2000);
    expect(Object.keys(latency ?? {}).toSorted()).toEqual(["max", "mean", "min", "p50", "p90", "p95"]);
  });

  it("have the percentiles that were asked for", () => {
    expect(only("k6/percentiles-export", {}).figures?.latency).toMatchObject({
      p75: expect.anything(),
      p99: expect.anything(),
      p999: expect.anything(),
    });
  });

  it("tell the latency of good answers apart, and not how others failed", () => {
    const { figures } = only("k6/mixed-export", {});
    expect(figures?.requests).toEqual({ sent: 20_481, ok: 18_433, non2xx: 0, unclassified: 2048 });
    expect(figures?.latency?.mean).toBe(0.8972984257039053);
    expect(only("k6/refused-data", {}).figures?.requests).toMatchObject({ ok: 0, unclassified: 23_499 });
    expect(only("k6/refused-data", {}).figures).not.toHaveProperty("latency");
  });

  it("do not tell the users of a run below a second", () => {
    expect(() => only("k6/all-503-data", {})).toThrow(
      /^saved\.txt:1-\d+: k6: a run that is this short does not tell its virtual users/,
    );
    expect(only("k6/all-503-data", { connections: 10 })).toMatchObject({ connections: 10, amount: { requests: 500 } });
  });

  it("are refused where users send several requests at a time, and doubted where their number changes", () => {
    const text = keptText("k6/slow-data");
    const crowded = text.replaceAll(/"avg": 31\.\d+/g, '"avg": 91.5');
    expect(() => readText(crowded, {})).toThrow("10 virtual users had 29.1 requests under way on average");
    expect(readText(crowded, { connections: 30 })[0]).toMatchObject({ connections: 30 });
    const rising = text.replace(
      /("vus": \{\s*"type": "gauge",\s*"contains": "default",\s*"values": \{\s*"value": 10,\s*"min": )10/,
      "$11",
    );
    expect(rising).not.toBe(text);
    expect(readText(rising, {})[0]?.doubts).toEqual([
      { figure: "throughput", because: "varying-load" },
      { figure: "latency", because: "varying-load" },
    ]);
  });
});
