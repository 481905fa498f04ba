import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Finding, FindingArgs, FindingCode } from "../model/finding.js";
import { FINDING_PROSE } from "./finding-prose.js";
import { describeFinding } from "./finding-text.js";

function textOf(code: FindingCode, args: FindingArgs): string {
  return describeFinding({ code, severity: "warning", args }).text;
}

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
      "balanced at 500, 1000 connections: 512 of 1,000 connections were ever open (4 steps, the worst at 1000).",
    );
  });

  it("says of how many trials of one level it shows the worst", () => {
    const args = { asked: 9, opened: 5, target: "balanced", levels: "9", steps: 3, connections: 9, trial: 2 };
    expect(textOf("LEVEL_NOT_REACHED", args)).toBe(
      "balanced at 9 connections: 5 of 9 connections were ever open (the worst of 3 trials).",
    );
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
