import { expect, test } from "vitest";
import { describeOutcome } from "./say-outcome.js";
import { worstVerdict } from "./verdict.js";

test("the worst verdict counts", () => {
  expect(worstVerdict(["pass", "fail", "inconclusive"])).toBe("fail");
  expect(worstVerdict(["inconclusive", "pass"])).toBe("inconclusive");
  expect(worstVerdict([])).toBe("pass");
});

test("says the verdict, how it compares with the baseline, and the findings that led to it", () => {
  const findings = [
    { code: "THRESHOLD_INCONCLUSIVE", severity: "warning", args: {} },
    { code: "SINGLE_TRIAL", severity: "warning", args: {} },
    { code: "INTERRUPTED", severity: "error", args: {} },
  ] as const;
  const text = describeOutcome({
    verdict: "fail",
    result: { verdict: { status: "inconclusive", findings } },
    comparison: { status: "fail" },
  });
  expect(text.split("\n").slice(0, 2)).toEqual(["Verdict: fail.", "It is worse than the baseline beyond the margin."]);
  expect(text.split("\n")).toHaveLength(4);
});
