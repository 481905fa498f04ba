import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Level } from "../../model/level.js";
import type { RequestCounts } from "../../model/measurement.js";
import { MOST_OUTPUT } from "../../system/output.js";
import type { ProgramEnd } from "../../system/supervisor-process.js";
import { aLoad } from "../../test-support/load.js";
import { ab } from "./ab.js";
import { figuresOf as readFigures, keptOutput } from "./adapter.js";
import { classifyHeyError, hey } from "./hey.js";
import { ProgramError, type ProgramFigures } from "./printed.js";
import { damaged } from "./test-support/damage.js";
import { readKeptRun, type KeptRun } from "./test-support/kept-runs.js";
import { wrk } from "./wrk.js";

/** What each program printed in real runs, in a folder of `test-support/output`. */
const PROGRAMS = {
  ab: { program: ab, files: { "percentiles.csv": "csv" } },
  hey: { program: hey, files: {} },
  wrk: { program: wrk, files: { "figures.json": "figures" } },
} as const;
type Program = keyof typeof PROGRAMS;

/** What is told of each run that is kept, by program and name. */
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

const of = (requests: number, connections = 4): KeptRun => ({ load: aLoad({ connections, requests }) });
const timed = (durationMs: number, interrupted = false): KeptRun => ({
  load: aLoad({ connections: 4, durationMs }),
  interrupted,
});

function endOf(program: Program, name: string): ProgramEnd {
  return readKeptRun(program, name, PROGRAMS[program].files);
}

function figuresOf(
  program: Program,
  name: string,
  { load, interrupted = false }: KeptRun,
  end = endOf(program, name),
): ProgramFigures {
  return readFigures(PROGRAMS[program].program, load, { end, interrupted }, new AbortController().signal);
}

/** Reads what a program printed after something in it was replaced. */
function changed(
  program: Program,
  name: string,
  run: KeptRun,
  changes: readonly (readonly [string | RegExp, string])[],
): ProgramFigures {
  const end = endOf(program, name);
  const change = (text: string): string => changes.reduce((all, [from, to]) => all.replace(from, to), text);
  const files = Object.entries(end.files).map(([file, content]) => [
    file,
    program === "wrk" ? change(content) : content,
  ]);
  return figuresOf(program, name, run, { ...end, stdout: change(end.stdout), files: Object.fromEntries(files) });
}

describe("what a program tells", () => {
  it.each(Object.entries(KEPT_RUNS))("is all of the run %s, and nothing that it does not tell", (run, expected) => {
    const { level, interrupted = false, absent = [] } = expected;
    const [program, name] = run.split("/") as [Program, string];
    const figures = figuresOf(program, name, { load: aLoad(level), interrupted });
    const { sent, ...outcomes } = figures.requests;
    expect(figures).toMatchObject(expected.figures);
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(sent);
    expect(figures.bytes).toEqual(expected.bytes);
    expect(figures.doubts).toEqual(expected.doubts);
    for (const count of absent) expect(figures.requests).not.toHaveProperty(count);
    const told = (["latency", "failedLatency"] as const).filter((key) => (figures[key]?.max ?? 0) > 0);
    expect(told).toEqual(expected.latencies);
  });

  it("takes time from ab's rate where that is more exact, and from hey also where it was interrupted", () => {
    expect(figuresOf("ab", "one-request", of(1, 1)).elapsedMs).toBeCloseTo(0.986, 3);
    for (const [name, run] of [
      ["timed", timed(1000)],
      ["interrupted", timed(5000, true)],
    ] as const) {
      const { requests, elapsedMs } = figuresOf("hey", name, run);
      expect(requests.ok).toBe(requests.sent);
      expect(elapsedMs).toBeLessThan(1100);
    }
  });
});

