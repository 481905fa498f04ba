import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Finding, FindingArgs, FindingCode } from "../model/finding.js";
import { FINDING_PROSE } from "./finding-prose.js";
import { describeFinding } from "./finding-text.js";

function textOf(code: FindingCode, args: FindingArgs): string {
  return describeFinding({ code, severity: "warning", args }).text;
}

/** What findings about the seconds of a ramp have. */
const RAMP: FindingArgs = { target: "grpc", kind: "users", firstBad: 62, second: 61 };

/** What findings about levels have. */
const CURVE: FindingArgs = { target: "pool", kind: "connections" };

const LAW: FindingArgs = { ...CURVE, relativeError: 0.012, contention: 0.091, coherency: 0.000029, highest: 20 };

describe("describeFinding", () => {
  it.each<[string, FindingCode, FindingArgs]>([
    [
      "2,391 of 10,000 requests (23.9 %) were answered with a status other than 2xx, most often 503.",
      "NON_2XX",
      { count: 2391, sent: 10_000, share: 0.2391, expected: "2xx", status: "503" },
    ],
    ["None of 900 requests was answered as expected.", "ALL_FAILED", { sent: 900, inFlight: 0 }],
    ["None of 50 requests was answered before the measurement ended.", "ALL_FAILED", { sent: 50, inFlight: 50 }],
    [
      "3 of 1,000 requests (0.3 %) were answered with another body than expected, or with something that is not HTTP.",
      "BODY_MISMATCH",
      { count: 3, sent: 1000, share: 0.003 },
    ],
    [
      "1 of 4 requests (25.0 %) found no connection, most often because of ECONNREFUSED.",
      "CONNECT_ERRORS",
      { count: 1, sent: 4, share: 0.25, code: "ECONNREFUSED" },
    ],
    ["1 of 4 requests (25.0 %) found no connection.", "CONNECT_ERRORS", { count: 1, sent: 4, share: 0.25 }],
    [
      "The requests that were answered kept 285 of 1,000 connections busy on average; in the rest of their time they were being made, or waited for answers that had not come when the measurement ended, which is in no latency.",
      "CONNECTIONS_STARVED",
      { asked: 1000, answered: 284.57 },
    ],
    [
      "1 of 4 requests (25.0 %) ended with the connection reset.",
      "CONNECTIONS_RESET",
      { count: 1, sent: 4, share: 0.25 },
    ],
    [
      "The server closed the connection before the answer was complete in 1 of 4 requests (25.0 %).",
      "REQUESTS_DROPPED",
      { count: 1, sent: 4, share: 0.25 },
    ],
    [
      "1 of 4 requests (25.0 %) failed, and wrk does not tell how.",
      "REQUESTS_FAILED",
      { count: 1, sent: 4, share: 0.25, program: "wrk" },
    ],
    [
      "The program ab does not tell the latency of the 3 answers that were ok apart from that of others.",
      "FIGURE_NOT_TOLD",
      { program: "ab", figure: "latency", ok: 3, sent: 4 },
    ],
    [
      "The program hey does not tell the latency of the 4 answers that were ok.",
      "FIGURE_NOT_TOLD",
      { program: "hey", figure: "latency", ok: 4, sent: 4 },
    ],
    [
      "No request was answered, nor did any fail, before the measurement ended.",
      "ALL_FAILED",
      { sent: 0, inFlight: 0 },
    ],
    [
      "1 of 4 requests (25.0 %) had no complete answer within 10 s.",
      "TIMEOUTS",
      { count: 1, sent: 4, share: 0.25, timeoutMs: 10_000 },
    ],
    ["15,001 requests were sent, but 15,000 are accounted for.", "REQUESTS_LOST", { sent: 15_001, accounted: 15_000 }],
    ["500 requests were answered, but the balancer passed on 499.", "REQUESTS_LOST", { completed: 500, counted: 499 }],
    ["The load generator ran out of file descriptors 6 times (EMFILE).", "FD_LIMIT", { code: "EMFILE", count: 6 }],
    [
      "A process that holds 1,000 connections needs about 1,064 file descriptors, and the limit is 1,024.",
      "FD_LIMIT",
      { connections: 1000, needed: 1064, fdLimit: 1024 },
    ],
    [
      "The client (the load generator), not the server, ran out of file descriptors 6 times (EMFILE), and the limit is 1,024.",
      "FD_LIMIT",
      { code: "EMFILE", count: 6, process: "generator", fdLimit: 1024 },
    ],
    [
      "Process balancer had 1,000 file descriptors open, and the limit is 1,024.",
      "FD_LIMIT",
      { process: "balancer", role: "balancer", used: 1000, fdLimit: 1024 },
    ],
    [
      "Process balancer, at 500 connections, needs about 1,020 file descriptors, and the limit is 1,024.",
      "FD_LIMIT",
      { process: "balancer", role: "balancer", connections: 500, needed: 1020, fdLimit: 1024 },
    ],
    [
      "The client (the load generator), not the server, ran out of local ports: 7 connections found none free between 40000 and 40099.",
      "PORTS_EXHAUSTED",
      { process: "generator", count: 7, first: 40_000, last: 40_099 },
    ],
    [
      "The client (the load generator) may need 30,000 local ports at a time, and there are 28,232 for connections to one destination.",
      "PORTS_EXHAUSTED",
      { process: "generator", needed: 30_000, ports: 28_232 },
    ],
    [
      "The balancer had 25,000 of 28,232 local ports taken for connections to 127.0.0.1:8080.",
      "PORTS_EXHAUSTED",
      { process: "balancer", taken: 25_000, ports: 28_232, destination: "127.0.0.1:8080" },
    ],
    [
      "7 connections found no free local port between 32768 and 60999.",
      "PORTS_EXHAUSTED",
      { count: 7, first: 32_768, last: 60_999 },
    ],
    [
      "Process generator-1 was busy all the time (CPU 99.0 %, event loop 100.0 %).",
      "GENERATOR_SATURATED",
      { process: "generator-1", cpu: 0.99, eventLoopUtilization: 1 },
    ],
    [
      "Process wrk was busy all the time (CPU 180.0 %, busiest thread 96.0 %).",
      "GENERATOR_SATURATED",
      { process: "wrk", cpu: 1.8, busiestThread: 0.96 },
    ],
    [
      "Throughput is 12.4 % lower than that of single (95 % interval 10.8 to 13.9), where the margin allows 5 %.",
      "WORSE_THAN_REFERENCE",
      { reference: "single", metric: "throughput", change: -0.124, low: -0.139, high: -0.108, margin: 0.05 },
    ],
    [
      "At worst p99 is 20.0 % higher than that of single (95 % interval 18.0 to 22.0), where the margin allows 2.5 %.",
      "WORSE_THAN_REFERENCE",
      { reference: "single", metric: "p99", change: 0.2, low: 0.18, high: 0.22, margin: 0.025, levels: "1, 50" },
    ],
    [
      "The share of failed requests is 1.5 points higher than that of single (95 % interval 1.0 to 2.0), where the margin allows 0.1 points.",
      "WORSE_THAN_REFERENCE",
      { reference: "single", metric: "errors", change: 0.015, low: 0.01, high: 0.02, margin: 0.001 },
    ],
    [
      "Too few trials (the levels compared take at least 5) to tell whether it is worse than single by more than 5 %.",
      "COMPARISON_INCONCLUSIVE",
      { reference: "single", margin: 0.05, because: "TOO_FEW_TRIALS", trialsNeeded: 5 },
    ],
    [
      "Too few of the 5 trials were measured (--resume goes on) to tell whether it is worse than single by more than 5 %.",
      "COMPARISON_INCONCLUSIVE",
      { reference: "single", margin: 0.05, because: "TOO_FEW_TRIALS", trialsNeeded: 4, planned: 5 },
    ],
    [
      "It died in 3 of 3 trials, single in none.",
      "WORSE_THAN_REFERENCE",
      { reference: "single", metric: "deaths", died: 3, trials: 3 },
    ],
    [
      "The trials vary too much to tell whether it is worse than single by more than 5 %.",
      "COMPARISON_INCONCLUSIVE",
      { reference: "single", margin: 0.05, because: "WITHIN_NOISE" },
    ],
    [
      "Because of TOO_SHORT it cannot be told whether it is worse than single by more than 5 %.",
      "COMPARISON_INCONCLUSIVE",
      { reference: "single", margin: 0.05, because: "TOO_SHORT" },
    ],
    ["All cores together were 97.0 % busy.", "MACHINE_SATURATED", { machine: 0.97 }],
    ["412 of 500 connections were ever open.", "LEVEL_NOT_REACHED", { asked: 500, opened: 412 }],
    [
      "30 of 5,000 requests that were due could not leave, as too many were in flight.",
      "LEVEL_NOT_REACHED",
      { rate: 1000, planned: 5000, unsent: 30 },
    ],
    [
      "Requests left 25 ms late on average, so the generator did not keep up with 9,000 requests per second.",
      "LEVEL_NOT_REACHED",
      { rate: 9000, latenessMs: 25 },
    ],
    [
      "15,050 connections were established for 15,000 answers, instead of 50 that stay open.",
      "KEEPALIVE_REFUSED",
      { established: 15_050, opened: 50, answers: 15_000 },
    ],
    [
      "Throughput times mean latency makes 60.0 connections, but there were 50.",
      "LITTLES_LAW",
      { asked: 50, computed: 60 },
    ],
    [
      "It lasted 116 ms, less than the 1 s that figures need to settle.",
      "TOO_SHORT",
      { elapsedMs: 116, minimumMs: 1000 },
    ],
    [
      "single at 50 connections: 3 trials gave between 900 and 1,101 ok responses/s, 20.1 % of the median apart.",
      "TRIALS_DISAGREE",
      { target: "single", levels: "50", connections: 50, trials: 3, low: 900, high: 1101, spread: 0.201 },
    ],
    [
      "a at 1, 50 connections: 3 trials gave between 900 and 1,101 ok responses/s, 20.1 % of the median apart (the worst, at 50).",
      "TRIALS_DISAGREE",
      { target: "a", levels: "1, 50", connections: 50, trials: 3, low: 900, high: 1101, spread: 0.201 },
    ],
    [
      "Threshold p99<50ms does not hold: 52.1 ms.",
      "THRESHOLD_FAILED",
      { threshold: "p99<50ms", metric: "p99", actual: 52.1 },
    ],
    [
      "errors<1% at 1 connection: threshold errors<1% does not hold: 2.5 %.",
      "THRESHOLD_FAILED",
      { threshold: "errors<1%", metric: "errors", actual: 0.025, target: "errors<1%", levels: "1" },
    ],
    [
      "a at 5 connections: threshold throughput>9 cannot be judged because of TOO_SHORT; measured: 832 ok responses/s.",
      "THRESHOLD_INCONCLUSIVE",
      { threshold: "throughput>9", metric: "throughput", actual: 832, because: "TOO_SHORT", target: "a", levels: "5" },
    ],
    ["The step failed with NOT_READY: no answer.", "STEP_FAILED", { code: "NOT_READY", message: "no answer." }],
    ["The target ended while it was measured: code 1.", "TARGET_DIED", { message: "code 1" }],
    ["Everything was measured once.", "SINGLE_TRIAL", {}],
    [
      "grpc: from 62 users (second 61) on, requests fail and goodput falls to 3.0 %: it falls off a cliff.",
      "CLIFF",
      { ...RAMP, lastGood: 61, remaining: 0.03, failsFrom: 62, failsFromSecond: 61 },
    ],
    [
      "grpc: from 62 users (second 61) on, goodput falls to 0.0 %: it falls off a cliff.",
      "CLIFF",
      { ...RAMP, remaining: 0 },
    ],
    [
      "grpc: from 62 users (second 61) on, requests fail (since second 48) and goodput falls, at worst to 40.0 %: it degrades.",
      "DEGRADES",
      { ...RAMP, remaining: 0.4, failsFrom: 49, failsFromSecond: 48 },
    ],
    [
      "grpc: from 62 users (second 61) on, requests are refused, while as many as at its best are answered: it sheds load.",
      "SHEDS",
      RAMP,
    ],
    [
      "grpc: throughput stops growing at about 41 users (second 40), at 2,135 ok responses/s; more of them only wait longer.",
      "KNEE",
      { target: "grpc", kind: "users", knee: 41.2, below: 38.5, above: 43.5, throughput: 2135, second: 40 },
    ],
    [
      "grpc: throughput stops growing at about 41 users (second 40), at 2,135 ok responses/s.",
      "KNEE",
      {
        target: "grpc",
        kind: "users",
        knee: 41.2,
        below: 38.5,
        above: 43.5,
        throughput: 2135,
        second: 40,
        then: "CLIFF",
      },
    ],
    [
      "pool: throughput stops growing at about 20 connections (between 10 and 40), at 2,000 ok responses/s; more load only waits longer.",
      "KNEE",
      { ...CURVE, knee: 20, below: 10, above: 40, throughput: 2000, reached: 40 },
    ],
    [
      "pool: throughput stops growing at about 20 connections (between 10 and 40), at 2,000 ok responses/s.",
      "KNEE",
      { ...CURVE, knee: 20, below: 10, above: 40, throughput: 2000, reached: 20, then: "DEGRADES" },
    ],
    [
      "pool: throughput levels off somewhere between 1 and 50 connections, at 14,000 ok responses/s: one connection makes about 5,000, so that it takes about 3 of them or more; more load only waits longer.",
      "KNEE",
      { ...CURVE, knee: 2.8, below: 1, above: 50, throughput: 14_000, reached: 50 },
    ],
    [
      "pool: throughput levels off gradually, without a sharp bend: it comes within 10 % of 8,590 ok responses/s at 50 connections, and would be there at about 9 if nobody had to wait for anybody.",
      "KNEE",
      { ...CURVE, knee: 8.7, below: 5, above: 10, throughput: 8590, reached: 50 },
    ],
    [
      "pool: by the Universal Scalability Law, which fits within 1.2 %, about 9.1 % (95 % interval 8.0 to 10.2) of the work is done one at a time; throughput is highest, about 16,690 ok responses/s, at about 48 connections (95 % interval 40 to 60): extrapolated, nothing was measured beyond 20.",
      "SCALABILITY",
      {
        ...LAW,
        contentionLow: 0.08,
        contentionHigh: 0.102,
        peakLoad: 48,
        peakLow: 40,
        peakHigh: 60,
        peakThroughput: 16_690,
      },
    ],
    [
      "pool: by the Universal Scalability Law, which fits within 1.2 %, about 9.1 % (95 % interval 8.0 to 10.2) of the work is done one at a time; however many connections there are, throughput stays below about 11,000 ok responses/s.",
      "SCALABILITY",
      { ...LAW, contentionLow: 0.08, contentionHigh: 0.102, bound: 11_000 },
    ],
    [
      "pool: by the Universal Scalability Law, which fits within 1.2 %, at most 0.3 % of the work is done one at a time; throughput is highest, about 900 ok responses/s, at about 12 connections (95 % interval 10 to 14).",
      "SCALABILITY",
      { ...LAW, contentionLow: 0, contentionHigh: 0.003, peakLoad: 12, peakLow: 10, peakHigh: 14, peakThroughput: 900 },
    ],
    [
      "pool at 36 connections: the largest load that held; at 37, requests failed.",
      "LIMIT_FOUND",
      { target: "pool", connections: 36, held: 36, broken: 37, because: "errors<=0" },
    ],
    [
      "pool at 36 connections: the largest load that held; at 37, too many requests failed (errors<1%).",
      "LIMIT_FOUND",
      { target: "pool", connections: 36, held: 36, broken: 37, because: "errors<1%" },
    ],
    [
      "single: goodput fell to 1.0 % of its best between 50 and 100 connections, all at once.",
      "CLIFF",
      { target: "single", kind: "connections", lastGood: 50, firstBad: 100, remaining: 0.01 },
    ],
    [
      "grpc at up to 100 users: throughput times mean latency makes 61.2 users on average, but there were 50.5.",
      "LITTLES_LAW",
      { target: "grpc", users: 100, levels: "100", steps: 1, trial: 1, asked: 50.5, computed: 61.2, kind: "users" },
    ],
    [
      "grpc at up to 100 users: the target ended while it was measured, in second 61 with 62 users: code 1.",
      "TARGET_DIED",
      { target: "grpc", users: 100, levels: "100", steps: 1, message: "code 1", second: 61, atUsers: 62 },
    ],
    [
      "single at 500 connections: 2 higher levels were not measured, because the stop rule errors>10% was met (12.0 %).",
      "STOPPED_EARLY",
      { target: "single", rule: "errors>10%", metric: "errors", actual: 0.12, connections: 500, trial: 1, skipped: 2 },
    ],
    [
      "api at 50 requests per second: 1 higher level was not measured, because the stop rule p99>=50ms was met (51.0 ms).",
      "STOPPED_EARLY",
      { target: "api", rule: "p99>=50ms", metric: "p99", actual: 51, rate: 50, trial: 1, skipped: 1 },
    ],
  ])("says: %s", (text, code, args) => {
    expect(textOf(code, args)).toBe(text);
  });

  it("says at which levels it was found and where it was worst", () => {
    const args = {
      asked: 1000,
      opened: 512,
      target: "balanced",
      levels: "500, 1000",
      steps: 4,
      connections: 1000,
      trial: 1,
    };
    expect(textOf("LEVEL_NOT_REACHED", args)).toBe(
      "balanced at 500, 1,000 connections: 512 of 1,000 connections were ever open (the worst of 4 steps, at 1,000).",
    );
  });

  it("says of how many trials of one level it shows the worst", () => {
    const args = { asked: 9, opened: 5, target: "balanced", levels: "9", steps: 3, connections: 9, trial: 2 };
    expect(textOf("LEVEL_NOT_REACHED", args)).toBe(
      "balanced at 9 connections: 5 of 9 connections were ever open (the worst of 3 trials).",
    );
  });

  it("tells failed requests of all steps together, and how many it was at worst", () => {
    const args = {
      count: 113,
      sent: 326,
      share: 0.3466,
      expected: "2xx",
      status: "503",
      target: "api",
      levels: "1, 10, 40",
      steps: 6,
      connections: 10,
      trial: 1,
      allCount: 1129,
      allSent: 3673,
      allShare: 0.3074,
      allStatus: "503",
    };
    expect(textOf("NON_2XX", args)).toBe(
      "api at 1, 10, 40 connections: 1,129 of 3,673 requests (30.7 %) were answered with a status other than 2xx, most often 503 (6 steps, up to 34.7 % at 10).",
    );
    expect(textOf("NON_2XX", { ...args, levels: "10", steps: 2 })).toContain("503 (2 trials, up to 34.7 %).");
    expect(textOf("NON_2XX", { ...args, alike: 1 })).toContain("503 (in 6 steps).");
    const { allStatus: _, ...mixed } = args;
    expect(textOf("NON_2XX", mixed)).not.toContain("503");
    const none = { sent: 28_557, inFlight: 40, allSent: 103_475, allInFlight: 104 };
    expect(textOf("ALL_FAILED", { ...none, target: "api", levels: "1, 10", steps: 6, connections: 10, trial: 1 })).toBe(
      "api at 1, 10 connections: none of 103,475 requests was answered as expected (in 6 steps).",
    );
  });

  it.each<[string, FindingCode, FindingArgs]>([
    ["1 of 1 request (100.0 %) was", "NON_2XX", { count: 1, sent: 1, share: 1 }],
    ["21,386 of 21,387 requests (99.99 %) were", "NON_2XX", { count: 21_386, sent: 21_387, share: 21_386 / 21_387 }],
    ["1 of 99,999 requests (0.001 %) was", "NON_2XX", { count: 1, sent: 99_999, share: 1 / 99_999 }],
    ["None of 1 request was", "ALL_FAILED", { sent: 1, inFlight: 0 }],
    ["0 of 1 connection was ever open", "LEVEL_NOT_REACHED", { asked: 1, opened: 0 }],
    ["1 connection was established for 1 answer,", "KEEPALIVE_REFUSED", { established: 1, answers: 1, opened: 1 }],
    ["goodput fell from 1 connection on", "DEGRADES", { ...CURVE, firstBad: 1, remaining: 0.5 }],
    ["of its best at 1 connection, the first level", "CLIFF", { ...CURVE, firstBad: 1, remaining: 0.1 }],
    ["from 1 user (second 3) on", "CLIFF", { ...RAMP, firstBad: 1, second: 3, remaining: 0.1 }],
  ])("counts well: %s", (part, code, args) => {
    expect(textOf(code, args)).toContain(part);
  });

  it.each([
    ["none", undefined, "; none of its processes was at its limit."],
    ["balancer", "100, 250", "; its balancer was at its limit at 100, 250 connections."],
    ["backend", undefined, "; its backends were at their limit from there on."],
    ["generator", "50", "; the load generator was at its limit at 50 connections, so that the target may carry more."],
    ["machine", undefined, "; all cores of the machine were busy from there on."],
  ])("says of a knee what was busy: %s at %s", (bottleneck, busyAt, end) => {
    const args = { ...CURVE, knee: 7.7, below: 1, above: 50, throughput: 8995, reached: 50, bottleneck };
    expect(textOf("KNEE", busyAt === undefined ? args : { ...args, busyAt })).toBe(
      `pool: throughput levels off somewhere between 1 and 50 connections, at 8,995 ok responses/s: one connection makes about 1,168, so that it takes about 8 of them or more; more load only waits longer${end}`,
    );
  });

  it("says of a knee in a schedule why it is not lower", () => {
    const args = { target: "a", kind: "rate", knee: 70, below: 10, above: 100, throughput: 70, reached: 100 };
    expect(textOf("KNEE", args)).toContain("at the pace of the levels before it is there at about 70 or later");
  });

  it("names no worst where all are alike", () => {
    const args = { machine: 1, target: "a", levels: "1, 50", steps: 4, connections: 1, trial: 1, alike: 1 };
    expect(textOf("MACHINE_SATURATED", args)).toBe(
      "a at 1, 50 connections: all cores together were 100.0 % busy (in 4 steps).",
    );
    expect(textOf("MACHINE_SATURATED", { ...args, levels: "1" })).toContain("busy (in 4 trials).");
  });

  it.each<[FindingCode, FindingArgs, RegExp]>([
    ["LIMIT_NOT_FOUND", { reason: "unbounded" }, /^Nothing, .*--most/],
    ["LIMIT_NOT_FOUND", { reason: "unclear" }, /finding that is named/],
    ["LIMIT_NOT_FOUND", { reason: "unfinished" }, /--resume/],
    ["KNEE", { below: 5, above: 10, reached: 50 }, /latency that you accept/],
    ["KNEE", { below: 1, above: 50, reached: 50 }, /levels between the two/],
    ["KNEE", { below: 5, above: 10, reached: 10 }, /below the knee/],
    ["ALL_FAILED", { sent: 9, inFlight: 0 }, /lower levels were answered/],
  ])("says of %s with %j what to do about that", (code, args, remedy) => {
    expect(describeFinding({ code, severity: "info", args }).remedy).toMatch(remedy);
  });

  it("leaves names and messages as they came", () => {
    const text = textOf("TARGET_DIED", { message: "<b>|`x`", target: "<i>*a*", levels: "1" });
    expect(text).toBe("<i>*a* at 1 connection: the target ended while it was measured: <b>|`x`.");
  });

  it("describes a code that it does not know by its args", () => {
    const unknown = { code: "constructor", severity: "info", args: { knee: 250 } } as unknown as Finding;
    expect(describeFinding(unknown)).toMatchObject({ title: "constructor", text: "constructor: knee 250." });
  });

  it.each([...FINDING_PROSE.keys()])("describes %s even when its args are missing", (code) => {
    const { title, text, cause, remedy } = describeFinding({ code: code as FindingCode, severity: "info", args: {} });
    expect(text).toMatch(/^[A-Z?].*[^.]\.$/);
    expect(text).not.toMatch(/undefined|NaN|null/);
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    expect([cause, remedy].every((sentence) => /^[A-Z].*\.$/.test(sentence))).toBe(true);
  });
});

