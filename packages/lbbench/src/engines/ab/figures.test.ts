import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProgramError, type ProgramFigures } from "../../import/printed.js";
import { damaged } from "../../import/test-support/damage.js";
import type { Level } from "../../model/level.js";
import type { RequestCounts } from "../../model/measurement.js";
import type { Load } from "../../plugin.js";
import { MOST_OUTPUT } from "../../system/output.js";
import type { ProgramEnd } from "../../system/supervisor-process.js";
import { aLoad } from "../../test-support/load.js";
import { figuresOf as readFigures, keptOutput } from "./engine.js";
import { readKeptRun } from "./test-support/kept-runs.js";

/** What is told of each run that is kept, by its name. */
const KEPT_RUNS = JSON.parse(
  readFileSync(new URL("./test-support/kept-runs.json", import.meta.url), "utf8"),
) as Readonly<Record<string, ExpectedRun>>;

interface ExpectedRun {
  readonly level: Level;
  readonly interrupted?: boolean;
  readonly figures: Partial<ProgramFigures>;
  /** All of them. */
  readonly bytes: object;
  /** Counts that the program does not tell. */
  readonly absent?: readonly (keyof RequestCounts)[];
  /** Which latencies are told: good ones only where they are not mixed with others. */
  readonly latencies: readonly string[];
  /** All of them. */
  readonly doubts?: readonly object[];
}

const EMPTY = [/Document Length: .*/, "Document Length:        0 bytes"] as const;
const of = (requests: number, connections = 4): Load => aLoad({ connections, requests });

function figuresOf(name: string, load: Load, { end = readKeptRun(name), interrupted = false } = {}): ProgramFigures {
  return readFigures(load, { end, interrupted }, new AbortController().signal);
}

/** Reads what ab printed after something in it was replaced. */
function changed(name: string, load: Load, changes: readonly (readonly [string | RegExp, string])[]): ProgramFigures {
  const end = readKeptRun(name);
  const stdout = changes.reduce((all, [from, to]) => all.replace(from, to), end.stdout);
  return figuresOf(name, load, { end: { ...end, stdout } });
}

describe("what ab tells", () => {
  it.each(Object.entries(KEPT_RUNS))("is all of the run %s, and nothing that it does not tell", (run, expected) => {
    const { level, interrupted = false, absent = [] } = expected;
    const figures = figuresOf(run, aLoad(level), { interrupted });
    const { sent, ...outcomes } = figures.requests;
    expect(figures).toMatchObject(expected.figures);
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(sent);
    expect(figures.bytes).toEqual(expected.bytes);
    expect(figures.doubts).toEqual(expected.doubts);
    for (const count of absent) expect(figures.requests).not.toHaveProperty(count);
    const told = (["latency", "failedLatency"] as const).filter((key) => (figures[key]?.max ?? 0) > 0);
    expect(told).toEqual(expected.latencies);
  });

  it("takes its time from its rate where that is more exact", () => {
    expect(figuresOf("one-request", of(1, 1)).elapsedMs).toBeCloseTo(0.986, 3);
  });
});

describe("latencies of ab", () => {
  const AB = ["min", "p50", "p66", "p75", "p80", "p90", "p95", "p98", "p99", "max"];

  it("are to the microsecond, with a mean and phases where whole milliseconds can carry them", () => {
    const good = figuresOf("good", of(100));
    expect(Object.keys(good.latency ?? {})).toEqual(AB);
    expect(Number.isInteger(good.latency?.p50)).toBe(false);
    expect(good).not.toHaveProperty("phases");
    const { latency, phases } = figuresOf("slow", of(8));
    expect(latency).toMatchObject({ mean: 507, stddev: 7.1, p50: 502.021, max: 515.334 });
    expect(phases?.waiting).toEqual({ min: 501, mean: 506, stddev: 7.1, median: 502, max: 515 });
  });

  it("are the longest where there is no answer above a percentile", () => {
    expect(figuresOf("one-request", of(1, 1)).latency).toEqual(Object.fromEntries(AB.map((key) => [key, 0.957])));
  });
});

describe("failures that ab does not name", () => {
  const OTHER_LENGTHS = ["errors", "throughput"].map((figure) => ({ figure, because: "other-lengths" }));

  it.each<[string, string, readonly (readonly [string | RegExp, string])[], Partial<RequestCounts>]>([
    [
      "answers of another length on kept connections for good",
      "other-lengths",
      [["Keep-Alive requests:    90", "Keep-Alive requests:    100"]],
      { ok: 100, unclassified: 0 },
    ],
    [
      "an unexpected status for one of another length",
      "every-tenth-closed-no-keepalive",
      [["Total transferred", "Non-2xx responses:      6\nTotal transferred"]],
      { ok: 90, non2xx: 6, unclassified: 4 },
    ],
    ["empty answers for good where all are kept alive", "good", [EMPTY], { ok: 100, unclassified: 0 }],
    [
      "closed connections, which have no body, for failures, however many they are",
      "every-tenth-closed-no-keepalive",
      [
        ["Failed requests:        10", "Failed requests:        60"],
        ["Length: 10,", "Length: 60,"],
        ["HTML transferred:       450", "HTML transferred:       200"],
      ],
      { ok: 40, unclassified: 60 },
    ],
  ])("are taken: %s", (_, name, changes, expected) => {
    const figures = changed(name, of(100), changes);
    expect(figures.requests).toMatchObject(expected);
    // The bodies do not say which failed where some are of another length and others have another status.
    expect(figures.doubts).toEqual("non2xx" in expected ? OTHER_LENGTHS : undefined);
  });

  it("has sent as many as could not connect, where these are more than it was asked for", () => {
    const end = readKeptRun("refused");
    const stdout = end.stdout.replace(/(?<=Failed requests: +)60/, "74").replace("Receive: 40", "Receive: 54");
    const stderr = end.stderr.map(({ line, count }) => ({ line, count: count + 14 }));
    const { requests } = figuresOf("refused", of(40), { end: { ...end, stdout, stderr } });
    expect(requests).toMatchObject({ sent: 54, ok: 0, connectErrors: 54, unclassified: 0 });
  });
});