describe("latencies of a program", () => {
  const AB = ["min", "p50", "p66", "p75", "p80", "p90", "p95", "p98", "p99", "max"];

  it("are to the microsecond, with a mean and phases where whole milliseconds can carry them", () => {
    const good = figuresOf("ab", "good", of(100));
    expect(Object.keys(good.latency ?? {})).toEqual(AB);
    expect(Number.isInteger(good.latency?.p50)).toBe(false);
    expect(good).not.toHaveProperty("phases");
    const { latency, phases } = figuresOf("ab", "slow", of(8));
    expect(latency).toMatchObject({ mean: 507, stddev: 7.1, p50: 502.021, max: 515.334 });
    expect(phases?.waiting).toEqual({ min: 501, mean: 506, stddev: 7.1, median: 502, max: 515 });
  });

  it("are the longest where there is no answer above a percentile", () => {
    expect(figuresOf("ab", "one-request", of(1, 1)).latency).toEqual(Object.fromEntries(AB.map((key) => [key, 0.957])));
    const { latency } = figuresOf("hey", "one-request", of(1, 1));
    expect(latency).toMatchObject({ p50: latency?.max, p99: latency?.max, min: latency?.max });
  });

  it("of wrk are those that were measured, without those that it adds, and all percentiles of them", () => {
    const { latency, histogram, requests } = figuresOf("wrk", "interrupted", timed(5000, true));
    expect(requests.sent).toBe(requests.ok);
    expect(histogram).toBeDefined();
    expect(latency?.p50).toBeGreaterThan(0);
    expect(latency?.p999).toBeLessThanOrEqual(latency?.max ?? 0);
    expect(latency?.mean).toBeLessThan(latency?.p99 ?? 0);
  });
});

describe("failures that a program does not name", () => {
  const OTHER_LENGTHS = ["errors", "throughput"].map((figure) => ({ figure, because: "other-lengths" }));
  const EMPTY = [/Document Length: .*/, "Document Length:        0 bytes"] as const;

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
  ])("ab takes %s", (_, name, changes, expected) => {
    const figures = changed("ab", name, of(100), changes);
    expect(figures.requests).toMatchObject(expected);
    // The bodies do not say which failed where some are of another length and others have another status.
    expect(figures.doubts).toEqual("non2xx" in expected ? OTHER_LENGTHS : undefined);
  });

  it("ab has sent as many as could not connect, where these are more than it was asked for", () => {
    const end = endOf("ab", "refused");
    const stdout = end.stdout.replace(/(?<=Failed requests: +)60/, "74").replace("Receive: 40", "Receive: 54");
    const stderr = end.stderr.map(({ line, count }) => ({ line, count: count + 14 }));
    const { requests } = figuresOf("ab", "refused", of(40), { ...end, stdout, stderr });
    expect(requests).toMatchObject({ sent: 54, ok: 0, connectErrors: 54, unclassified: 0 });
  });

  it.each([
    ["read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer", { failure: "resets", code: "ECONNRESET" }],
    ["write tcp 127.0.0.1:1->127.0.0.1:2: write: broken pipe", { failure: "resets", code: "EPIPE" }],
    ["dial tcp 127.0.0.1:1: connect: connection reset by peer", { failure: "connectErrors", code: "ECONNRESET" }],
    [
      "dial tcp 127.0.0.1:1: connect: cannot assign requested address",
      { failure: "connectErrors", code: "EADDRNOTAVAIL" },
    ],
    ["dial tcp 127.0.0.1:1: socket: too many open files", { failure: "connectErrors", code: "EMFILE" }],
    ["dial tcp 10.0.0.1:1: i/o timeout (Client.Timeout exceeded while awaiting headers)", { failure: "timedOut" }],
    ["unexpected EOF", { failure: "dropped" }],
    ["http: server closed idle connection", { failure: "dropped" }],
    ['net/http: HTTP/1.x transport connection broken: malformed HTTP status code "EOF"', { failure: "mismatched" }],
    ["something that nobody has seen", { failure: "unclassified" }],
  ])("hey tells as %s, whatever the URL says", (message, expected) => {
    expect(classifyHeyError(`Get "http://127.0.0.1/": ${message}`)).toEqual(expected);
    expect(classifyHeyError(`Post "http://127.0.0.1/?dial connection refused \\": EOF": ${message}`)).toEqual(expected);
  });
});

