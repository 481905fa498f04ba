import { judgeStep } from "../judge/judge-step.js";
import { aRun, changed, type RunShape, steady } from "../judge/test-support/compare-samples.js";
import { parseThreshold } from "../config/parsers.js";
import type { Finding, FindingArgs } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import type { SearchOutcome, TriedLevel } from "../model/search.js";
import { aMeasurement, anEnvironment, aScenario, aUsage } from "../test-support/fixtures.js";
import { describeHeadline, type Headline } from "./headline.js";
import { createReportModel } from "./report-model.js";
import { renderSummary } from "./summary-table.js";
import { aFaultyResult } from "./test-support/fault-results.js";
import { aRampResult } from "./test-support/ramp-results.js";
import { anOpenLoop, aSearch, judged, withMargin } from "./test-support/result-shapes.js";
import { aSweep, failed, withFailures, withFigures } from "./test-support/sample-results.js";
import { describe, expect, it } from "vitest";

/** A step of which nothing is ok. */
const allFailed = (step: StepResult, ...ways: readonly Finding[]): StepResult => {
  return { ...withFailures(step, 1), findings: [{ code: "ALL_FAILED", severity: "error", args: {} }, ...ways] };
};

/** What is said of a result in the terminal, each sentence in a line. */
const said = (result: Result): string => renderSummary(result).replaceAll(/\n {2}(?=\S)/g, " ");
const headlineOf = (result: Result): Headline => describeHeadline(createReportModel(result));
const linesOf = (result: Result): readonly string[] => headlineOf(result).lines;

/** Two targets of which the second is `factor` times as fast in six trials, unless asked otherwise. */
const pair = (shape: RunShape): Result =>
  aRun({ targets: ["a", "b"], ...shape, scenario: { reference: "a", ...shape.scenario } });

/** The second target has these factors of the throughput of the first, by connections. */
const factors = (of: Readonly<Record<number, number>>, trials = 6): Result =>
  pair({
    connections: Object.keys(of).map(Number),
    trials,
    speed: (trial, connections, target) => steady(target === "b" ? (of[connections] ?? 1) : 1)(trial),
  });

/** A step whose target died, with the finding that says so. */
function dead(step: StepResult): StepResult {
  const died = failed(step);
  return { ...died, findings: judgeStep(died, aScenario(), anEnvironment()) };
}

