import { describe, expect, it } from "vitest";
import { judgeResult } from "../judge/judge-result.js";
import type { Finding } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import { aFailedStep, aLatency, aMeasurement, aResult, aScenario, aStep } from "../test-support/fixtures.js";
import { collectSuites } from "./junit/collect-suites.js";
import { writeJunit } from "./junit/write-junit.js";
import type { TestCase } from "./junit/test-case.js";
import { aSearch, RESULT_SHAPES } from "./test-support/result-shapes.js";
import { aSweep } from "./test-support/sample-results.js";

const LEVELS = [1, 50].map((connections) => ({ connections, durationMs: 3000 }));
const THRESHOLD = { source: "p99<50ms", metric: "p99", operator: "<", value: 50 } as const;
const GRAVE: Finding = { code: "ALL_FAILED", severity: "error", args: { sent: 10 } };

/** A result with its verdict, as a run leaves it. */
function judged(result: Result): Result {
  const { scenario, steps } = result;
  return {
    ...result,
    verdict: judgeResult({ scenario: scenario as Parameters<typeof judgeResult>[0]["scenario"], steps }),
  };
}

function withThreshold(steps: readonly StepResult[]): Result {
  return judged(aResult({ scenario: aScenario({ levels: LEVELS, thresholds: [THRESHOLD] }), steps }));
}

const casesOf = (result: Result): readonly TestCase[] => collectSuites(result).flatMap(({ cases }) => cases);
const missesOf = (result: Result): readonly (readonly [string, string | undefined, string | undefined])[] =>
  casesOf(result).map(({ name, miss }) => [name, miss?.kind, miss?.type]);

const [low = { connections: 1 }, high = { connections: 50 }] = LEVELS;
const slow = aMeasurement({ latency: aLatency({ p99: 80 }) });

describe("a threshold", () => {
  it("is a case for each level of each target; it fails where it does not hold", () => {
    const result = withThreshold([aStep({ level: low }), aStep({ level: high, measurement: slow })]);
    expect(missesOf(result)).toEqual([
      ["measured at 1 connection, 3 s, trial 1", undefined, undefined],
      ["measured at 50 connections, 3 s, trial 1", undefined, undefined],
      ["p99<50ms at 1 connection, 3 s", undefined, undefined],
      ["p99<50ms at 50 connections, 3 s", "failure", "THRESHOLD_FAILED"],
      ["verdict of the run", "failure", "THRESHOLD_FAILED"],
    ]);
    const { miss } = casesOf(result)[3] as TestCase;
    expect(miss?.message).toBe("single at 50 connections: threshold p99<50ms does not hold: 80.0 ms.");
    expect(miss?.details?.join(" ")).toMatch(/bottleneck/);
  });

  it("is one case over the trials of a level, which fails when one of them does", () => {
    const steps = [1, 2, 3].map((trial) =>
      aStep({ level: high, trial, ...(trial === 2 ? { measurement: slow } : {}) }),
    );
    const cases = casesOf(withThreshold(steps)).filter(({ name }) => name.startsWith("p99"));
    expect(cases.map(({ miss }) => miss?.kind)).toEqual(["failure"]);
  });

  it("that cannot be judged is an error, never a pass", () => {
    const findings: readonly Finding[] = [{ code: "TOO_SHORT", severity: "warning", args: { elapsedMs: 10 } }];
    expect(missesOf(withThreshold([aStep({ level: high, findings })]))).toContainEqual([
      "p99<50ms at 50 connections, 3 s",
      "error",
      "THRESHOLD_INCONCLUSIVE",
    ]);
  });

  it("takes no time of its own, and a step takes that of its measurement", () => {
    expect(casesOf(withThreshold([aStep({ level: high })])).map(({ timeMs }) => timeMs)).toEqual([3000, 0, 0]);
  });
});

