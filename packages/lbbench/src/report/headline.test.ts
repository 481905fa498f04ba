import { judgeStep } from "../judge/judge-step.js";
import { aPair, aRun, type RunShape, steady } from "../judge/test-support/compare-samples.js";
import type { Finding } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import type { SearchOutcome, TriedLevel } from "../model/search.js";
import {
  aFailedStep,
  aMeasurement,
  anEnvironment,
  aResult,
  aScenario,
  aStep,
  aUsage,
  type MeasurementOverrides,
} from "../test-support/fixtures.js";
import { renderSummary } from "./summary-table.js";
import { aFaultyResult } from "./test-support/fault-results.js";
import { aRampResult } from "./test-support/ramp-results.js";
import { linesUnder } from "./test-support/read-markdown.js";
import { anOpenLoop, aSearch, judged, withMargin } from "./test-support/result-shapes.js";
import { aSweep, failed, withFailures } from "./test-support/sample-results.js";
import { describe, expect, it } from "vitest";

const ALL_FAILED = { code: "ALL_FAILED", severity: "error", args: {} } as const;

/** What is said of a result in the terminal, each sentence in a line. */
const said = (result: Result): string => renderSummary(result).replaceAll(/\n {2}(?=\S)/g, " ");
/** The lines of it that compare targets. */
const comparisons = (result: Result): readonly string[] =>
  said(result).match(/^(?:Between |In none |Compared with |.* compared with |\S+ is (?:faster|slower) than ).*$/gm) ??
  [];
const verdictOf = (result: Result): string => linesUnder(result, /^Verdict/)[0] ?? "";
const peaksOf = (result: Result): readonly string[] => linesUnder(result, /^Verdict/).slice(1);

/** Two targets of which the second is `factor` times as fast in six trials, unless asked otherwise. */
const pair = (shape: RunShape): Result =>
  aRun({ targets: ["a", "b"], ...shape, scenario: { reference: "a", ...shape.scenario } });

/** A step whose target died, with the finding that says so. */
function dead(step: StepResult): StepResult {
  const died = failed(step);
  return { ...died, findings: judgeStep(died, aScenario(), anEnvironment()) };
}