describe("the first screen", () => {
  it.each<[string, Result, readonly RegExp[]]>([
    [
      "says from which load on a target is faster, by how much and how sure that is, and what it costs with one connection",
      factors({ 1: 0.8, 50: 1.5, 100: 1.7 }),
      [
        /^b: 50 to 70 % more requests\/s than a from 50 connections on \(p = 0\.031\)\. 20 % fewer requests\/s with 1 connection \(p = 0\.031\)\. One connection waits 0\.242 ms longer \(p50\)\.$/,
        /^Most requests\/s: b 1,\d+ at 100 connections, a 1,\d+ at \d+\.$/,
      ],
    ],
    [
      "claims nothing of one trial, and calls the same what one start makes by chance",
      factors({ 1: 0.5, 50: 1.1, 100: 1.6, 250: 1.9 }, 1),
      [
        /^b: in this one run 50 % fewer requests\/s than a with 1 connection\. In this one run about as many requests\/s at 50 connections\. In this one run 60 to 90 % more requests\/s from 100 connections on\.$/,
        /^Most /,
      ],
    ],
    [
      "says why nothing is claimed of a target that died",
      aSweep({ connections: [20], change: (step) => (step.target === "balanced" ? dead(step) : step) }),
      [
        /^balanced: no difference from single can be claimed at 20 connections: the target died \[TARGET_DIED\]\.$/,
        /^single: up to /,
      ],
    ],
    [
      "says once what holds of many targets, after those of which more is known",
      pair({
        targets: ["a", "b", "c", "d", "e", "f"],
        speed: (trial, _, target) => steady(target === "f" ? 2 : 1)(trial),
      }),
      [/^f: 100 % more requests\/s than a /, /^4 targets: as many requests\/s as a within 5 % /, /^Most /],
    ],
    [
      "says once what one run showed of many",
      pair({ targets: ["a", "b", "c", "d", "e", "f"], connections: [1], trials: 1 }),
      [/^5 targets: in this one run about as many requests\/s as a with 1 connection\.$/, /^Most /],
    ],
  ])("%s", (_, result, expected) => {
    expect(linesOf(judged(result))).toEqual(expected.map((line) => expect.stringMatching(line) as unknown));
  });

  it("has five lines at most, with the verdict and what to do next; the rest is not lost", () => {
    const targets = ["a", "b", "c", "d", "e", "f"];
    const speed = (trial: number, _: number, target: string): number => steady(1 + targets.indexOf(target))(trial);
    const { lines, more, next } = headlineOf(judged(pair({ targets, speed })));
    expect([lines.length, more.length]).toEqual([3, 3]);
    expect(next).toBe("");
    expect(said(judged(aSweep({ connections: [50], trials: 1 })))).toMatch(
      /^Next: Use --trials 6 or more to compare targets/m,
    );
  });

  it("tells of a lone target where it is at its best, where it breaks, and that one stays below that", () => {
    const change = (step: StepResult): StepResult => (step.level.connections === 100 ? withFailures(step, 0.5) : step);
    const { lines, next } = headlineOf(judged(aSweep({ targets: ["a"], connections: [1, 50, 100], change })));
    expect(lines).toEqual([
      "a: breaks between 50 and 100 connections: 75.0 % failed at 100 (unexpected status, resets).",
      "a: up to 7,324 requests/s with 50 connections (p50 6.35 ms, p99 20.5 ms); its backends were at their limit.",
    ]);
    expect(next).toMatch(/^Stay at or below the last good level\./);
  });

  it.each<[string, (connections: number) => number, RegExp]>([
    ["fails from its first level on", () => 500, /^Request the URL once by hand\. If the status/],
    ["refuses what is too much", (connections) => (connections > 10 ? 500 : 1), /^Raise the limit only/],
  ])("says what to do about the target whose failures leave it without a verdict: one that %s", (_, countAt, next) => {
    const result = aSweep({
      targets: ["a", "b"],
      connections: [10, 50, 100],
      trials: 3,
      change: (step) => {
        if (step.target === "a") return { ...step, findings: [{ code: "NOT_WARM", severity: "warning", args: {} }] };
        const non2xx = countAt(step.level.connections ?? 0);
        const args = { count: non2xx, sent: 1000, share: non2xx / 1000 };
        const measurement = aMeasurement({ requests: { ok: 1000 - non2xx, non2xx }, statusCodes: { "503": non2xx } });
        const failing = { ...step, findings: [{ code: "NON_2XX", severity: "warning", args } as const] };
        return withFigures(failing, { ...measurement, throughput: 500 });
      },
    });
    expect(headlineOf(judged(result)).next).toMatch(next);
  });

  it.each<[string, Result, RegExp]>([
    [
      "of a generator that may be the limit",
      aSweep({ targets: ["single"], change: (step) => ({ ...step, usage: aUsage({ bottleneck: "generator" }) }) }),
      /the load generator was the busiest part/,
    ],
    ["of a rate", anOpenLoop(), /^single: up to 5,000 of 100 requests\/s asked for/],
    [
      "of a ramp, with its best second",
      aRampResult({ targets: { gRPC: () => ({ ok: 900 }) } }),
      /^gRPC: 889 requests\/s on average .*, up to 985 in second 17 with 19 users\.$/,
    ],
    [
      "of nothing",
      aRampResult({ targets: { a: () => ({ ok: 0, failed: 5 }) } }),
      /^a: no request was answered as expected\.$/,
    ],
  ])("tells the most that a target answered: %s", (_, result, expected) => {
    expect(linesOf(result)).toEqual([expect.stringMatching(expected)]);
  });
});

it.each<[string, FindingArgs, Finding["code"], RegExp]>([
  ["answered with a status", { status: "404" }, "NON_2XX", /^Request the URL once by hand\. Correct it/],
  ["answered with a body", {}, "BODY_MISMATCH", /^Request the URL once by hand\. Correct it/],
  ["answered in another protocol", { code: "ERR_HTTP2_NOT_SPOKEN" }, "BODY_MISMATCH", /leave --http2 out\.$/],
  ["late", { timeoutMs: 20 }, "TIMEOUTS", /^Look for requests that never end\./],
  ["without a connection", { code: "ERR_SSL_WRONG_VERSION_NUMBER" }, "CONNECT_ERRORS", /use http:\/\/ in place/],
])("where all requests were %s, what to do next is about that", (_, args, code, expected) => {
  const way = { code, severity: "warning", args: { count: 9, sent: 9, share: 1, ...args } } as const;
  const result = aSweep({ targets: ["a"], connections: [1], change: (step) => allFailed(step, way) });
  expect(headlineOf(judged(result)).next).toMatch(expected);
});

