import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RequestCounts } from "../../model/measurement.js";
import { ProgramError } from "../driven-program/program-error.js";
import type { ProgramFigures } from "../driven-program/program-figures.js";
import { problemWith } from "../driven-program/test-support/problem-with.js";
import { damaged } from "../driven-program/test-support/damage.js";
import { aProgramLoad, readKeptRun, type KeptRun } from "../driven-program/test-support/kept-runs.js";
import { abFigures } from "./figures.js";

const FOLDER = new URL(".", import.meta.url);
const FILES = { "percentiles.csv": "csv" };

const ofRequests = (requests: number, connections = 4): KeptRun => ({ load: aProgramLoad({ connections, requests }) });
const interrupted: KeptRun = { load: aProgramLoad({ connections: 4, durationMs: 5000 }), interrupted: true };

function figuresOf(name: string, run: KeptRun): ProgramFigures {
  return abFigures(readKeptRun(FOLDER, name, FILES, run));
}

function countsOf(name: string, run: KeptRun): RequestCounts {
  const { requests } = figuresOf(name, run);
  const { sent, ...outcomes } = requests;
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(sent);
  return requests;
}

describe("what ab tells", () => {
  it.each<[string, KeptRun, Partial<RequestCounts>]>([
    ["good", ofRequests(100), { sent: 100, ok: 100, non2xx: 0, unclassified: 0, inFlight: 0 }],
    ["no-keepalive", ofRequests(100), { sent: 100, ok: 100, unclassified: 0 }],
    ["one-request", ofRequests(1, 1), { sent: 1, ok: 1 }],
    ["post", ofRequests(20), { sent: 20, ok: 20 }],
    ["post-empty", ofRequests(20), { sent: 20, ok: 20 }],
    ["other-status", ofRequests(100), { sent: 100, ok: 90, non2xx: 10, unclassified: 0 }],
    ["odd-first", ofRequests(500, 10), { sent: 500, ok: 450, non2xx: 50, unclassified: 0 }],
    ["all-500", ofRequests(40), { sent: 40, ok: 0, non2xx: 40 }],
    ["every-tenth-closed", ofRequests(100), { sent: 100, ok: 90, unclassified: 10 }],
    ["every-tenth-closed-no-keepalive", ofRequests(100), { sent: 100, ok: 90, unclassified: 10 }],
    ["all-closed", ofRequests(40), { sent: 40, ok: 0, unclassified: 40 }],
    ["every-tenth-reset", ofRequests(100), { sent: 100, ok: 90, resets: 10, unclassified: 0 }],
    ["all-reset", ofRequests(40), { sent: 40, ok: 0, resets: 40, unclassified: 0 }],
    ["refused", ofRequests(40), { sent: 40, ok: 0, connectErrors: 40, unclassified: 0 }],
    ["interrupted", interrupted, { sent: 769, ok: 769 }],
    ["nothing-in-time", { ...interrupted }, { sent: 0, ok: 0 }],
  ])("of the run %s", (name, run, expected) => {
    expect(countsOf(name, run)).toMatchObject(expected);
  });

  it("leaves out what it does not tell", () => {
    const { requests, statusCodes, bytes } = figuresOf("good", ofRequests(100));
    expect(Object.keys(requests)).not.toEqual(expect.arrayContaining(["timedOut", "dropped", "mismatched"]));
    expect(statusCodes).toEqual({});
    expect(bytes).toEqual({ received: 12_700, body: 500 });
    expect(figuresOf("interrupted", interrupted).requests).not.toHaveProperty("inFlight");
  });

  it("counts bytes written where it does", () => {
    expect(figuresOf("post", ofRequests(20)).bytes).toEqual({ received: 2540, body: 100, sent: 3120 });
  });

  it("takes time from the rate where that is more exact", () => {
    expect(figuresOf("one-request", ofRequests(1, 1)).elapsedMs).toBeCloseTo(0.986, 3);
  });

  it("has latencies to the microsecond, and no mean that its whole milliseconds cannot carry", () => {
    const { latency } = figuresOf("good", ofRequests(100));
    expect(Object.keys(latency ?? {})).toEqual(["min", "p50", "p66", "p75", "p80", "p90", "p95", "p98", "p99", "max"]);
    expect(latency?.p50).not.toBe(Math.round(latency?.p50 ?? 0));
    expect(figuresOf("good", ofRequests(100))).not.toHaveProperty("phases");
  });

  it("has a mean and phases of slow answers", () => {
    const { latency, phases } = figuresOf("slow", ofRequests(8));
    expect(latency).toMatchObject({ mean: 507, stddev: 7.1, p50: 502.021, max: 515.334 });
    expect(phases?.waiting).toEqual({ min: 501, mean: 506, stddev: 7.1, median: 502, max: 515 });
  });

  it("puts the longest where it reads beyond the last of few requests", () => {
    expect(figuresOf("one-request", ofRequests(1, 1)).latency).toEqual(
      Object.fromEntries(
        ["min", "p50", "p66", "p75", "p80", "p90", "p95", "p98", "p99", "max"].map((key) => [key, 0.957]),
      ),
    );
  });

  it.each(["other-status", "every-tenth-closed", "every-tenth-reset"])(
    "has neither latency where the run %s mixes them",
    (name) => {
      const figures = figuresOf(name, ofRequests(100));
      expect(figures).not.toHaveProperty("latency");
      expect(figures).not.toHaveProperty("failedLatency");
      expect(figures).not.toHaveProperty("phases");
    },
  );

  it("has latencies of failed requests where all failed and were sent", () => {
    expect(figuresOf("all-500", ofRequests(40)).failedLatency?.max).toBeGreaterThan(0);
    expect(figuresOf("all-500", ofRequests(40))).not.toHaveProperty("latency");
    expect(figuresOf("refused", ofRequests(40))).not.toHaveProperty("failedLatency");
  });

  it("names errors of the system", () => {
    expect(figuresOf("every-tenth-reset", ofRequests(100)).errorCodes).toEqual({ ECONNRESET: 10 });
    expect(figuresOf("refused", ofRequests(40)).errorCodes).toEqual({ ECONNREFUSED: 40 });
  });

  it("takes answers of another length on connections that stay open for good", () => {
    const finished = readKeptRun(FOLDER, "other-lengths", FILES, ofRequests(100));
    const stdout = finished.stdout.replace("Keep-Alive requests:    90", "Keep-Alive requests:    100");
    expect(abFigures({ ...finished, stdout }).requests).toMatchObject({ ok: 100, unclassified: 0 });
  });

  it("takes answers with an unexpected status to be among those of another length", () => {
    const finished = readKeptRun(FOLDER, "every-tenth-closed-no-keepalive", FILES, ofRequests(100));
    const stdout = finished.stdout.replace("Total transferred", "Non-2xx responses:      6\nTotal transferred");
    expect(abFigures({ ...finished, stdout }).requests).toMatchObject({ ok: 90, non2xx: 6, unclassified: 4 });
  });

  it("doubts how many failed where the first answer may be the odd one, and nothing elsewhere", () => {
    expect(figuresOf("odd-first", ofRequests(500, 10)).doubts).toEqual([
      { figure: "errors", because: "other-lengths" },
      { figure: "throughput", because: "other-lengths" },
    ]);
    for (const name of [
      "good",
      "other-status",
      "other-lengths",
      "every-tenth-closed",
      "every-tenth-closed-no-keepalive",
    ])
      expect(figuresOf(name, ofRequests(100)), name).not.toHaveProperty("doubts");
    for (const name of ["all-500", "all-closed", "all-reset"])
      expect(figuresOf(name, ofRequests(40)), name).not.toHaveProperty("doubts");
  });

  it("takes connections that were closed for failures, however many they are: they have no body", () => {
    const finished = readKeptRun(FOLDER, "every-tenth-closed-no-keepalive", FILES, ofRequests(100));
    const stdout = finished.stdout
      .replace("Failed requests:        10", "Failed requests:        60")
      .replace("Length: 10,", "Length: 60,")
      .replace("HTML transferred:       450", "HTML transferred:       200");
    const figures = abFigures({ ...finished, stdout });
    expect(figures.requests).toMatchObject({ ok: 40, unclassified: 60 });
    expect(figures).not.toHaveProperty("doubts");
  });
});

