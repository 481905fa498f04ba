import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FINDINGS } from "../judge/findings.js";
import { keepTold } from "../judge/found.js";
import { groupFindings } from "../judge/group-findings.js";
import type { Finding, FindingArgs, FindingCode } from "../model/finding.js";
import { describeFinding, describeFindings } from "./finding-text.js";
import { NO_WORDS } from "./test-support/read-markdown.js";

const CODES = Object.keys(FINDINGS) as readonly FindingCode[];

const say = (code: FindingCode, args: FindingArgs, origin?: "imported") =>
  describeFinding({ code, severity: "warning", args }, origin);

/** Requests of which some failed, and what findings about the seconds of a ramp, about levels and about a margin have. */
const SOME: FindingArgs = { count: 2391, sent: 10_000, share: 0.2391 };
const RAMP: FindingArgs = { target: "grpc", kind: "users", firstBad: 62, second: 61, remaining: 0.03 };
const CURVE: FindingArgs = { target: "pool", kind: "connections", firstBad: 100, remaining: 0.01 };
const KNEE: FindingArgs = { ...CURVE, knee: 8.7, below: 5, above: 10, throughput: 2000, reached: 50 };
const WORSE: FindingArgs = { reference: "single", change: -0.124, low: -0.139, high: -0.108, margin: 0.05 };
const HIGHER: FindingArgs = { ...WORSE, change: 0.2, low: 0.18, high: 0.22 };
const FASTER: FindingArgs = { target: "pool", reference: "single", metric: "throughput", from: 50, p: 0.032 };
const DISAGREE: FindingArgs = { target: "a", connections: 1000, trials: 3, low: 14_939, high: 18_608, spread: 0.2 };
const BYTES: FindingArgs = { target: "b", other: "a", received: 1350, body: 1200, otherReceived: 162, otherBody: 12 };
const FAILED: FindingArgs = { count: 970, answers: 1000, share: 0.97, p50: 12.6, failedP50: 7.92, mixedP50: 8.1 };
const NOISE: FindingArgs = { target: "b", reference: "a", kind: "connections", metric: "throughput", trials: 5 };
const BOTH_WAYS: FindingArgs = { ...NOISE, higher: "50, 100", lower: "1" };
const OPEN: FindingArgs = { target: "b", reference: "a", levels: "1" };
const MANY: FindingArgs = { target: "api", levels: "1, 10, 40", steps: 6, connections: 10, trial: 1 };
const HELD: FindingArgs = { target: "pool", kind: "connections", held: 36 };
const LIMIT: FindingArgs = { ...HELD, connections: 36, broken: 37 };
const UP_TO: FindingArgs = { ...HELD, connections: 40, last: 40, because: "FD_LIMIT" };

