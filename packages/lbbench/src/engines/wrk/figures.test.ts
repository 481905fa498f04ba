import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RequestCounts } from "../../model/measurement.js";
import { ProgramError } from "../driven-program/program-error.js";
import type { ProgramFigures } from "../driven-program/program-figures.js";
import { problemWith } from "../driven-program/test-support/problem-with.js";
import { damaged } from "../driven-program/test-support/damage.js";
import { aProgramLoad, readKeptRun, type KeptRun } from "../driven-program/test-support/kept-runs.js";
import { wrkFigures } from "./figures.js";

const FOLDER = new URL(".", import.meta.url);
const FILES = { figures: "figures" };
const timed = (durationMs: number): KeptRun => ({ load: aProgramLoad({ connections: 4, durationMs }) });
const INTERRUPTED: KeptRun = { ...timed(5000), interrupted: true };

function figuresOf(name: string, run: KeptRun): ProgramFigures {
  return wrkFigures(readKeptRun(FOLDER, name, FILES, run));
}

describe("what wrk tells", () => {
  it.each<[string, KeptRun, Partial<RequestCounts>]>([
    ["slow", timed(2000), { sent: 16, ok: 16, non2xx: 0, unclassified: 0, timedOut: 0 }],
    ["two-threads", timed(1000), { sent: 6, ok: 6 }],
    ["late", timed(4000), { sent: 35, ok: 25, timedOut: 10 }],
    ["all-closed", timed(1000), { sent: 2045, ok: 0, unclassified: 2045 }],
    ["hanging", timed(1000), { sent: 0, ok: 0 }],
  ])("of the run %s", (name, run, expected) => {
    expect(figuresOf(name, run).requests).toMatchObject(expected);
  });

  it("of answers with another status, of which its latencies are no good ones", () => {
    const { requests, statusCodes, ...figures } = figuresOf("other-status", INTERRUPTED);
    expect(requests.non2xx).toBe(statusCodes["500"]);
    expect(requests.ok).toBe(statusCodes["200"]);
    expect(figures).not.toHaveProperty("latency");
    expect(figures).not.toHaveProperty("failedLatency");
    const failed = figuresOf("all-500", INTERRUPTED);
    expect(failed.requests.ok).toBe(0);
    expect(failed.failedLatency?.p50).toBeGreaterThan(0);
    expect(failed).not.toHaveProperty("histogram");
  });

  it("leaves out what it does not tell", () => {
    const { requests, bytes } = figuresOf("slow", timed(2000));
    expect(Object.keys(requests)).not.toEqual(expect.arrayContaining(["inFlight", "resets", "dropped", "mismatched"]));
    expect(bytes).toEqual({ received: 127 * 16, body: 5 * 16 });
  });

  it("has the latencies that were measured, without those that it adds, and all percentiles of them", () => {
    const { latency, histogram, requests } = figuresOf("interrupted", INTERRUPTED);
    expect(requests.sent).toBe(requests.ok);
    expect(histogram).toBeDefined();
    expect(latency?.p50).toBeGreaterThan(0);
    expect(latency?.p999).toBeLessThanOrEqual(latency?.max ?? 0);
    expect(latency?.mean).toBeLessThan(latency?.p99 ?? 0);
  });

  it("has latencies of good answers beside connections that were closed", () => {
    const { requests, latency } = figuresOf("every-tenth-closed", INTERRUPTED);
    expect(requests.unclassified).toBeGreaterThan(0);
    expect(latency?.p50).toBeGreaterThan(0);
  });
});

describe("wrk is not believed", () => {
  const slow = readKeptRun(FOLDER, "slow", FILES, timed(2000));
  const withFigures = (from: string | RegExp, to: string) => () =>
    wrkFigures({ ...slow, files: { figures: (slow.files["figures"] ?? "").replace(from, to) } });

  it.each<[string, () => unknown, RegExp]>([
    ["a run that ends before its time", () => figuresOf("slow", timed(3000)), /asked to send for 3000 ms/],
    ["no figures", () => wrkFigures({ ...slow, files: {} }), /expected a line "end"/],
    ["statuses that are missing", withFigures(/answers 200 16/, "answers 200 15"), /status of 15 of 16 answers/],
    [
      "statuses that contradict one another",
      withFigures("status 0", "status 3"),
      /3 answers above 399, and of 0 by their status/,
    ],
  ])("about %s", (_, act, message) => {
    expect(act).toThrow(message);
    expect(act).toThrow(ProgramError);
  });

  it("about latencies that are not as many as there were answers in time, which are left out", () => {
    expect(withFigures(/latency \d+ \d+\n/, "")()).not.toHaveProperty("latency");
    expect(withFigures("latencies told", "latency 99999999 1\nlatencies told")()).not.toHaveProperty("latency");
    expect(withFigures(/(latency \d+ \d+\n)+latencies told\n/, "")()).toMatchObject({ requests: { ok: 16 } });
  });

  it("about anything that is damaged: it is an error that names the place, or the counts still add up", () => {
    fc.assert(
      fc.property(damaged(slow.files["figures"] ?? ""), (figures) => {
        expect(problemWith(() => wrkFigures({ ...slow, files: { figures } }))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});