describe("the verdict says", () => {
  const DIED: Finding = { code: "TARGET_DIED", severity: "error", args: { message: "it exited with code 1" } };
  const sweep = aSweep({ targets: ["a", "b", "c"], connections: [1, 250], trials: 6 });
  it.each<[string, Result, RegExp]>([
    [
      "what is worse beyond a margin",
      withMargin(sweep, 0.05),
      /^b at 1 connection: .* less throughput than a .*; the margin allows 5 %\. \d+ more like this\.$/,
    ],
    [
      "why a run is inconclusive, before what it misses",
      judged({
        ...changed(sweep, (step) =>
          step.target === "b" && step.trial === 1 ? { ...failed(step), findings: [DIED] } : step,
        ),
        scenario: { ...sweep.scenario, thresholds: [parseThreshold("p99<1ms")] },
      }),
      /^b at .* exited with code 1/,
    ],
    [
      "that nothing is, and how much was found",
      withMargin(sweep, 0.9),
      /^No target is worse than its reference by more than 90 %\. No warnings\.$/,
    ],
    [
      "that nothing was asked of the faults",
      judged(aFaultyResult({ lost: { a: 41 } })),
      /^No threshold says how many requests the faults may cost\. /,
    ],
    [
      "how many requests failed that nothing allows to fail",
      judged(aSweep({ targets: ["a"], connections: [1, 50], change: (step) => withFailures(step, 0.02) })),
      /^3\.0 % of the requests of a with 1 connection failed\. No threshold says how many may\. .*'errors<4%'\. 1 warning\.$/,
    ],
    [
      "how many failed, without the advice to allow so many",
      judged(aSweep({ targets: ["a"], connections: [1, 50], change: (step) => withFailures(step, 0.5) })),
      /^75\.0 % of the requests of a .* failed\. No threshold says how many may\. Look for the cause in the findings\. /,
    ],
    [
      "that two thresholds were met",
      judged({ ...sweep, scenario: { ...sweep.scenario, thresholds: ["errors<=0", "p99<9s"].map(parseThreshold) } }),
      /^Both thresholds were met\. /,
    ],
    [
      "that a run was cut short",
      judged({ ...aSweep(), complete: false }),
      /^The run was not finished: what follows is what was measured until then\. 1 warning\.$/,
    ],
    [
      "how many warnings are listed below it: one of a single trial, one of both targets",
      judged(
        aSweep({
          targets: ["a", "b"],
          change: (step) => ({ ...step, findings: [{ code: "NOT_WARM", severity: "warning", args: {} }] }),
        }),
      ),
      /^2 warnings\.$/,
    ],
    [
      "that a search found no limit",
      aSearch({ status: "unbounded", broken: null, tried: [] }),
      /^No limit of single was found: the largest load that was tried held\. 3 warnings\.$/,
    ],
    [
      "that nothing was answered as expected",
      judged(aSweep({ connections: [1, 50], change: (step) => allFailed(step) })),
      /^Not one of 4,000 requests was answered as expected: there is nothing to conclude, or to compare\. Look for the cause in the findings\. If 503 is a good answer, say so: --expect-status 503\.$/,
    ],
    [
      "that a target leads elsewhere",
      judged(aSweep({ change: (step) => withFigures(allFailed(step), { statusCodes: { "302": 1000 } }) })),
      /Look for the cause in the findings\. No redirect is followed: measure the address that it leads to\. If 302 is a good answer, say so: --expect-status 302\.$/,
    ],
  ])("%s", (_, result, expected) => {
    expect(headlineOf(result).verdict).toMatch(expected);
  });
});

describe("what a search says", () => {
  const tried = (value: number, decision: TriedLevel["decision"], because = "p99<50ms"): TriedLevel => {
    const [held, broken] = decision === "held" ? [2, 0] : [1, 2];
    return { value, decision, held, broken, unclear: 0, because };
  };
  const found = (target: string, held: number, broken: number, other: Partial<SearchOutcome> = {}): SearchOutcome => ({
    target,
    by: "connections",
    status: "found",
    held,
    broken,
    tried: [tried(held, "held"), tried(broken, "broken")],
    beyond: null,
    ...other,
  });
  const none = found("api", 0, 1, { status: "nothing-held", held: null, tried: [tried(1, "broken", "TARGET_DIED")] });
  const searched = (...search: readonly SearchOutcome[]): Result => {
    const { scenario, ...rest } = aSearch();
    const targets = search.map(({ target }) => ({ name: target, server: "url", options: {} }));
    return { ...rest, scenario: { ...scenario, trials: 2, targets }, search };
  };

  it.each<[string, SearchOutcome]>([
    ["api: 1,000 connections held, 1,016 did not (p99<50ms was missed).", found("api", 1000, 1016)],
    ["api: not even 1 connection held (the target died).", none],
    ["; beyond, 1 of 3 trials held 75 connections.", found("api", 60, 64, { beyond: tried(75, "broken") })],
  ])("of one target %s, and nothing of a comparison", (text, outcome) => {
    const { lines, more } = headlineOf(searched(outcome));
    expect([...lines, ...more]).toEqual([expect.stringContaining(text) as string]);
  });

  const NO_TEST = expect.stringMatching(/^A search does not test whether targets differ\./) as string;

  it("of several targets, the most that each held, and claims no difference", () => {
    const unclear = found("c", 4, 8, { status: "unclear", tried: [tried(8, "unclear", "FD_LIMIT")] });
    const { lines, more } = headlineOf(searched(found("a", 18, 19), found("b", 63, 64), unclear));
    expect(lines.map((line) => line.split(" ", 2).join(" "))).toEqual(["b: 63", "a: 18", "c: 4"]);
    expect(more).toEqual([NO_TEST]);
  });

  it("of more targets than there is room for, what each held in one line, and of each beside", () => {
    const held = [found("a", 18, 19), found("b", 1063, 1064), found("c", 4, 5)];
    const { lines, more } = headlineOf(searched(...held, none));
    expect(lines).toEqual(["Largest load that held: b 1,063 connections, a 18, c 4, api none.", NO_TEST]);
    expect(more.map((line) => line.split(" ", 2).join(" "))).toEqual(["b: 1,063", "a: 18", "c: 4", "api: not"]);
  });
});
