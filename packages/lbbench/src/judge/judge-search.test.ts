import { describe, expect, it } from "vitest";
import type { Finding, Verdict } from "../model/finding.js";
import type { SearchOutcome, TriedLevel } from "../model/search.js";
import { aScenario, aStep } from "../test-support/fixtures.js";
import { judgeResult } from "./judge-result.js";

const level = (value: number, decision: TriedLevel["decision"], more: Partial<TriedLevel> = {}): TriedLevel => ({
  value,
  decision,
  held: decision === "held" ? 2 : 0,
  broken: decision === "broken" ? 2 : 0,
  unclear: 0,
  ...(decision === "broken" ? { because: "errors<=0" } : {}),
  ...more,
});

const FOUND: SearchOutcome = {
  target: "single",
  by: "connections",
  status: "found",
  held: 10,
  broken: 11,
  tried: [level(10, "held"), level(11, "broken")],
  beyond: null,
};

function verdictOf(outcomes: readonly SearchOutcome[], findings: readonly Finding[] = []): Verdict {
  return judgeResult({ scenario: aScenario({ trials: 3 }), steps: [aStep({ findings })], search: outcomes });
}

const error = (code: Finding["code"]): Finding => ({ code, severity: "error", args: {} });

describe("the verdict of a search", () => {
  it.each<[Verdict["status"], string, Partial<SearchOutcome>]>([
    ["pass", "LIMIT_FOUND", {}],
    ["pass", "LIMIT_NOT_FOUND", { status: "unbounded", broken: null }],
    ["fail", "NOTHING_HELD", { status: "nothing-held", held: null, broken: 1 }],
    ["inconclusive", "LIMIT_NOT_FOUND", { status: "unclear" }],
    ["inconclusive", "LIMIT_NOT_FOUND", { status: "unfinished" }],
    ["inconclusive", "LIMIT_DOUBTFUL", { tried: [level(11, "broken", { doubt: "GENERATOR_SATURATED" })] }],
  ])("is %s with %s", (status, code, outcome) => {
    const verdict = verdictOf([FOUND, { ...FOUND, target: "other", ...outcome }]);
    expect(verdict.status).toBe(status);
    expect(verdict.findings.filter(({ args }) => args["target"] === "other").map((one) => one.code)).toContain(code);
  });

  it("warns of a limit that was not found, but not where all that was asked about held", () => {
    const severityOf = (outcome: Partial<SearchOutcome>) => verdictOf([{ ...FOUND, ...outcome }]).findings[0]?.severity;
    expect(severityOf({ status: "unbounded", broken: null })).toBe("info");
    expect(severityOf({ status: "unfinished", broken: null })).toBe("warning");
  });

  it("says where the limit is", () => {
    expect(verdictOf([FOUND]).findings).toEqual([
      {
        code: "LIMIT_FOUND",
        severity: "info",
        args: { target: "single", connections: 10, held: 10, broken: 11, because: "errors<=0" },
      },
    ]);
    expect(verdictOf([{ ...FOUND, by: "rate" }]).findings[0]?.args).toMatchObject({ rate: 10 });
  });

  it("passes although a target failed or died under too much load, and warns of it", () => {
    const verdict = verdictOf([FOUND], [error("ALL_FAILED"), error("TARGET_DIED")]);
    expect(verdict.status).toBe("pass");
    expect(verdict.findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      "warning ALL_FAILED",
      "warning TARGET_DIED",
      "info LIMIT_FOUND",
    ]);
  });

  it("is inconclusive when numbers are false for another reason", () => {
    expect(verdictOf([FOUND], [error("REQUESTS_LOST")]).status).toBe("inconclusive");
  });

  it("does not fail for a threshold that a level missed", () => {
    const scenario = aScenario({ thresholds: [{ source: "errors<=0", metric: "errors", operator: "<=", value: 0 }] });
    const steps = [aStep({ findings: [] })];
    expect(judgeResult({ scenario, steps, search: [FOUND] }).findings.map(({ code }) => code)).not.toContain(
      "THRESHOLD_FAILED",
    );
  });
});
