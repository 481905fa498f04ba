import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RequestCounts } from "../../model/measurement.js";
import { ProgramError } from "../driven-program/program-error.js";
import type { ProgramFigures } from "../driven-program/program-figures.js";
import { problemWith } from "../driven-program/test-support/problem-with.js";
import { damaged } from "../driven-program/test-support/damage.js";
import { aProgramLoad, readKeptRun, type KeptRun } from "../driven-program/test-support/kept-runs.js";
import { heyFigures } from "./figures.js";

const FOLDER = new URL(".", import.meta.url);
const ofRequests = (requests: number, connections = 4): KeptRun => ({ load: aProgramLoad({ connections, requests }) });
const timed = (durationMs: number, interrupted = false): KeptRun => ({
  load: aProgramLoad({ connections: 4, durationMs }),
  interrupted,
});

function figuresOf(name: string, run: KeptRun): ProgramFigures {
  return heyFigures(readKeptRun(FOLDER, name, {}, run));
}

describe("what hey tells", () => {
  it.each<[string, KeptRun, Partial<RequestCounts>, Readonly<Record<string, number>>]>([
    ["good", ofRequests(100), { sent: 100, ok: 100, inFlight: 0 }, { "200": 100 }],
    ["one-request", ofRequests(1, 1), { sent: 1, ok: 1 }, { "200": 1 }],
    ["other-status", ofRequests(100), { sent: 100, ok: 90, non2xx: 10 }, { "200": 90, "500": 10 }],
    ["all-500", ofRequests(12), { sent: 12, ok: 0, non2xx: 12 }, { "500": 12 }],
    ["every-tenth-reset", ofRequests(100), { sent: 100, ok: 90, resets: 10 }, { "200": 90 }],
    ["every-tenth-closed-no-keepalive", ofRequests(100), { sent: 100, ok: 90, dropped: 10 }, { "200": 90 }],
    ["not-http", ofRequests(100), { sent: 100, ok: 90, mismatched: 10 }, { "200": 90 }],
    ["all-closed", ofRequests(12), { sent: 12, ok: 0, dropped: 12 }, {}],
    ["hanging", ofRequests(8), { sent: 8, ok: 0, timedOut: 8 }, {}],
    ["refused", ofRequests(12), { sent: 12, ok: 0, connectErrors: 12 }, {}],
    ["no-host", ofRequests(12), { sent: 12, ok: 0, connectErrors: 12 }, {}],
  ])("of the run %s", (name, run, expected, codes) => {
    const { requests, statusCodes } = figuresOf(name, run);
    const { sent, ...outcomes } = requests;
    expect(requests).toMatchObject(expected);
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(sent);
    expect(statusCodes).toEqual(codes);
  });

  it.each([timed(1000), timed(5000, true)])("of a time, also one that was interrupted", (run) => {
    const { requests, elapsedMs } = figuresOf(run.interrupted === true ? "interrupted" : "timed", run);
    expect(requests.ok).toBeGreaterThan(100);
    expect(requests.ok).toBe(requests.sent);
    expect(elapsedMs).toBeLessThan(1100);
  });

  it("has latencies of what was answered, also beside failures without an answer", () => {
    const { latency } = figuresOf("every-tenth-closed-no-keepalive", ofRequests(100));
    expect(Object.keys(latency ?? {})).toEqual(
      expect.arrayContaining(["min", "p50", "p75", "p90", "p95", "p99", "max"]),
    );
    expect(figuresOf("other-status", ofRequests(100))).not.toHaveProperty("latency");
    expect(figuresOf("other-status", ofRequests(100))).not.toHaveProperty("failedLatency");
    expect(figuresOf("all-500", ofRequests(12)).failedLatency?.max).toBeGreaterThan(0);
  });

  it("puts the longest where there is no answer above a percentile", () => {
    const { latency } = figuresOf("one-request", ofRequests(1, 1));
    expect(latency).toMatchObject({ p50: latency?.max, p99: latency?.max, min: latency?.max });
  });

  it("counts bodies that declare their length, of answers that have one", () => {
    expect(figuresOf("good", ofRequests(100)).bytes).toEqual({ body: 500 });
    const head = aProgramLoad({ connections: 4, requests: 100 });
    const load = { ...head, request: { ...head.request, method: "HEAD" } };
    expect(figuresOf("good", { load }).bytes).toEqual({});
    expect(figuresOf("other-status", ofRequests(100)).bytes).toEqual({});
  });

  it("names errors of the system", () => {
    expect(figuresOf("refused", ofRequests(12)).errorCodes).toEqual({ ECONNREFUSED: 12 });
    expect(figuresOf("no-host", ofRequests(12)).errorCodes).toEqual({ ENOTFOUND: 12 });
    expect(figuresOf("every-tenth-reset", ofRequests(100)).errorCodes).toEqual({ ECONNRESET: 10 });
  });

  it("takes no time for 0 that hey rounds to 0", () => {
    const finished = readKeptRun(FOLDER, "good", {}, ofRequests(100));
    const quick = finished.stdout
      .replace(/Fastest:.*/, "Fastest:\t0.0000 secs")
      .replaceAll(/(10|25|50)% in .*/g, "$1% in 0.0000 secs");
    expect(heyFigures({ ...finished, stdout: quick })).not.toHaveProperty("latency");
  });
});

describe("hey is not believed", () => {
  const good = readKeptRun(FOLDER, "good", {}, ofRequests(100));

  it.each<[string, () => unknown, RegExp]>([
    [
      "fewer requests than asked for",
      () => figuresOf("good", ofRequests(104)),
      /asked for 104 requests and tells of 100/,
    ],
    ["a run that ends before its time", () => figuresOf("timed", timed(2000)), /asked to send for 2000 ms/],
    [
      "an answer as slow as the timeout, which may have been broken off",
      () => heyFigures({ ...good, stdout: good.stdout.replace(/Slowest:.*/, "Slowest:\t2.0001 secs") }),
      /breaks off at the timeout/,
    ],
    [
      "a rate that contradicts the time",
      () => heyFigures({ ...good, stdout: good.stdout.replace(/Total:.*/, "Total:\t1.0000 secs") }),
      /do not make/,
    ],
    ["nothing", () => heyFigures({ ...good, stdout: "" }), /expected a line with/],
  ])("about %s", (_, act, message) => {
    expect(act).toThrow(message);
    expect(act).toThrow(ProgramError);
  });

  it("about anything that is damaged: it is an error that names the place, or changes nothing it did not say", () => {
    for (const name of ["good", "every-tenth-reset", "other-status"]) {
      const finished = readKeptRun(FOLDER, name, {}, ofRequests(100));
      fc.assert(
        fc.property(damaged(finished.stdout), (stdout) => {
          expect(problemWith(() => heyFigures({ ...finished, stdout }))).toBeUndefined();
        }),
        { numRuns: 500 },
      );
    }
  });
});