describe("ab is not believed", () => {
  const good = (from: string | RegExp, to: string) => (): ProgramFigures => changed("good", of(100), [[from, to]]);

  it.each<[string, () => ProgramFigures, RegExp]>([
    ["fewer requests than asked for", () => figuresOf("good", of(101)), /asked for 101 requests .* 100 came/],
    ["another concurrency", () => figuresOf("good", of(100, 5)), /asked for 5 connections .* it had 4/],
    [
      "a run that ends before its time",
      () => figuresOf("timed", aLoad({ connections: 4, durationMs: 2000 })),
      /asked to send for 2000 ms/,
    ],
    [
      "an answer slower than the timeout",
      () => figuresOf("slow", aLoad({ connections: 4, requests: 8 }, { timeoutMs: 500 })),
      /slowest took 516 ms, more than the 500 ms of --timeout/,
    ],
    [
      "failures that do not add up",
      good("Failed requests:        0", "Failed requests:        7"),
      /of 7 failed requests ab says how 0 failed/,
    ],
    [
      "empty answers, where a closed connection looks the same",
      () => changed("good", of(100), [EMPTY, [/Keep-Alive requests: .*/, "Keep-Alive requests:    90"]]),
      /10 of 100 connections were closed/,
    ],
    [
      "no percentiles",
      () => figuresOf("good", of(100), { end: { ...readKeptRun("good"), files: {} } }),
      /line 1: expected the head/,
    ],
    [
      "no table",
      () => figuresOf("gave-up", of(8)),
      /cannot read what ab printed: line \d+: expected "Server Software:", got/,
    ],
    ["what may be cut", good(/$/, "x".repeat(MOST_OUTPUT)), /printed more than \d+ characters/],
    ["nothing", good(/[^]*/, ""), /expected "Server Software:", got nothing/],
  ])("%s", (_, act, message) => {
    expect(act).toThrow(message);
    expect(act).toThrow(ProgramError);
  });

  it.each<[string, Load, string?]>([
    ["good", of(100)],
    ["every-tenth-reset", of(100)],
    ["good", of(100), "percentiles.csv"],
  ])(
    "about the run %s when its output is damaged: an error names the place, or counts add up and latencies are in order",
    (name, load, file) => {
      const end = readKeptRun(name);
      const text = file === undefined ? end.stdout : (end.files[file] ?? "");
      const withText = (stdout: string): ProgramEnd =>
        file === undefined ? { ...end, stdout } : { ...end, files: { [file]: stdout } };
      fc.assert(
        fc.property(damaged(text), (changedText) => {
          expect(problemWith(() => figuresOf(name, load, { end: withText(changedText) }))).toBeUndefined();
        }),
        { numRuns: 300 },
      );
    },
  );
});

it("keeps what was printed, complaints last, the middle of much of it left out", () => {
  const stderr = [
    { line: "once", count: 1 },
    { line: "often", count: 3 },
  ];
  expect(keptOutput({ stdout: "one\ntwo\n\n", stderr })).toBe("one\ntwo\nonce\noften [3 times]");
  const long = Array.from({ length: 2500 }, (_, index) => `line ${index}`).join("\n");
  const kept = /^line 0\n[^]*line 999\n\[500 lines left out\]\nline 1500\n[^]*line 2499$/;
  expect(keptOutput({ stdout: long, stderr: [] })).toMatch(kept);
  expect(keptOutput({ stdout: "x".repeat(5000), stderr: [] })).toHaveLength(1006);
});

/** Says what is wrong with reading some output; `undefined` when it was understood, or refused as it should be. */
function problemWith(read: () => ProgramFigures): string | undefined {
  let figures: ProgramFigures;
  try {
    figures = read();
  } catch (error) {
    if (!(error instanceof ProgramError)) return `not about the output: ${String(error)}`;
    return /line|\bab /.test(error.message) ? undefined : `names no place: ${error.message}`;
  }
  const { sent, ...outcomes } = figures.requests;
  const counts = Object.values(outcomes);
  const areCounts = counts.every((count) => Number.isInteger(count) && count >= 0);
  if (!areCounts || counts.reduce((sum, count) => sum + count, 0) !== sent) {
    return `no counts: ${JSON.stringify(figures.requests)}`;
  }
  const { min, p50, p75, p90, p95, p99, max } = figures.latency ?? {};
  const order = [min, p50, p75, p90, p95, p99, max].filter((value) => value !== undefined);
  const isInOrder = order.every((value, index) => value >= (order[index - 1] ?? 0));
  return isInOrder ? undefined : `latency is out of order: ${order.join(", ")}`;
}