describe("a program is not believed", () => {
  const good = (program: "ab" | "hey", from: string | RegExp, to: string) => (): ProgramFigures =>
    changed(program, "good", of(100), [[from, to]]);
  const slow = (from: string | RegExp, to: string) => (): ProgramFigures =>
    changed("wrk", "slow", timed(2000), [[from, to]]);
  const empty = [/Document Length: .*/, "Document Length:        0 bytes"] as const;
  const noTable = /expected a line with "Complete requests:", none came/;

  it.each<[string, () => ProgramFigures, RegExp]>([
    ["ab: fewer requests than asked for", () => figuresOf("ab", "good", of(101)), /asked for 101 requests .* 100 came/],
    ["ab: another concurrency", () => figuresOf("ab", "good", of(100, 5)), /asked for 5 connections .* it had 4/],
    ["ab: a run that ends before its time", () => figuresOf("ab", "timed", timed(2000)), /asked to send for 2000 ms/],
    [
      "ab: an answer slower than the timeout",
      () => figuresOf("ab", "slow", { load: aLoad({ connections: 4, requests: 8 }, { timeoutMs: 500 }) }),
      /slowest took 516 ms, more than the 500 ms of --timeout/,
    ],
    [
      "ab: failures that do not add up",
      good("ab", "Failed requests:        0", "Failed requests:        7"),
      /of 7 failed requests it says how 0 failed/,
    ],
    [
      "ab: empty answers, where a closed connection looks the same",
      () => changed("ab", "good", of(100), [empty, [/Keep-Alive requests: .*/, "Keep-Alive requests:    90"]]),
      /10 of 100 connections were closed/,
    ],
    [
      "ab: no percentiles",
      () => figuresOf("ab", "good", of(100), { ...endOf("ab", "good"), files: {} }),
      /line 1: expected the head/,
    ],
    ["ab: no table, of one that hangs", () => figuresOf("ab", "hanging", of(8)), noTable],
    ["ab: no table, of one that gave up", () => figuresOf("ab", "gave-up", of(8)), noTable],
    [
      "hey: fewer requests than asked for",
      () => figuresOf("hey", "good", of(104)),
      /asked for 104 requests .* 100 came/,
    ],
    ["hey: a run that ends before its time", () => figuresOf("hey", "timed", timed(2000)), /asked to send for 2000 ms/],
    [
      "hey: an answer as slow as the timeout",
      good("hey", /Slowest:.*/, "Slowest:\t2.0001 secs"),
      /breaks off at the timeout/,
    ],
    ["hey: what may be cut", good("hey", /$/, "x".repeat(MOST_OUTPUT)), /printed more than \d+ characters/],
    ["hey: nothing", good("hey", /[^]*/, ""), /expected a line with/],
    ["wrk: a run that ends before its time", () => figuresOf("wrk", "slow", timed(3000)), /asked to send for 3000 ms/],
    ["wrk: no figures", slow(/[^]*/, ""), /cannot read the figures that the script of wrk wrote/],
    ["wrk: statuses that are missing", slow('"200":16', '"200":15'), /status of 15 of 16 answers/],
  ])("%s", (_, act, message) => {
    expect(act).toThrow(message);
    expect(act).toThrow(ProgramError);
  });

  it("about latencies that cannot be, which are left out", () => {
    const quick = changed("hey", "good", of(100), [
      [/Fastest:.*/, "Fastest:\t0.0000 secs"],
      [/10% in .*/, "10% in 0.0000 secs"],
      [/25% in .*/, "25% in 0.0000 secs"],
      [/50% in .*/, "50% in 0.0000 secs"],
    ]);
    expect(quick).not.toHaveProperty("latency");
    expect(slow(/\[\d+,\d+\],\n/, "")()).not.toHaveProperty("latency");
    expect(slow("]]", "],[99999999,1]]")()).not.toHaveProperty("latency");
    expect(slow(/"latencies":[^}]*/, '"latencies":[]')()).toMatchObject({ requests: { ok: 16 } });
  });

  it.each<[Program, string, KeptRun, string?]>([
    ["ab", "good", of(100)],
    ["ab", "every-tenth-reset", of(100)],
    ["ab", "good", of(100), "percentiles.csv"],
    ["hey", "good", of(100)],
    ["hey", "every-tenth-reset", of(100)],
    ["hey", "other-status", of(100)],
    ["wrk", "slow", timed(2000), "figures.json"],
  ])(
    "about what %s printed in the run %s when it is damaged: an error names the place, or counts add up and latencies are in order",
    (program, name, run, file) => {
      const end = endOf(program, name);
      const text = file === undefined ? end.stdout : (end.files[file] ?? "");
      const withText = (stdout: string): ProgramEnd =>
        file === undefined ? { ...end, stdout } : { ...end, files: { [file]: stdout } };
      fc.assert(
        fc.property(damaged(text), (changedText) => {
          expect(problemWith(() => figuresOf(program, name, run, withText(changedText)))).toBeUndefined();
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
    return /line|\b(?:ab|hey|wrk) /.test(error.message) ? undefined : `names no place: ${error.message}`;
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
