import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Finding, FindingArgs, FindingCode } from "../model/finding.js";
import { FINDING_PROSE } from "./finding-prose.js";
import { describeFinding } from "./finding-text.js";

const CODES = [...FINDING_PROSE.keys()] as readonly FindingCode[];

const say = (code: FindingCode, args: FindingArgs, origin?: "imported") =>
  describeFinding({ code, severity: "warning", args }, origin);

/** Requests of which some failed, and what findings about the seconds of a ramp and about levels have. */
const SOME: FindingArgs = { count: 2391, sent: 10_000, share: 0.2391 };
const RAMP: FindingArgs = { target: "grpc", kind: "users", firstBad: 62, second: 61 };
const CURVE: FindingArgs = { target: "pool", kind: "connections" };
const KNEE: FindingArgs = { ...CURVE, knee: 20, below: 10, above: 40, throughput: 2000, reached: 40 };
const LAW: FindingArgs = {
  ...CURVE,
  relativeError: 0.012,
  contention: 0.091,
  contentionLow: 0.08,
  contentionHigh: 0.102,
  coherency: 0.000029,
  highest: 20,
};
const WORSE: FindingArgs = { reference: "single", change: -0.124, low: -0.139, high: -0.108, margin: 0.05 };
const BYTES: FindingArgs = { target: "b", other: "a", received: 1350, body: 1200, otherReceived: 162, otherBody: 12 };
const FAILED: FindingArgs = { count: 970, answers: 1000, share: 0.97, p50: 12.6, failedP50: 7.92, mixedP50: 8.1 };
const NOISE: FindingArgs = { target: "b", reference: "a", kind: "connections", metric: "throughput", trials: 5 };
const MANY: FindingArgs = { target: "api", levels: "1, 10, 40", steps: 6, connections: 10, trial: 1 };
const ALL_OF_MANY: FindingArgs = { ...MANY, ...SOME, allCount: 1129, allSent: 3673, allShare: 0.3074 };
const NOT_REACHED: FindingArgs = { asked: 1000, opened: 512, target: "b" };