/** Args on which the words of a code depend. */
const LEAK = { requestBytes: 20_140, fromBytes: 60.4e6, toBytes: 480.2e6, requests: 21_000 };
const SLOW = { process: "backend-4", ms: 60.3, othersMs: 2.41, share: 0.25 };
const ADDED = { target: "nginx", reference: "single", kind: "rate", levels: "500", least: 0.2, most: 0.2, p: 0.0312 };
const CASES: readonly (readonly [FindingCode, ...(readonly FindingArgs[])])[] = [
  ["NON_2XX", { ...SOME, expected: "2xx", status: "503" }, { ...SOME, status: "404" }],
  // Shares that would be rounded to none or to all, one of a thing, and several steps together.
  ["NON_2XX", { count: 1, sent: 99_999, share: 1 / 99_999 }, { count: 21_386, sent: 21_387, share: 21_386 / 21_387 }],
  ["NON_2XX", { count: 1, sent: 1, share: 1 }],
  ["NON_2XX", { ...MANY, ...SOME, allCount: 1129, allSent: 3673, allShare: 0.3074, allStatus: "503" }],
  ["ALL_FAILED", { sent: 900, inFlight: 0 }, { sent: 50, inFlight: 50 }, { sent: 0, inFlight: 0 }],
  ["ALL_FAILED", { ...MANY, sent: 9, inFlight: 1, allSent: 103_475, allInFlight: 104 }],
  ["CONNECT_ERRORS", { ...SOME, code: "ECONNREFUSED" }],
  ["CONNECT_ERRORS", ...["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_HTTP2_NOT_SPOKEN"].map((code) => ({ ...SOME, code }))],
  ["BODY_MISMATCH", SOME, ...["ERR_HTTP2_NOT_SPOKEN", "NOT_UPGRADED"].map((code) => ({ ...SOME, code }))],
  ["CONNECTIONS_STARVED", { asked: 1000, answered: 284.57 }],
  ["FIGURE_NOT_TOLD", ...["ab", "lbbench"].map((program) => ({ program, figure: "latency", ok: 5, sent: 6 }))],
  ["TIMEOUTS", { ...SOME, timeoutMs: 10_000 }, { ...SOME, finished: 8000, timeoutMs: 10_000 }],
  ["REQUESTS_LOST", { sent: 15_001, accounted: 15_000 }, { completed: 500, counted: 499 }],
  ["FASTER", { ...FASTER, least: 0.29, most: 0.915 }, { ...FASTER, least: 0.29, most: 0.915, bound: 1 }],
  ["FASTER", { ...FASTER, least: 0.0567, most: 0.2, bound: 1 }, { ...FASTER, least: 0.0567, most: 0.0999, bound: 1 }],
  ["SLOWER", { ...FASTER, least: -0.0579, most: -0.0579, p: 0.0004, bound: 1 }],
  ["ALIKE", FASTER, { ...FASTER, together: 4 }],
  ["FD_LIMIT", { code: "EMFILE", count: 6, process: "generator", fdLimit: 1024 }],
  ["FD_LIMIT", { connections: 1000, needed: 1064, fdLimit: 1024 }, { process: "balancer", used: 1000, fdLimit: 1024 }],
  ["PORTS_EXHAUSTED", { process: "generator", count: 7, first: 40_000, last: 40_099 }],
  ["PORTS_EXHAUSTED", { process: "generator", needed: 30_000, ports: 28_232 }],
  ["PORTS_EXHAUSTED", { process: "balancer", taken: 25_000, ports: 28_232, destination: "127.0.0.1:8080" }],
  ["GENERATOR_SATURATED", { process: "wrk", cpu: 1.8, busiestThread: 0.96 }],
  ["GENERATOR_SATURATED", { process: "generator-1", cpu: 0.99, fasterEngine: "wire" }],
  ["GENERATOR_SATURATED", { worker: "gen1", host: "gen1", cpu: 0.97, eventLoopUtilization: 1, machineCpu: 0.4 }],
  ["GENERATOR_SATURATED", { worker: "gen1", host: "10.0.0.7", cpu: 0.5, machineCpu: 0.98 }],
  ["WORKER_LOST", { message: "The worker gen2 was lost: its heartbeats did not come for 4 s" }],
  ["WORKERS_DIFFER", { message: "The worker on gen2 has lbbench 0.9.0, this is 0.1.0" }],
  ["WORSE_THAN_REFERENCE", { ...WORSE, metric: "throughput" }],
  ["WORSE_THAN_REFERENCE", { ...HIGHER, metric: "p99", levels: "1, 50", connections: 50, ofLevels: 2 }],
  ["WORSE_THAN_REFERENCE", { reference: "single", metric: "throughput", change: -0.8, bound: 1, margin: 0.05 }],
  ["WORSE_THAN_REFERENCE", { ...HIGHER, metric: "errors", margin: 0.001 }],
  ["WORSE_THAN_REFERENCE", { ...WORSE, metric: "lost", change: 38 }, { ...WORSE, metric: "recovery", change: 1900 }],
  ["WORSE_THAN_REFERENCE", { reference: "single", metric: "recovery", margin: 0.05 }],
  ["WORSE_THAN_REFERENCE", { reference: "single", metric: "deaths", died: 3, trials: 3 }],
  ["COMPARISON_INCONCLUSIVE", { ...WORSE, because: "TOO_FEW_TRIALS", trialsNeeded: 5 }],
  ["COMPARISON_INCONCLUSIVE", { ...WORSE, because: "TOO_FEW_TRIALS", trialsNeeded: 5, planned: 7 }],
  ["COMPARISON_INCONCLUSIVE", ...["WITHIN_NOISE", "TOO_SHORT"].map((because) => ({ ...WORSE, because }))],
  ["LEVEL_NOT_REACHED", { asked: 500, opened: 412 }, { asked: 1, opened: 0 }],
  ["LEVEL_NOT_REACHED", { rate: 1000, planned: 5000, unsent: 30 }, { rate: 9000, latenessMs: 25 }],
  ["LEVEL_NOT_REACHED", { levels: "50, 100", steps: 2, connectionRate: 50, rate: 500, latenessMs: 20 }],
  ["GENERATOR_SATURATED", { process: "generator-1", cpu: 0.99, connectionRate: 50, rate: 500 }],
  ["LEVEL_NOT_REACHED", { ...MANY, asked: 1000, opened: 512 }, { ...MANY, asked: 9, opened: 8, levels: "1" }],
  ["MACHINE_SATURATED", { ...MANY, machine: 1, alike: 1 }],
  ["MACHINE_SATURATED", { machine: 1, ofTarget: 0.3, process: "generator-1", cpu: 0.137 }],
  ["GENERATOR_SATURATED", { process: "generator-1", cpu: 0.137, busiestThread: 0.12, eventLoopUtilization: 1 }],
  ["MEMORY_GROWS", { target: "api", process: "backend-1", ...LEAK }],
  ["BACKEND_DIFFERS", { ...SLOW, policy: "round-robin" }, SLOW],
  ["BACKEND_DIFFERS", { process: "backend-4", share: 0.05, due: 0.25, policy: "round-robin" }],
  ["DRIFT", { change: -0.214 }, { change: 0.08 }],
  ["HOST_BUSY", { ...MANY, steal: 0.354 }, { steal: 0.1, rate: 500 }],
  ["CONNECTIONS_RESET", { ...SOME, connections: 50 }, { ...SOME, rate: 500 }],
  ["NOT_WARM", { warmupMs: 15_000 }],
  ["STALLS", { seconds: 2, of: 9, worstMs: 312.4, usualMs: 4.2 }, { seconds: 1, of: 9, least: 0, usual: 5000 }],
  ["LITTLES_LAW", { asked: 50, computed: 60 }, { target: "a", users: 100, kind: "users", asked: 50.5, computed: 61.2 }],
  ["TOO_SHORT", { elapsedMs: 116, minimumMs: 1000 }],
  ["TRIALS_DISAGREE", { target: "a", connections: 50, trials: 3, low: 900, high: 1101, spread: 0.201 }],
  ["TRIALS_DISAGREE", { ...DISAGREE, levels: "10, 1000", ofLevels: 2 }],
  ["TRIALS_DISAGREE", { ...DISAGREE, levels: "10, 1000", ofLevels: 2, alike: 1 }],
  ["THRESHOLD_FAILED", { threshold: "p99<50ms", metric: "p99", actual: 52.1 }],
  ["THRESHOLD_FAILED", { threshold: "errors<1%", metric: "errors", actual: 0.025 }],
  ["THRESHOLD_INCONCLUSIVE", { threshold: "throughput>9", metric: "throughput", actual: 832, because: "TOO_SHORT" }],
  ["TARGET_DIED", { message: "code 1", second: 61, atUsers: 62 }],
  ["TARGET_DIED", { message: "<b>|`x`", target: "<i>*a*", levels: "1" }],
  ["CLIFF", { ...RAMP, failsFrom: 62, failsFromSecond: 61 }, { ...CURVE, lastGood: 50 }, { ...CURVE, firstBad: 1 }],
  ["SHEDS", { ...RAMP, remaining: 0.83 }, { ...CURVE, remaining: 1 }, { ...CURVE, remaining: 1, requests: 10_000 }],
  ["IDENTICAL_FIGURES", { target: "b", other: "a", levels: "1, 50", connections: 1, copied: 2, figures: 26 }],
  ["DEGRADES", { ...RAMP, failsFrom: 49, failsFromSecond: 48 }],
  ["KNEE", { ...KNEE, reached: 10, dips: 1 }, { ...KNEE, kind: "users", second: 3 }],
  ["KNEE", KNEE, { ...KNEE, reached: 10 }, { ...KNEE, knee: 2.8, below: 1, above: 50 }],
  ["KNEE", { ...KNEE, bottleneck: "balancer", busyAt: "100, 250" }, { ...KNEE, bottleneck: "generator" }],
  ["KNEE", { ...KNEE, bottleneck: "generator", fasterEngine: "wire" }],
  ["LIMIT_FOUND", { ...LIMIT, because: "errors<=0" }, { ...LIMIT, because: "errors<1%" }],
  ["LIMIT_FOUND", { ...LIMIT, because: "errors<=0 and p99<50ms" }, { ...LIMIT, because: "CONNECTIONS_STARVED" }],
  ["LIMIT_DOUBTFUL", ...["GENERATOR_SATURATED", "TOO_SHORT"].map((doubt) => ({ because: "p99<50ms", doubt }))],
  ["LIMIT_NOT_FOUND", ...["unbounded", "unclear", "unfinished"].map((reason) => ({ ...UP_TO, reason }))],
  ["LIMIT_NOT_FOUND", { target: "pool", kind: "rate", rate: 100, reason: "unclear", last: 100, because: "FD_LIMIT" }],
  ["STOPPED_EARLY", { target: "api", rule: "p99>=50ms", metric: "p99", actual: 51, rate: 50, trial: 1, skipped: 1 }],
  ["BYTES_DIFFER", { ...BYTES, reason: "body" }, { ...BYTES, reason: "head" }],
  ["BYTES_DIFFER", { ...BYTES, reason: "counting", engine: "x", otherEngine: "ab" }],
  ["FAST_FAILURES", FAILED, { ...FAILED, mean: 14, mixedMean: 8.956, lighter: 20, lighterP50: 11 }],
  ["FAULT_LOST", { fault: "kill backend-2 at 3s", count: 3, sent: 500, share: 0.006, recoveryMs: 421 }],
  ["NOT_RECOVERED", { fault: "pause backend-2 at 3s", lookedMs: 5000 }, { fault: "stop backend-2 at 9s", lookedMs: 0 }],
  ["BACKENDS_NOT_REUSED", { accepted: 19_870, requests: 20_012, share: 0.9929 }],
  ["BALANCER_REFUSED", { ...SOME, status: "503" }, SOME],
  ["CORES_DIFFER", { target: "nginx", workers: 4, other: "haproxy", otherWorkers: 1 }],
  ["CORES_DIFFER", { target: "nginx", workers: 1, cores: 1.8 }],
  ["BACKEND_NOT_USED_AGAIN", { fault: "pause backend-2 at 3s", process: "backend-2", lookedMs: 5000 }],
  ["ADDED_TIME", ADDED, { ...ADDED, least: 0.211, most: 0.254, levels: "500, 1000", every: 1 }],
  ["ADDED_TIME", { ...ADDED, least: -0.05, most: -0.05, p: 0.0001, kind: "connections", levels: "1" }, {}],
  ["UNTESTED", { ...OPEN, metric: "throughput", because: "MACHINE_SATURATED", every: 1 }],
  ["UNTESTED", { ...OPEN, because: "NOT_MEASURED", every: 1 }],
  ["UNTESTED", { ...OPEN, because: "TOO_FEW_TRIALS", kind: "connections", levels: "100" }],
  ["UNTESTED", { ...OPEN, because: "TOO_FEW_TRIALS", levels: "100", trialsNeeded: 4, canResume: 1 }],
  ["PEAK", { target: "hey", kind: "connections", connections: 0, throughput: 9778, p50: 0.4, p99: 10 }],
  ["WITHIN_NOISE", { ...BOTH_WAYS, highest: 0.098, lowest: -0.347 }],
  ["WITHIN_NOISE", { ...BOTH_WAYS, higherLeast: 0.031, highest: 0.19, lowerLeast: -0.2, lowest: -0.2 }],
  ["WITHIN_NOISE", { ...NOISE, kind: "rate", metric: "p50", lower: "500", lowest: -0.05 }],
];