describe("ab is not believed", () => {
  const good = readKeptRun(FOLDER, "good", FILES, ofRequests(100));
  const withText = (from: string | RegExp, to: string) => () =>
    abFigures({ ...good, stdout: good.stdout.replace(from, to) });

  it.each<[string, () => unknown, RegExp]>([
    ["fewer requests than asked for", () => figuresOf("good", ofRequests(101)), /asked for 101 requests .* 100 came/],
    ["another concurrency", () => figuresOf("good", ofRequests(100, 5)), /asked for 5 connections .* it had 4/],
    [
      "a run that ends before its time",
      () => figuresOf("timed", { load: aProgramLoad({ connections: 4, durationMs: 2000 }) }),
      /asked to send for 2000 ms/,
    ],
    [
      "an answer slower than the timeout",
      () => figuresOf("slow", { load: aProgramLoad({ connections: 4, requests: 8 }, { timeoutMs: 500 }) }),
      /slowest took 516 ms, more than the 500 ms of --timeout/,
    ],
    [
      "a rate that contradicts the time",
      withText(/Time taken for tests: .*/, "Time taken for tests:   1.000 seconds"),
      /do not make/,
    ],
    [
      "failures that do not add up",
      withText("Failed requests:        0", "Failed requests:        7"),
      /of 7 failed requests it says how 0 failed/,
    ],
    ["no percentiles", () => abFigures({ ...good, files: {} }), /line 1: expected the head/],
  ])("about %s", (_, act, message) => {
    expect(act).toThrow(message);
    expect(act).toThrow(ProgramError);
  });

  it("about answers with an empty body, unless all are kept alive: a closed connection looks the same", () => {
    const empty = good.stdout.replace(/Document Length: .*/, "Document Length:        0 bytes");
    expect(abFigures({ ...good, stdout: empty }).requests).toMatchObject({ ok: 100, unclassified: 0 });
    const closed = empty.replace(/Keep-Alive requests: .*/, "Keep-Alive requests:    90");
    expect(() => abFigures({ ...good, stdout: closed })).toThrow(/10 of 100 connections were closed/);
  });

  it.each(["hanging", "gave-up"])("when it prints no table: %s", (name) => {
    expect(() => figuresOf(name, ofRequests(8))).toThrow(/expected a line with "Complete requests:", none came/);
  });

  it("about anything that is damaged: it is an error that names the place, or changes nothing it did not say", () => {
    for (const name of ["good", "every-tenth-reset"]) {
      const finished = readKeptRun(FOLDER, name, FILES, ofRequests(100));
      fc.assert(
        fc.property(damaged(finished.stdout), (stdout) => {
          expect(problemWith(() => abFigures({ ...finished, stdout }))).toBeUndefined();
        }),
        { numRuns: 500 },
      );
    }
  });

  it("about damaged percentiles: whatever is read is in order", () => {
    const csv = good.files["percentiles.csv"] ?? "";
    fc.assert(
      fc.property(damaged(csv), (text) => {
        expect(problemWith(() => abFigures({ ...good, files: { "percentiles.csv": text } }))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});