describe("a step", () => {
  it("is a case also where nothing is asked of it", () => {
    expect(missesOf(judged(aResult({ steps: [aStep()] })))).toEqual([
      ["measured at 50 connections, 3 s, trial 1", undefined, undefined],
      ["verdict of the run", undefined, undefined],
    ]);
  });

  it("that failed is an error with its message, one that was interrupted is skipped", () => {
    const result = aResult({ steps: [aFailedStep(), aStep({ state: "aborted", trial: 2 })] });
    expect(missesOf(result).slice(0, 2)).toEqual([
      ["measured at 50 connections, 3 s, trial 1", "error", "TARGET_DIED"],
      ["measured at 50 connections, 3 s, trial 2", "skipped", "INTERRUPTED"],
    ]);
    expect(casesOf(result)[0]?.miss?.message).toBe("failed with TARGET_DIED: exited with code 1");
  });

  it("whose figures are false is an error", () => {
    expect(missesOf(aResult({ steps: [aStep({ findings: [GRAVE] })] }))[0]?.slice(1)).toEqual(["error", "ALL_FAILED"]);
  });
});

describe("a margin", () => {
  const compared = (factor: number, trials = 10): Result => {
    const result = aSweep({
      connections: [50],
      trials,
      change: (step) => {
        const { measurement } = step;
        if (step.target === "single" || measurement === undefined) return step;
        return { ...step, measurement: { ...measurement, throughput: measurement.throughput * factor } };
      },
    });
    return judged({ ...result, scenario: { ...result.scenario, margin: 0.05 } });
  };
  const NAME = "not worse than single by more than 5 % at 50 connections, 1,000 requests";

  it("is a case for each level of each target but the reference, and fails where that is worse", () => {
    const result = compared(0.3);
    const suites = collectSuites(result);
    expect(suites[0]?.cases.some(({ name }) => name.startsWith("not worse"))).toBe(false);
    const found = suites[1]?.cases.find(({ name }) => name === NAME);
    expect([found?.miss?.kind, found?.miss?.type]).toEqual(["failure", "WORSE_THAN_REFERENCE"]);
    expect(found?.miss?.message).toMatch(
      /^balanced at 50 connections: throughput is [\d.]+ % lower than that of single/,
    );
  });

  it("passes where it is not", () => {
    expect(missesOf(compared(1))).toContainEqual([NAME, undefined, undefined]);
  });

  it("is an error where the trials do not tell", () => {
    expect(missesOf(compared(1, 1))).toContainEqual([NAME, "error", "COMPARISON_INCONCLUSIVE"]);
  });

  it("is skipped where the reference was not measured", () => {
    const result = aSweep({
      connections: [1, 50],
      trials: 10,
      change: (step) =>
        step.target === "single" && step.level.connections === 1
          ? aFailedStep({ target: step.target, level: step.level, trial: step.trial })
          : step,
    });
    const margin = judged({ ...result, scenario: { ...result.scenario, margin: 0.05 } });
    expect(missesOf(margin)).toContainEqual([
      NAME.replace("50 connections", "1 connection"),
      "skipped",
      "NOT_MEASURED",
    ]);
  });
});

describe("a search", () => {
  it("is a case for each target; that it broke at last is no failure", () => {
    expect(missesOf(aSearch())).toEqual([
      ["measured at 50 connections, 3 s, trial 1", undefined, undefined],
      ["measured at 100 connections, 3 s, trial 1", undefined, undefined],
      ["largest load by connections", undefined, undefined],
      ["verdict of the run", undefined, undefined],
    ]);
  });

  it("fails where nothing held, and is an error where it cannot be said", () => {
    const nothing = aSearch({ status: "nothing-held", held: null, broken: 1 });
    expect(missesOf(nothing)).toContainEqual(["largest load by connections", "failure", "NOTHING_HELD"]);
    const unclear = aSearch({ status: "unclear", broken: null });
    expect(missesOf(unclear)).toContainEqual(["largest load by connections", "error", "LIMIT_NOT_FOUND"]);
  });
});

describe("the verdict", () => {
  it.each([
    ["fail", "failure"],
    ["inconclusive", "error"],
  ] as const)("%s is a miss of its own case, also where another case says so", (status, kind) => {
    const verdict = { status, findings: [{ code: "IDENTICAL_FIGURES", severity: "error", args: {} }] } as const;
    const cases = casesOf(aResult({ steps: [aStep()], verdict }));
    expect(cases.at(-1)?.miss).toMatchObject({ kind, type: "IDENTICAL_FIGURES" });
    const said = casesOf(aResult({ steps: [aStep({ findings: [GRAVE] })], verdict }));
    expect(said.map(({ miss }) => miss?.type)).toEqual(["ALL_FAILED", "IDENTICAL_FIGURES"]);
    const bare = casesOf(aResult({ steps: [aStep()], verdict: { status, findings: [] } }));
    expect(bare.at(-1)?.miss).toMatchObject({ kind, message: `The verdict is ${status}.` });
  });

  it.each([...RESULT_SHAPES].map(([name, result]) => [name, judged(result)] as const))(
    "is never better in the file than in the result: %s",
    (_, result) => {
      const kinds = casesOf(result).map(({ miss }) => miss?.kind);
      const asked = { pass: undefined, fail: "failure", inconclusive: "error" } as const;
      const kind = asked[result.verdict.status];
      expect(kind === undefined ? !kinds.includes("failure") : kinds.includes(kind)).toBe(true);
      expect(kinds.at(-1)).toBe(result.complete ? kind : "error");
    },
  );
});