describe("a finding in words", () => {
  it("says what was seen, in figures, and what to do about that, as recorded", async () => {
    const lines = CASES.flatMap(([code, ...cases]) =>
      cases.map((args) => {
        const { text, remedy } = say(code, args);
        return `${code}: ${text}\n  ${remedy}\n`;
      }),
    );
    await expect(lines.join("\n")).toMatchFileSnapshot("__snapshots__/findings.txt");
  });

  it("of a code that is not known names it and its args", () => {
    const unknown = { code: "constructor", severity: "info", args: { knee: 250 } } as unknown as Finding;
    expect(describeFinding(unknown)).toMatchObject({ title: "constructor", text: "constructor: knee 250." });
  });

  it("of requests that failed by a fault is no advice to lower the connections", () => {
    const args = { ...SOME, connections: 50 };
    expect(describeFinding({ code: "REQUESTS_DROPPED", severity: "info", args }).remedy).not.toContain("connections");
  });
});

const [KILL, PAUSE, ROLL] = ["kill backend-2 at 3s", "pause backend-2 at 6s", "roll backends at 9s"] as const;
const SURVIVED: Finding = { code: "FAULT_SURVIVED", severity: "info", args: { fault: KILL } };

const survived = (target: string, ...faults: readonly string[]): readonly Finding[] =>
  faults.map((fault) => ({ ...SURVIVED, args: { target, rate: 500, fault } }));