describe("a comparison claims", () => {
  it("which target is faster where and by how much, and slower where", () => {
    const [line] = comparisons(aSweep({ trials: 5, connections: [1, 250, 500] }));
    expect(line).toMatch(
      /^balanced is faster than single from 250 connections on \(throughput \+\d+\.\d % to \+\d+\.\d %\) and slower at 1 connection \(throughput -\d+\.\d %, 95 % interval -\d+\.\d % to -\d+\.\d %\)\. With 1 connection the p50 of balanced is \d\.\d+ ms longer\.$/,
    );
  });

  it.each<[string, Result, RegExp]>([
    [
      "of one trial",
      aSweep({ connections: [250, 500] }),
      /^Compared with single, balanced had in this one run \d+ to \d+ % more requests\/s at every level\. A claim takes several starts: a test at each level needs --trials 6\.$/,
    ],
    [
      "where the target died",
      aSweep({ connections: [20], change: (step) => (step.target === "balanced" ? dead(step) : step) }),
      /the target died in 1 of 2 trials \[TARGET_DIED\]/,
    ],
  ])("nothing %s", (_, result, expected) => {
    expect(comparisons(result)).toEqual([expect.stringMatching(expected)]);
    expect(comparisons(result)[0]).not.toMatch(/ is (faster|slower) than /);
  });

  it.each<[string, number, Finding, RegExp]>([
    [
      "by the trials that are in no doubt, and how many these are",
      1,
      { code: "MACHINE_SATURATED", severity: "warning", args: {} },
      /^balanced is faster than single at 50 connections \(throughput \+298\.1 %, .*, 5 of 6 trials\)\.$/,
    ],
    [
      "at least what the doubt cannot explain",
      6,
      { code: "HOST_BUSY", severity: "warning", args: { steal: 0.3 } },
      /^balanced is faster than single at 50 connections \(throughput at least \+96\.0 %\)\.$/,
    ],
  ])("%s", (_, doubtful, finding, expected) => {
    const findings = (trial: number, __: number, target: string): readonly Finding[] =>
      target === "single" && trial <= doubtful ? [finding] : [];
    expect(comparisons(aPair(4, { findings }))).toEqual([expect.stringMatching(expected)]);
  });

  it("what six levels tell together, where single ones do not", () => {
    const connections = [1, 50, 100, 250, 500, 1000];
    // Of each level one trial goes the other way, and that is another one.
    const speed = (trial: number, at: number, target: string): number =>
      target === "a" ? 1 : at === 1 || connections.indexOf(at) === trial ? 1.02 : 0.9;
    expect(comparisons(pair({ connections, trials: 6, speed }))[0]).toMatch(
      /^b is slower than a: 8\.\d % less throughput on average over 5 levels above 1 connection \(6 trials, 95 % interval \d\.\d to 1?\d(?:\.\d)? %, p = 0\.03\)\. /,
    );
  });

  it("nothing of what one start of each showed, and calls the same what chance can make", () => {
    const once = { targets: ["a", "b"], trials: 1, connections: [1, 50, 100, 250] };
    const factors = new Map([
      [1, 0.5],
      [50, 1.1],
      [100, 1.6],
      [250, 1.9],
    ]);
    const speed = (_: number, at: number, target: string): number => (target === "b" ? (factors.get(at) ?? 1) : 1);
    expect(comparisons(pair({ ...once, speed }))).toEqual([
      expect.stringMatching(
        /^Compared with a, b had in this one run 60 to 90 % more requests\/s from 100 connections on, about as many requests\/s at 50 connections and 50 % fewer requests\/s at 1 connection\. With 1 connection the p50 of b is .* ms longer\. A claim takes several starts: a test at each level needs --trials 6\.$/,
      ),
    ]);
  });

  it("mean latency of an open loop, whose throughput is what was asked for", () => {
    const levels = [10, 20].map((rate) => ({ rate, durationMs: 3000 }));
    const rated = pair({ speed: (trial, _, target) => steady(target === "b" ? 2 : 1)(trial) });
    const steps = levels.flatMap((level) => rated.steps.map((step) => ({ ...step, level })));
    const [line] = comparisons({ ...rated, scenario: { ...rated.scenario, levels }, steps });
    expect(line).toMatch(/^b is faster than a at every level \(mean latency -50/);
  });

  it("of many targets: one sentence for all of which nothing can be claimed, and one for each of the others", () => {
    const targets = ["a", "b", "c", "d", "e", "f"];
    expect(comparisons(aSweep({ targets, connections: [20, 40] }))).toEqual([
      expect.stringMatching(/^Between a and any of the 5 other targets no difference .*one trial/),
    ]);
    const fast = pair({ targets, speed: (trial, _, target) => steady(target === "f" ? 2 : 1)(trial) });
    expect(comparisons(fast)).toEqual([
      expect.stringMatching(/^f is faster than a at 50 connections \(throughput \+100\.0 %/),
      expect.stringMatching(/^Between a and b, c, d, e no difference/),
    ]);
    const died = aSweep({ targets, connections: [40], change: (step) => (step.target === "f" ? dead(step) : step) });
    expect(comparisons(died)[0]).toMatch(/^f compared with a: .*\[TARGET_DIED\]/);
  });
});

describe("the verdict says", () => {
  const sweep = aSweep({ targets: ["a", "b", "c"], connections: [1, 250], trials: 6 });
  it.each<[string, Result, RegExp]>([
    ["what is worse beyond a margin", withMargin(sweep, 0.05), /^b and c are worse than a beyond the margin of 5 %\.$/],
    [
      "that nothing is, and how much was found",
      withMargin(sweep, 0.9),
      /^The run went through\. No target is worse than a beyond the margin of 90 %.* No warnings\.$/,
    ],
    [
      "that nothing was asked of the faults",
      judged(aFaultyResult({ lost: { a: 41 } })),
      /^a lost 41 of .* The run went through\. No threshold says how many requests the faults may cost\. /,
    ],
    [
      "how many requests failed that nothing allows to fail",
      judged(aSweep({ targets: ["a"], connections: [1, 50], change: (step) => withFailures(step, 0.02) })),
      /^3\.0 % of the requests of a with 1 connection failed, and no threshold allows that\. .*'errors<4%'\. 1 warning\.$/,
    ],
    [
      "how many failed, without the advice to allow so many",
      judged(aSweep({ targets: ["a"], connections: [1, 50], change: (step) => withFailures(step, 0.5) })),
      /^75\.0 % of the requests of a .* failed, and no threshold allows that\. Look for the cause in the findings\. /,
    ],
    [
      "that a run was cut short",
      judged({ ...aSweep(), complete: false }),
      /^The run was not finished: what follows is what was measured until then\. 1 warning\.$/,
    ],
    [
      "that a search found no limit",
      aSearch({ status: "unbounded", broken: null, tried: [] }),
      /^No limit of single was found: the largest load that was tried held\. 3 warnings\.$/,
    ],
    [
      "that nothing was answered as expected",
      judged(
        aSweep({ connections: [1, 50], change: (step) => ({ ...withFailures(step, 1), findings: [ALL_FAILED] }) }),
      ),
      /^Not one of 4,000 requests was answered as expected: there is nothing to conclude.* 100\.0 % .* failed, and no threshold allows that\. Look for the cause in the findings\. If 503 is a good answer, say so: --expect-status 503\.$/,
    ],
  ])("%s", (_, result, expected) => {
    expect(verdictOf(result)).toMatch(expected);
  });

  it("where each target was at its best, and when that may be the generator's", () => {
    const usage = aUsage({ bottleneck: "generator" });
    const busy = aSweep({ targets: ["single"], change: (step) => ({ ...step, usage }) });
    expect(peaksOf(aSweep({ targets: ["single"] }))).toEqual([
      "single: up to 8,055 requests per second, with 250 connections (p50 28.9 ms, p99 93.1 ms); its backends were at their limit",
    ]);
    expect(peaksOf(busy)[0]).toContain("the load generator was the busiest part");
    expect(peaksOf(anOpenLoop())[0]).toMatch(/^single: up to 5,000 requests per second, of 100 asked for/);
    expect(peaksOf(aRampResult()).find((line) => line.startsWith("gRPC:"))).toMatch(
      /^gRPC: 977 ok responses per second on average, up to 2,296 in one \(second 34, 36 users\)/,
    );
    const refused = aRampResult({ targets: { a: () => ({ ok: 0, failed: 5 }) } });
    for (const silent of [aSweep({ targets: ["a"], change: failed }), refused])
      expect(peaksOf(silent)).toEqual(["a: no request was answered as expected"]);
  });
});

describe("where requests begin to fail", () => {
  const answered = (requests: NonNullable<MeasurementOverrides["requests"]>): StepResult =>
    aStep({ measurement: aMeasurement({ requests }) });
  const [GOOD, BAD] = [answered({ ok: 30 }), answered({ ok: 25, resets: 5 })] as const;

  const result = (...steps: readonly StepResult[]): Result => {
    const levels = [10, 50, 100, 200].map((connections) => ({ connections, requests: 1000 }));
    const targets = [{ name: "nginx", server: "url", options: {} }];
    const placed = steps.map((step, at) => ({ ...step, target: "nginx", level: levels[at] ?? {} }));
    return aResult({ scenario: aScenario({ targets, levels }), steps: placed });
  };
  const breaks = (of: Result): readonly string[] => said(of).match(/nginx b(?:reaks|egins).*?(?=, and no|\.$)/gm) ?? [];
  it("is told with how many and how, most often first", () => {
    const half = answered({ ok: 472, non2xx: 528 });
    expect(breaks(result(GOOD, GOOD, half, answered({ ok: 700, non2xx: 100, resets: 200 })))).toEqual([
      "nginx breaks between 50 and 100 connections: 52.8 % failed at 100 (unexpected status), 30.0 % at 200 (resets, unexpected status)",
    ]);
    expect(breaks(result(GOOD, answered({ ok: 99_999, dropped: 1 })))[0]).toMatch(
      /begins to fail requests .*: 0\.001 % failed at 50 \(dropped\)/,
    );
  });

  it("is told of what refuses and goes on to answer as many, which is not broken", () => {
    const of = result(GOOD, answered({ ok: 50, non2xx: 950 }));
    const findings = [{ code: "SHEDS", severity: "info", args: { target: "nginx" } }] as const;
    const told = "begins to refuse requests between 10 and 50 connections: 95.0 % failed at 50 (unexpected status)";
    expect(breaks({ ...of, verdict: { ...of.verdict, findings } })).toEqual([`nginx ${told}`]);
  });

  it.each<[string, readonly StepResult[]]>([
    ["nothing fails", [GOOD, GOOD]],
    ["failures come and go", [GOOD, BAD, GOOD]],
    ["the target died at a lower level", [GOOD, aFailedStep(), BAD, BAD]],
  ])("is not told where %s", (_, steps) => {
    expect(breaks(result(...steps))).toEqual([]);
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
  const open = (status: SearchOutcome["status"], held: number, last: TriedLevel): SearchOutcome => {
    const broken = last.decision === "broken" ? last.value : null;
    return found("api", held, 0, { status, held: held || null, broken, tried: [last] });
  };
  const searched = (...search: readonly SearchOutcome[]): Result => {
    const { scenario, ...rest } = aSearch();
    const targets = search.map(({ target }) => ({ name: target, server: "url", options: {} }));
    return { ...rest, scenario: { ...scenario, trials: 2, targets }, search };
  };

  it.each<[string, SearchOutcome]>([
    ["api: 1,000 connections held, 1,016 did not (p99<50ms was missed).", found("api", 1000, 1016)],
    ["api: not even 1 connection held (the target died).", open("nothing-held", 0, tried(1, "broken", "TARGET_DIED"))],
    [
      "api: 10 connections held; it cannot be said whether 20 does (FD_LIMIT).",
      open("unclear", 10, tried(20, "unclear", "FD_LIMIT")),
    ],
    ["api: nothing is known to hold; the search was cut short at 1.", open("unfinished", 0, tried(1, "undecided"))],
    ["api beyond its limit: 1 of 3 trials held 75 connections.", found("api", 60, 64, { beyond: tried(75, "broken") })],
  ])("%s", (text, outcome) => {
    expect(said(searched(outcome))).toContain(text);
  });

  it("of several targets, the most that each held, and claims no difference", () => {
    const last = tried(8, "unclear", "FD_LIMIT");
    const text = said(
      searched(found("a", 18, 19), found("b", 63, 64), found("c", 4, 8, { status: "unclear", tried: [last] })),
    );
    expect(text).toContain("Most connections that held: 63 (b), 18 (a).");
    expect(text).toContain("A search does not test whether targets differ.");
    expect(text).toContain("No limit was found of c.");
    expect(text).not.toMatch(/holds more|times as much|~/);
  });

  it("of one target, nothing of a comparison", () => {
    expect(said(searched(found("a", 18, 19)))).not.toMatch(/Most connections|does not test/);
  });
});

it.each<[Readonly<Record<number, number>>, number, RegExp]>([
  [
    { 1: 0.8, 10: 1.02, 50: 1.5, 100: 1.7 },
    6,
    /^four is faster than one: .* Level by level four is faster than one from 50 connections on \(throughput \+50\.0 % to \+70\.0 %\) and slower at 1 connection \(throughput -20\.0 %.*\)\..* With 1 connection the p50 of four is 0\.242 ms longer\. At 10 connections no difference can be claimed \(~\): within the noise of the trials\.$/,
  ],
  [
    { 1: 1, 50: 1.5, 100: 1.5 },
    1,
    /^Compared with one, four had in this one run 50 % more requests\/s from 50 connections on and about as many requests\/s at 1 connection\. A claim takes several starts: a test at each level needs --trials 6\.$/,
  ],
  [{ 1: 1.1, 50: 1.2 }, 6, /^four is faster than one at every level \(throughput \+10\.0 % to \+20\.0 %\)\.$/],
])(
  "says from which load on another target helps, and what it costs with one connection: %j",
  (factors, trials, text) => {
    const run = aRun({
      targets: ["one", "four"],
      connections: Object.keys(factors).map(Number),
      trials,
      // At 10 connections the trials of the two have nothing in common.
      speed: (trial, connections, target) =>
        target === "four"
          ? (factors[connections] ?? 1) * steady(1)(connections === 10 ? 7 - trial : trial)
          : steady(1)(trial),
      scenario: { reference: "one" },
    });
    expect(comparisons(run)).toEqual([expect.stringMatching(text)]);
  },
);