describe("a finding in words", () => {
  it.each<[FindingCode, FindingArgs, string]>([
    ["NON_2XX", { ...SOME, expected: "2xx", status: "503" }, "2,391 of 10,000 requests (23.9 %) were … 503"],
    ["ALL_FAILED", { sent: 900, inFlight: 0 }, "None of 900 requests was"],
    ["ALL_FAILED", { sent: 50, inFlight: 50 }, "None of 50 requests … before the measurement ended"],
    ["ALL_FAILED", { sent: 0, inFlight: 0 }, "No request was answered"],
    ["BODY_MISMATCH", SOME, "2,391 of 10,000 requests (23.9 %)"],
    ["CONNECT_ERRORS", { ...SOME, code: "ECONNREFUSED" }, "(23.9 %) … ECONNREFUSED"],
    ["CONNECTIONS_STARVED", { asked: 1000, answered: 284.57 }, "285 of 1,000 connections"],
    ["CONNECTIONS_RESET", SOME, "(23.9 %) … reset"],
    ["REQUESTS_DROPPED", SOME, "(23.9 %) … closed"],
    ["REQUESTS_FAILED", { ...SOME, program: "wrk" }, "(23.9 %) … wrk"],
    ["FIGURE_NOT_TOLD", { program: "ab", figure: "latency", ok: 3, sent: 4 }, "ab … latency … 3 answers … apart"],
    ["FIGURE_NOT_TOLD", { program: "lbbench", figure: "latency", ok: 5, sent: 5 }, "ab.txt of lbbench … 5 answers"],
    ["TIMEOUTS", { ...SOME, timeoutMs: 10_000 }, "(23.9 %) … 10 s"],
    ["REQUESTS_LOST", { sent: 15_001, accounted: 15_000 }, "15,001 … 15,000"],
    ["REQUESTS_LOST", { completed: 500, counted: 499 }, "500 … balancer passed on 499"],
    ["FD_LIMIT", { code: "EMFILE", count: 6, process: "generator", fdLimit: 1024 }, "not the server … 6 … 1,024"],
    ["FD_LIMIT", { connections: 1000, needed: 1064, fdLimit: 1024 }, "1,000 connections … 1,064 … 1,024"],
    ["FD_LIMIT", { process: "balancer", used: 1000, fdLimit: 1024 }, "balancer had 1,000 … 1,024"],
    ["PORTS_EXHAUSTED", { process: "generator", count: 7, first: 40_000, last: 40_099 }, "not the server … 40000"],
    ["PORTS_EXHAUSTED", { process: "generator", needed: 30_000, ports: 28_232 }, "may need 30,000 … 28,232"],
    [
      "PORTS_EXHAUSTED",
      { process: "balancer", taken: 25_000, ports: 28_232, destination: "127.0.0.1:8080" },
      "balancer had 25,000 of 28,232 … 127.0.0.1:8080",
    ],
    ["GENERATOR_SATURATED", { process: "wrk", cpu: 1.8, busiestThread: 0.96 }, "wrk … 180.0 % … thread 96.0 %"],
    ["GENERATOR_SATURATED", { process: "generator-1", cpu: 0.99, eventLoopUtilization: 1 }, "99.0 % … loop 100.0 %"],
    ["WORSE_THAN_REFERENCE", { ...WORSE, metric: "throughput" }, "12.4 % lower … 10.8 to 13.9 … allows 5 %"],
    [
      "WORSE_THAN_REFERENCE",
      { ...WORSE, metric: "p99", change: 0.2, low: 0.18, high: 0.22, levels: "1, 50" },
      "At worst … 20.0 % higher than that of single … 18.0 to 22.0",
    ],
    ["WORSE_THAN_REFERENCE", { ...WORSE, metric: "errors", change: 0.015, margin: 0.001 }, "1.5 points … 0.1 points"],
    ["WORSE_THAN_REFERENCE", { reference: "single", metric: "deaths", died: 3, trials: 3 }, "died in 3 of 3 trials"],
    [
      "COMPARISON_INCONCLUSIVE",
      { ...WORSE, because: "TOO_FEW_TRIALS", trialsNeeded: 5 },
      "at least 5 … by more than 5 %",
    ],
    ["COMPARISON_INCONCLUSIVE", { ...WORSE, because: "TOO_FEW_TRIALS", planned: 7 }, "of the 7 trials … --resume"],
    ["COMPARISON_INCONCLUSIVE", { ...WORSE, because: "WITHIN_NOISE" }, "vary too much … single"],
    ["COMPARISON_INCONCLUSIVE", { ...WORSE, because: "TOO_SHORT" }, "TOO_SHORT"],
    ["MACHINE_SATURATED", { machine: 0.97 }, "97.0 %"],
    ["LEVEL_NOT_REACHED", { asked: 500, opened: 412 }, "412 of 500 connections were ever open"],
    ["LEVEL_NOT_REACHED", { rate: 1000, planned: 5000, unsent: 30 }, "30 of 5,000 requests"],
    ["LEVEL_NOT_REACHED", { rate: 9000, latenessMs: 25 }, "25 ms late … 9,000 requests per second"],
    ["KEEPALIVE_REFUSED", { established: 15_050, opened: 50, answers: 15_000 }, "15,050 … 15,000 … 50"],
    ["LITTLES_LAW", { asked: 50, computed: 60 }, "60.0 connections … 50"],
    [
      "LITTLES_LAW",
      { target: "a", users: 100, kind: "users", asked: 50.5, computed: 61.2 },
      "up to 100 users … 61.2 … 50.5",
    ],
    ["TOO_SHORT", { elapsedMs: 116, minimumMs: 1000 }, "116 ms … 1 s"],
    [
      "TRIALS_DISAGREE",
      { target: "a", levels: "1, 50", connections: 50, trials: 3, low: 900, high: 1101, spread: 0.201 },
      "a at 1, 50 connections: 3 trials … 900 … 1,101 … 20.1 % … at 50",
    ],
    ["THRESHOLD_FAILED", { threshold: "p99<50ms", metric: "p99", actual: 52.1 }, "p99<50ms … 52.1 ms"],
    ["THRESHOLD_FAILED", { threshold: "errors<1%", metric: "errors", actual: 0.025 }, "errors<1% … 2.5 %"],
    [
      "THRESHOLD_INCONCLUSIVE",
      { threshold: "throughput>9", metric: "throughput", actual: 832, because: "TOO_SHORT", target: "a", levels: "5" },
      "a at 5 connections … throughput>9 … 832 ok responses/s … TOO_SHORT",
    ],
    ["STEP_FAILED", { code: "NOT_READY", message: "no answer." }, "NOT_READY: no answer."],
    ["TARGET_DIED", { message: "code 1", second: 61, atUsers: 62 }, "second 61 … 62 users … code 1."],
    [
      "CLIFF",
      { ...RAMP, remaining: 0.03, failsFrom: 62, failsFromSecond: 61 },
      "62 users (second 61) … fail and … 3.0 %",
    ],
    ["CLIFF", { ...CURVE, lastGood: 50, firstBad: 100, remaining: 0.01 }, "1.0 % … between 50 and 100 connections"],
    ["DEGRADES", { ...RAMP, remaining: 0.4, failsFrom: 49, failsFromSecond: 48 }, "since second 48 … 40.0 %"],
    ["SHEDS", RAMP, "grpc: from 62 users (second 61) on … refused"],
    ["KNEE", { ...KNEE, kind: "users", knee: 41.2, second: 40 }, "41 users (second 40) … 2,000 ok responses/s"],
    ["KNEE", KNEE, "20 connections (between 10 and 40) … 2,000 ok responses/s"],
    [
      "KNEE",
      { ...KNEE, knee: 2.8, below: 1, above: 50, reached: 50 },
      "between 1 and 50 connections … about 3 of them",
    ],
    ["KNEE", { ...KNEE, knee: 8.7, below: 5, above: 10, reached: 50 }, "gradually … at 50 connections … about 9"],
    [
      "KNEE",
      { ...KNEE, bottleneck: "balancer", busyAt: "100, 250" },
      "balancer was at its limit at 100, 250 connections",
    ],
    ["KNEE", { ...KNEE, bottleneck: "generator" }, "load generator was at its limit … may carry more"],
    ["SCALABILITY", { ...LAW, bound: 11_000 }, "1.2 % … 9.1 % (95 % interval 8.0 to 10.2) … below about 11,000"],
    [
      "SCALABILITY",
      { ...LAW, contentionLow: 0, peakLoad: 48, peakLow: 40, peakHigh: 60, peakThroughput: 16_690 },
      "at most 10.2 % … 16,690 … 48 connections (95 % interval 40 to 60) … nothing was measured beyond 20",
    ],
    ["LIMIT_FOUND", { target: "pool", connections: 36, held: 36, broken: 37, because: "errors<=0" }, "36 … at 37"],
    ["LIMIT_FOUND", { target: "pool", connections: 36, held: 36, broken: 37, because: "errors<1%" }, "errors<1%"],
    [
      "STOPPED_EARLY",
      { target: "api", rule: "p99>=50ms", metric: "p99", actual: 51, rate: 50, trial: 1, skipped: 1 },
      "api at 50 requests per second: 1 higher level was … p99>=50ms … 51.0 ms",
    ],
    ["BYTES_DIFFER", { ...BYTES, reason: "body" }, "1,200 bytes … 12"],
    ["BYTES_DIFFER", { ...BYTES, reason: "head" }, "1,350 bytes … 162 … bodies are alike"],
    [
      "BYTES_DIFFER",
      { ...BYTES, reason: "counting", engine: "x", otherEngine: "ab" },
      "engine x, there ab … head and body",
    ],
    ["FAST_FAILURES", FAILED, "970 of 1,000 answers (97.0 %) … 7.92 ms … 8.10 ms in place of 12.6 ms"],
    [
      "FAST_FAILURES",
      { ...FAILED, mean: 14, mixedMean: 8.956, lighter: 20, lighterP50: 11 },
      "8.96 ms in place of 14.0 ms … 20 (11.0 ms)",
    ],
    [
      "IDENTICAL_FIGURES",
      { target: "b", other: "a", levels: "1, 50", connections: 1, copied: 2, figures: 26 },
      "of a … 26",
    ],
    [
      "IDENTICAL_FIGURES",
      { target: "a", other: "a", levels: "50", connections: 50, copied: 1, figures: 13 },
      "its steps",
    ],
    [
      "WITHIN_NOISE",
      { ...NOISE, higher: "50, 100", highest: 0.098, lower: "1", lowest: -0.347 },
      "9.8 % above that of a at 50, 100 connections … 34.7 % below that of a at 1 connection … 5 trials",
    ],
    [
      "WITHIN_NOISE",
      { ...NOISE, kind: "rate", metric: "p50", lower: "500", lowest: -0.05 },
      "p50 … 5.0 % below that of a at 500 requests per second",
    ],
    // Of several steps: which was the worst, of how many it is, or all of them together.
    [
      "LEVEL_NOT_REACHED",
      { ...NOT_REACHED, levels: "500, 1000", steps: 4, connections: 1000 },
      "512 of 1,000 … of 4 steps, at 1,000",
    ],
    ["LEVEL_NOT_REACHED", { ...NOT_REACHED, levels: "1000", steps: 3, connections: 1000 }, "the worst of 3 trials"],
    ["MACHINE_SATURATED", { ...MANY, machine: 1, alike: 1 }, "api at 1, 10, 40 connections … (in 6 steps)"],
    [
      "NON_2XX",
      { ...ALL_OF_MANY, allStatus: "503" },
      "1,129 of 3,673 requests (30.7 %) … 503 (6 steps, up to 23.9 % at 10)",
    ],
    ["ALL_FAILED", { ...MANY, sent: 9, inFlight: 1, allSent: 103_475, allInFlight: 104 }, "none of 103,475 requests"],
    // One of a thing, and shares that would be rounded to none or to all.
    ["NON_2XX", { count: 1, sent: 1, share: 1 }, "1 of 1 request (100.0 %) was"],
    ["NON_2XX", { count: 21_386, sent: 21_387, share: 21_386 / 21_387 }, "(99.99 %) were"],
    ["NON_2XX", { count: 1, sent: 99_999, share: 1 / 99_999 }, "(0.001 %) was"],
    ["LEVEL_NOT_REACHED", { asked: 1, opened: 0 }, "0 of 1 connection was ever open"],
    ["CLIFF", { ...RAMP, firstBad: 1, second: 3, remaining: 0.1 }, "from 1 user (second 3) on"],
    ["CLIFF", { ...CURVE, firstBad: 1, remaining: 0.1 }, "at 1 connection, the first level"],
    ["TARGET_DIED", { message: "<b>|`x`", target: "<i>*a*", levels: "1" }, "<i>*a* at 1 connection … <b>|`x`."],
  ])("%s of %o says what was seen, in figures", (code, args, facts) => {
    const { text } = say(code, args);
    for (const fact of facts.split(" … ")) expect(text).toContain(fact);
    expect(text).not.toMatch(/undefined|NaN|null|\?|\[object/);
  });

  it.each<[FindingCode, FindingArgs, RegExp]>([
    ["LIMIT_NOT_FOUND", { reason: "unbounded" }, /--most/],
    ["LIMIT_NOT_FOUND", { reason: "unfinished" }, /--resume/],
    ["KNEE", { below: 5, above: 10, reached: 50 }, /latency that you accept/],
    ["KNEE", { below: 1, above: 50, reached: 50 }, /levels between the two/],
    ["KNEE", { below: 5, above: 10, reached: 10 }, /below the knee/],
    ["NON_2XX", { ...SOME, status: "503" }, /limit/],
    ["NON_2XX", { ...SOME, status: "404" }, /URL/],
    ["TOO_SHORT", { elapsedMs: 100, minimumMs: 500 }, /--duration/],
  ])("%s of %o says what to do about that", (code, args, remedy) => {
    expect(say(code, args).remedy).toMatch(remedy);
  });

  it("of a code that is not known names it and its args", () => {
    const unknown = { code: "constructor", severity: "info", args: { knee: 250 } } as unknown as Finding;
    expect(describeFinding(unknown)).toMatchObject({ title: "constructor", text: "constructor: knee 250." });
  });
});

/** Args on which the words depend. */
const VARIANTS: Readonly<Record<string, readonly FindingArgs[]>> = {
  FIGURE_DOUBTFUL: [
    "whole-seconds",
    "closed-uncounted",
    "made-up-latencies",
    "corrected-latencies",
    "other-lengths",
    "varying-load",
    "of a later version",
  ].map((because) => ({ program: "ab", figure: "errors", because })),
  FIGURE_NOT_TOLD: ["ab", "lbbench"].map((program) => ({ program, figure: "latency", ok: 5, sent: 6 })),
  LIMIT_NOT_FOUND: ["unbounded", "unclear", "unfinished"].map((reason) => ({ reason })),
  KNEE: [KNEE, { ...KNEE, below: 1, above: 50, reached: 50 }],
};

describe.each(CODES)("%s", (code) => {
  it.each([{}, ...(VARIANTS[code] ?? [])])("has words without args, and with %o", (args) => {
    const { title, text, cause, remedy } = say(code, args);
    for (const sentence of [text, cause, remedy]) expect(sentence).toMatch(/^(?:[A-Z?]|pool: ).*[^.]\.$/);
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    expect([title, text, cause, remedy].join(" ")).not.toMatch(/undefined|NaN|null|\[object/);
    // `lbbench import` has no flag that would measure in another way.
    const imported = say(code, args, "imported").remedy;
    expect(imported).toMatch(/^[A-Z].*\.$/);
    expect(imported).not.toMatch(/--\w|\bengine that tells|the duration\b|\[object|undefined/);
  });
});

describe("docs/findings.md", () => {
  const text = readFileSync(new URL("../../../../docs/findings.md", import.meta.url), "utf8");
  const sections = text.split(/^## /m).slice(1);

  it("has one section for every code, in alphabetical order, and says what each means and what to do", () => {
    expect(sections.map((section) => section.split("\n", 1)[0])).toEqual(CODES.toSorted());
    for (const section of sections) {
      const labels = [...section.matchAll(/^- \*\*(\w+)\*\*: \S/gm)].map(([, label]) => label);
      expect(labels, section).toEqual(["Severity", "Meaning", "Rule", "Cause", "Remedy"]);
    }
  });
});