const lost = (target: string, fault: string, args: FindingArgs = {}): Finding => ({
  code: "FAULT_LOST",
  severity: "info",
  args: { target, rate: 500, fault, count: 3, sent: 500, share: 0.006, recoveryMs: 421, ...args },
});

const stepOf = (target: string, trial: number) => ({ target, level: { rate: 500 }, trial });
const inTrials = (target: string, ...recoveries: readonly (number | undefined)[]): readonly Finding[] =>
  groupFindings(
    recoveries.map((recoveryMs, at) => ({
      finding: { ...lost(target, KILL), args: keepTold({ ...lost(target, KILL).args, recoveryMs }) },
      step: stepOf(target, at + 1),
    })),
  );

const PLACE = "at 500 requests/s";

it.each<[string, readonly Finding[], readonly string[]]>([
  [
    "the same of several faults, then of several targets",
    [...survived("a", KILL, PAUSE, ROLL), ...survived("b", KILL), ...survived("c", KILL)],
    [
      `a ${PLACE}: "${KILL}", "${PAUSE}" and "${ROLL}" cost no request.`,
      `b and c ${PLACE}: "${KILL}" cost no request.`,
    ],
  ],
  [
    "the same of all targets without their names",
    ["a", "b", "c"].flatMap((target) => survived(target, KILL, ROLL)),
    [`All 3 targets ${PLACE}: "${KILL}" and "${ROLL}" cost no request.`],
  ],
  [
    "several figures of one target in a line, and those of another apart",
    [lost("a", KILL), lost("a", PAUSE, { recoveryMs: 9 }), lost("b", KILL)],
    [
      `a ${PLACE}: "${KILL}" cost 3 requests (0.6 %); it recovered in 400 ms. "${PAUSE}" cost 3 requests (0.6 %); it recovered at once.`,
      `b ${PLACE}: "${KILL}" cost 3 requests (0.6 %); it recovered in 400 ms.`,
    ],
  ],
  [
    "in how many trials, where they are the same",
    groupFindings(
      ["a", "b"].flatMap((target) =>
        [1, 2, 3, 4, 5].map((trial) => ({ finding: SURVIVED, step: stepOf(target, trial) })),
      ),
    ),
    [`a and b ${PLACE}: "${KILL}" cost no request (in 5 trials).`],
  ],
  [
    "in how many trials of all, where others were measured at the same levels",
    groupFindings(
      [{ finding: SURVIVED, step: stepOf("a", 2) }],
      undefined,
      [1, 2, 3].flatMap((trial) => [stepOf("a", trial), { ...stepOf("a", trial), level: { rate: 900 } }]),
    ),
    [`a ${PLACE}: "${KILL}" cost no request (in 1 of 3 trials).`],
  ],
  [
    "how long all recoveries of several trials took, and nothing of these where one has none",
    [...inTrials("a", 300, 2120, 120), ...inTrials("b", 30, 300), ...inTrials("c", 300, undefined)],
    [
      `a ${PLACE}: "${KILL}" cost 9 requests (0.6 %); it recovered in 100 ms to 2.1 s (in 3 trials).`,
      `b ${PLACE}: "${KILL}" cost 6 requests (0.6 %); it recovered in up to 300 ms (in 2 trials).`,
      `c ${PLACE}: "${KILL}" cost 6 requests (0.6 %) (in 2 trials).`,
    ],
  ],
  [
    "what differs in more than a target apart",
    (["gone", "hung"] as const).map((message, at): Finding => ({
      code: "TARGET_DIED",
      severity: "error",
      args: { target: `t${at}`, connections: 1, message },
    })),
    [
      "t0 at 1 connection: the target ended while it was measured: gone.",
      "t1 at 1 connection: the target ended while it was measured: hung.",
    ],
  ],
])("findings of a kind say %s", (_, findings, expected) => {
  expect(describeFindings(findings, 3).flatMap(({ texts }) => texts)).toEqual(expected);
});