describe("a run that was interrupted", () => {
  const missing = (result: Result): readonly string[] | undefined =>
    casesOf(result)
      .at(-1)
      ?.miss?.details?.filter((line) => line.startsWith("missing: "));
  const scenario = aScenario({ levels: LEVELS, trials: 2 });

  it("is an error that names the steps which are missing, although nothing failed", () => {
    const steps = [1, 2].map((trial) => aStep({ level: low, trial }));
    const aborted = aStep({ level: high, state: "aborted" });
    const result = aResult({ complete: false, scenario, steps: [...steps, aborted] });
    const { miss } = casesOf(result).at(-1) ?? {};
    expect([miss?.kind, miss?.type]).toEqual(["error", "INTERRUPTED"]);
    expect(miss?.message).toBe("The run was interrupted: 2 steps are missing.");
    expect(missing(result)).toEqual([
      "missing: single at 50 connections, 3 s, trial 1",
      "missing: single at 50 connections, 3 s, trial 2",
    ]);
    expect(miss?.details?.at(-1)).toBe("The verdict on what was measured is pass.");
  });

  it("is an error also where the verdict is fail, which the case of the threshold says", () => {
    const failed = withThreshold([aStep({ level: low, measurement: slow })]);
    const result = { ...failed, complete: false };
    expect(missesOf(result).slice(-2)).toEqual([
      ["p99<50ms at 1 connection, 3 s", "failure", "THRESHOLD_FAILED"],
      ["verdict of the run", "error", "INTERRUPTED"],
    ]);
    expect(casesOf(result).at(-1)?.miss?.details?.join("\n")).toContain(
      "The verdict on what was measured is fail.\nTHRESHOLD_FAILED: single at 1 connection: threshold",
    );
  });

  it("misses no step that a stop rule left out", () => {
    const stopOn = [{ ...THRESHOLD, source: "p99>50ms", operator: ">" }] as const;
    const steps = [aStep({ level: low, measurement: slow })];
    const result = aResult({ complete: false, scenario: aScenario({ levels: LEVELS, trials: 2, stopOn }), steps });
    expect(missing(result)).toEqual(["missing: single at 1 connection, 3 s, trial 2"]);
  });

  it("misses of a search the step that was cut short: nobody knows which others there would have been", () => {
    const search = aSearch();
    const cut = aStep({ level: { connections: 75, durationMs: 3000 }, state: "aborted" });
    expect(missing({ ...search, complete: false, steps: [...search.steps, cut] })).toEqual([
      "missing: single at 75 connections, 3 s, trial 1",
    ]);
  });

  it("says of a run that is under way that it is not at its end", () => {
    const result = aResult({ complete: false, finishedAt: null, steps: [] });
    expect(casesOf(result).at(-1)?.miss?.message).toMatch(/^The run has not come to its end: /);
  });
});

it("counts in the suites are of their cases, and dots of names make no packages", async () => {
  const xml = await writeJunit({
    ...withThreshold([aStep({ target: "127.0.0.1:9101", level: low, measurement: slow })]),
  });
  expect(xml).toMatch(/<testsuites name="[^"]+" tests="3" failures="2" errors="0"/);
  expect(xml).toMatch(/<testsuite name="127\.0\.0\.1:9101" [^>]+ tests="2" failures="1" errors="0" skipped="0"/);
  expect(xml).toMatch(/<testsuite name="verdict" [^>]+ tests="1" failures="1" errors="0" skipped="0"/);
  const classes = [...xml.matchAll(/classname="([^"]*)"/g)].map(([, name]) => name);
  expect(classes).toHaveLength(3);
  expect(classes[0]).toMatch(/^[^.]+\.127_0_0_1:9101$/);
});
