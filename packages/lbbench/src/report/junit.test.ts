import { describe, expect, it } from "vitest";
import { parseThreshold } from "../config/parsers.js";
import type { Finding } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import { aLatency, aMeasurement, aResult, aScenario, aStep } from "../test-support/fixtures.js";
import { renderJunit } from "./junit.js";
import { aFaultyResult } from "./test-support/fault-results.js";
import { aSearch, judged, RESULT_SHAPES, withMargin } from "./test-support/result-shapes.js";
import { aSweep, withFigures } from "./test-support/sample-results.js";

interface ReadCase {
  readonly suite: string;
  readonly name: string;
  /** `failure THRESHOLD_FAILED`, `skipped`; empty where it passed. */
  readonly miss: string;
  readonly message: string;
  readonly details: readonly string[];
}

const unescape = (text = ""): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
const attribute = (tag: string, name: string): string => unescape(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]);

function xmlOf(result: Result): string {
  const [file, ...others] = renderJunit(result);
  expect([file?.name, others]).toEqual(["junit.xml", []]);
  return String(file?.content);
}

/** How many cases there are, and how many of them missed in each way. */
const countsOf = (cases: readonly ReadCase[]): readonly string[] =>
  ["", "failure", "error", "skipped"].map((kind) => String(cases.filter(({ miss }) => miss.startsWith(kind)).length));
const COUNTS = ["tests", "failures", "errors", "skipped"];

/** The test cases of a file, whose counts have to be those that its suites tell. */
function casesOf(result: Result): readonly ReadCase[] {
  const xml = xmlOf(result);
  const suites = [...xml.matchAll(/(<testsuite [^>]*>)([^]*?)<\/testsuite>/g)].map(([, tag = "", content = ""]) => {
    const cases = [...content.matchAll(/(<testcase [^>]*?)(?:\/>|>([^]*?)<\/testcase>)/g)].map(
      ([, head = "", body = ""]): ReadCase => {
        const [, miss = "", kind = "", text = ""] =
          /(<(failure|error|skipped)[^>]*?)(?:\/>|>([^]*?)<\/)/.exec(body) ?? [];
        return {
          suite: attribute(tag, "name"),
          name: attribute(head, "name"),
          miss: `${kind} ${attribute(miss, "type")}`.trim(),
          message: attribute(miss, "message"),
          details: unescape(text).split("\n"),
        };
      },
    );
    expect(COUNTS.map((name) => attribute(tag, name))).toEqual(countsOf(cases));
    return cases;
  });
  const [root = ""] = /<testsuites [^>]*>/.exec(xml) ?? [];
  const ofAll = COUNTS.slice(0, 3);
  expect(ofAll.map((name) => attribute(root, name))).toEqual(countsOf(suites.flat()).slice(0, 3));
  return suites.flat();
}

const missesOf = (result: Result): Readonly<Record<string, string>> =>
  Object.fromEntries(
    casesOf(result).map(({ suite, name, miss }) => [suite === "balanced" ? `${suite}: ${name}` : name, miss]),
  );

const LEVELS = [1, 50].map((connections) => ({ connections, durationMs: 3000 }));
const [low = {}, high = {}] = LEVELS;
const THRESHOLD = { source: "p99<50ms", metric: "p99", operator: "<", value: 50 } as const;
const GRAVE: Finding = { code: "ALL_FAILED", severity: "error", args: { sent: 10 } };
const slow = aMeasurement({ latency: aLatency({ p99: 80 }) });
const VERDICT = "verdict of the run";

const withThreshold = (...steps: readonly StepResult[]): Result =>
  judged(aResult({ scenario: aScenario({ levels: LEVELS, thresholds: [THRESHOLD] }), steps }));