it("findings stand by severity and code, each remedy once", () => {
  const findings = [lost("a", KILL), ...survived("a", PAUSE), lost("b", KILL)];
  const kinds = describeFindings(findings, 2);
  expect(kinds.map(({ code, remedies }) => [code, remedies.length])).toEqual([
    ["FAULT_LOST", 1],
    ["FAULT_SURVIVED", 1],
  ]);
});

describe.each(CODES)("%s", (code) => {
  const doubts = "whole-seconds closed-uncounted made-up-latencies corrected-latencies other-lengths varying-load new";
  const variants = CASES.flatMap(([own, ...cases]) => (own === code ? cases : []));
  const doubtful = doubts.split(" ").map((because) => ({ program: "ab", figure: "errors", because }));

  it.each([{}, ...variants, ...(code === "FIGURE_DOUBTFUL" ? doubtful : [])])(
    "has words without args, and with %o",
    (args) => {
      const { title, text, cause, remedy } = say(code, args);
      for (const sentence of [cause, remedy]) expect(sentence).toMatch(/^[A-Z].*[^.]\.$/);
      expect(text).toMatch(/^\S.*[^.]\.$/);
      expect(title).toMatch(/^[A-Z].*[^.]$/);
      expect([title, text, cause, remedy].join(" ")).not.toMatch(/undefined|NaN|null|\[object/);
      const ones = Object.entries(args).map(([name, value]) => [name, Number.isInteger(value) ? 1 : value] as const);
      expect(say(code, Object.fromEntries(ones)).text).not.toMatch(NO_WORDS);
      const imported = say(code, args, "imported").remedy;
      expect(imported).toMatch(/^[A-Z].*\.$/);
      // `lbbench import` has no flag that would measure in another way.
      const own = imported === say(code, {}).remedy ? "" : imported;
      expect(own).not.toMatch(/--\w|\bengine that tells|the duration\b|\[object|undefined/);
    },
  );
});

it("docs/findings.md has one section for every code, in alphabetical order", () => {
  const text = readFileSync(new URL("../../../../docs/findings.md", import.meta.url), "utf8");
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, code]) => code)).toEqual(CODES.toSorted());
});