describe("docs/findings.md", () => {
  const text = readFileSync(new URL("../../../../docs/findings.md", import.meta.url), "utf8");
  const sections = text
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split("\n", 1)[0] as string, section] as const);

  it("has one section for every code, in alphabetical order, and no other", () => {
    expect(sections.map(([code]) => code)).toEqual([...FINDING_PROSE.keys()].toSorted());
  });

  it.each(sections)("says of %s what it means, when it is found and what to do", (_, section) => {
    const labels = [...section.matchAll(/^- \*\*(\w+)\*\*: \S/gm)].map(([, label]) => label);
    expect(labels).toEqual(["Severity", "Meaning", "Rule", "Cause", "Remedy"]);
  });
});

it("asks to look at what is still answered where requests are refused, and else to look at the URL", () => {
  const remedyOf = (status: string): string =>
    describeFinding({ code: "NON_2XX", severity: "warning", args: { count: 5, sent: 10, share: 0.5, status } }).remedy;
  expect(remedyOf("503")).toContain("take the last level without it for the limit");
  expect(remedyOf("404")).toContain("Request the URL once by hand");
});

describe("describeFinding of an imported result", () => {
  const reasons = {
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
    KNEE: [{ below: 1, above: 50, reached: 50 }],
  } as Readonly<Record<string, readonly FindingArgs[]>>;
  const all = [...FINDING_PROSE.keys()].flatMap((code) =>
    (reasons[code] ?? [{}]).map((args) => [code as FindingCode, args] as const),
  );

  it.each(all)("names no setting of a sweep as the remedy of %s with %j", (code, args) => {
    const { remedy } = describeFinding({ code, severity: "warning", args }, "imported");
    expect(remedy).toMatch(/^[A-Z].*\.$/);
    // `lbbench import` has no flag that would measure in another way.
    expect(remedy).not.toMatch(/--\w|\bengine that tells|the duration\b/);
    expect(remedy).not.toMatch(/\[object|undefined/);
  });

  it("says how other outputs are got, and leaves the remedies of what lbbench has measured as they are", () => {
    const short = { code: "TOO_SHORT", severity: "warning", args: { elapsedMs: 100, minimumMs: 500 } } as const;
    expect(describeFinding(short).remedy).toContain("--duration");
    expect(describeFinding(short, "imported").remedy).toContain("import its output");
    expect(describeFinding({ code: "SINGLE_TRIAL", severity: "info", args: {} }, "imported").remedy).toContain(
      "import the output of all runs together",
    );
  });

  it("does not call ab.txt of lbbench a program", () => {
    const args = { program: "lbbench", figure: "latency", ok: 5, sent: 5 };
    const { text } = describeFinding({ code: "FIGURE_NOT_TOLD", severity: "info", args }, "imported");
    expect(text).toBe("The ab.txt of lbbench does not tell the latency of the 5 answers that were ok.");
  });
});