describe("test cases", () => {
  it("are each threshold over all levels and trials of a target, and the verdict", () => {
    expect(missesOf(withThreshold(aStep({ level: low }), aStep({ level: high, measurement: slow })))).toEqual({
      "p99<50ms": "failure THRESHOLD_FAILED",
      [VERDICT]: "failure THRESHOLD_FAILED",
    });
    const [held] = casesOf(withThreshold(aStep({ level: low }), aStep({ level: high })));
    expect(held).toMatchObject({ suite: "single", name: "p99<50ms", miss: "" });
    const [missed] = casesOf(withThreshold(...[1, 2].map((trial) => aStep({ trial, measurement: slow }))));
    expect(missed?.message).toMatch(/^single at 50 connections: threshold p99<50ms .*80\.0 ms/);
  });

  it("that cannot be judged are errors, never passes", () => {
    const findings: readonly Finding[] = [{ code: "TOO_SHORT", severity: "warning", args: { elapsedMs: 10 } }];
    const misses = missesOf(withThreshold(aStep({ level: low }), aStep({ level: high, findings })));
    expect(misses["p99<50ms"]).toBe("error THRESHOLD_INCONCLUSIVE");
  });

  it("of a margin are one for each target but the reference: worse, not worse, or not told", () => {
    const compared = (factor: number, trials = 10): Result => {
      const changed = (step: StepResult): StepResult =>
        withFigures(step, { throughput: (step.measurement?.throughput ?? 0) * factor });
      const change = (step: StepResult): StepResult => (step.target === "single" ? step : changed(step));
      return withMargin(aSweep({ connections: [50], trials, change }), 0.05);
    };
    const NAME = "not worse than single by more than 5 %";
    const of = (result: Result): string | undefined => missesOf(result)[`balanced: ${NAME}`];
    expect([of(compared(0.3)), of(compared(1)), of(compared(1, 1))]).toEqual([
      "failure WORSE_THAN_REFERENCE",
      "",
      "error COMPARISON_INCONCLUSIVE",
    ]);
    expect(Object.keys(missesOf(compared(1)))).not.toContain(NAME);
  });

  it("of what faults cost are their thresholds: no recovery without one is none", () => {
    const missesOfNginx = (shape: Parameters<typeof aFaultyResult>[0], ...thresholds: readonly string[]) => {
      const { scenario, ...result } = aFaultyResult({ lost: { nginx: 41 }, ...shape });
      const asked = { ...scenario, thresholds: thresholds.map(parseThreshold) };
      const cases = casesOf({ ...result, scenario: asked }).filter(({ suite }) => suite === "nginx");
      return cases.map(({ name, miss, message }) => `${name} ${miss}: ${message}`);
    };
    const unending = { events: [[30, 100, { ok: 0, resets: 50 }]] } as const;
    const [lost, late] = ["lost<10", "recovery<50ms"].map(
      (name) => expect.stringMatching(`^${name} failure THRESHOLD_FAILED: .*${name}`) as string,
    );
    expect(missesOfNginx({})).toEqual([]);
    expect(missesOfNginx({}, "lost<10", "recovery<50ms")).toEqual([lost, late]);
    expect(missesOfNginx(unending, "recovery<50ms")).toEqual([late]);
  });

  it("of a search are one for each target, of which it is no failure that it broke at last", () => {
    const largest = (outcome: Parameters<typeof aSearch>[0]): string | undefined =>
      missesOf(aSearch(outcome))["largest load by connections"];
    expect(missesOf(aSearch())).toMatchObject({ [VERDICT]: "" });
    expect(largest({})).toBe("");
    expect(largest({ status: "nothing-held", held: null, broken: 1 })).toBe("failure NOTHING_HELD");
    expect(largest({ status: "unclear", broken: null })).toBe("error LIMIT_NOT_FOUND");
  });
});

describe("the verdict", () => {
  it.each([
    ["fail", "failure"],
    ["inconclusive", "error"],
  ] as const)("%s is a miss of its own case, also where another case says so", (status, kind) => {
    const verdict = { status, findings: [{ code: "IDENTICAL_FIGURES", severity: "error", args: {} }] } as const;
    const cases = casesOf(aResult({ steps: [aStep({ findings: [GRAVE] })], verdict }));
    expect(cases.map(({ miss }) => miss)).toEqual([`${kind} IDENTICAL_FIGURES`]);
  });

  it("have their names also where these are words of XML libraries", () => {
    const named = aScenario({
      name: "true",
      targets: [{ name: "true", server: "single", options: {} }],
      thresholds: [THRESHOLD],
    });
    const xml = xmlOf(judged(aResult({ scenario: named, steps: [aStep({ target: "true" })] })));
    expect(xml.match(/<testsuites? name="true"/g)).toHaveLength(2);
  });

  it("pass in spite of failures that another threshold allows, as the verdict does", () => {
    const thresholds = ["p99<50ms", "errors<1%"].map(parseThreshold);
    const failures: Finding = { code: "NON_2XX", severity: "warning", args: { sent: 1000, count: 5, share: 0.005 } };
    const measurement = aMeasurement({ requests: { ok: 995, non2xx: 5 } });
    const result = judged(
      aResult({ scenario: aScenario({ thresholds }), steps: [aStep({ measurement, findings: [failures] })] }),
    );
    expect(result.verdict.status).toBe("pass");
    expect(missesOf(result)).toEqual({ "p99<50ms": "", "errors<1%": "", [VERDICT]: "" });
  });

  it.each([...RESULT_SHAPES].map(([name, result]) => [name, judged(result)] as const))(
    "is never better in the file than in the result: %s",
    (_, result) => {
      const kinds = casesOf(result).map(({ miss }) => miss.split(" ")[0]);
      const kind = { pass: "", fail: "failure", inconclusive: "error" }[result.verdict.status];
      const missed = kinds.filter((one) => one === "failure" || (one === "error" && result.complete));
      expect(kind === "" ? missed.length === 0 : kinds.includes(kind)).toBe(true);
      expect(kinds.at(-1)).toBe(result.complete ? kind : "error");
    },
  );
});

describe("a run that was interrupted", () => {
  const last = (result: Result): ReadCase | undefined => casesOf(result).at(-1);
  const missing = (result: Result): readonly string[] | undefined =>
    last(result)?.details.filter((line) => line.startsWith("missing: "));
  const scenario = aScenario({ levels: LEVELS, trials: 2 });

  it("is an error that names the steps which are missing, although nothing failed", () => {
    const steps = [aStep({ level: low }), aStep({ level: low, trial: 2 }), aStep({ level: high, state: "aborted" })];
    const result = aResult({ complete: false, scenario, steps });
    const message = "The run was interrupted: 2 steps are missing.";
    expect(last(result)).toMatchObject({ miss: "error INTERRUPTED", message });
    const names = [1, 2].map((trial) => `missing: single at 50 connections, 3 s, trial ${trial}`);
    expect(missing(result)).toEqual(names);
    expect(last(result)?.details.at(-1)).toBe("The verdict on what was measured is pass.");
  });

  it("leaves no threshold of a target green whose steps were not all measured", () => {
    const targets = ["a", "b"].map((name) => ({ name, server: "single", options: {} }));
    const two = aScenario({ levels: LEVELS, trials: 2, targets, thresholds: [THRESHOLD] });
    const steps = LEVELS.flatMap((level) => [1, 2].map((trial) => aStep({ target: "a", level, trial })));
    const missesAfter = (...more: readonly StepResult[]): readonly string[] =>
      casesOf(aResult({ complete: false, scenario: two, steps: [...steps, ...more] }))
        .filter(({ suite }) => suite !== "verdict")
        .map(({ suite, miss, message }) => `${suite}: ${miss} ${message}`.trim());
    expect(missesAfter()).toEqual([
      "a:",
      "b: error INTERRUPTED 4 steps of b were not measured. The run did not come to its end.",
    ]);
    expect(missesAfter(aStep({ target: "b", level: low }), aStep({ target: "b", level: low, trial: 2 }))[1]).toMatch(
      /^b: error INTERRUPTED 2 steps of b were not measured/,
    );
    expect(missesAfter(aStep({ target: "b", level: low, measurement: slow }))[1]).toMatch(
      /^b: failure THRESHOLD_FAILED/,
    );
  });

  it("misses no step that a stop rule left out, and of a search the one that was cut short", () => {
    const stopOn = [{ ...THRESHOLD, source: "p99>50ms", operator: ">" }] as const;
    const steps = [aStep({ level: low, measurement: slow })];
    const stopped = aResult({ complete: false, scenario: { ...scenario, stopOn }, steps });
    expect(missing(stopped)).toEqual(["missing: single at 1 connection, 3 s, trial 2"]);
    const search = aSearch();
    const cut = aStep({ level: { connections: 75, durationMs: 3000 }, state: "aborted" });
    expect(missing({ ...search, complete: false, steps: [...search.steps, cut] })).toEqual([
      "missing: single at 75 connections, 3 s, trial 1",
    ]);
  });
});
