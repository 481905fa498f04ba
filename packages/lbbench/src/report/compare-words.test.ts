import { expect, it } from "vitest";
import type { UnknownReason } from "../judge/compare-by-margin.js";
import type { Difference, DifferenceCode } from "../judge/compare-difference.js";
import { describeDifference } from "./compare-difference-text.js";
import { describeChange, describeErrorMargin, describeMargin, describeUnknown, METRIC_WORDS } from "./compare-words.js";

const NO_ANSWER = {
  reference: 1,
  other: 1,
  pValue: null,
  verdict: "~",
  worse: "unknown",
  worsePValue: null,
} as const;

it.each([
  [0.05, "5 %"],
  [0.07, "7 %"],
  [0.125, "12.5 %"],
  [0, "0 %"],
])("describeMargin: %d is %s", (margin, text) => {
  expect(describeMargin({ margin })).toBe(text);
});

it("describeErrorMargin speaks of points", () => {
  expect(describeErrorMargin({ errorMargin: 0.001 })).toBe("0.1 percentage points");
});

it.each<UnknownReason>([
  "WITHIN_NOISE",
  "TOO_FEW_TRIALS",
  "SINGLE_TRIAL",
  "STEP_FAILED",
  "NOT_MEASURED",
  "IDENTICAL_FIGURES",
  "OTHER_MACHINE",
  "OTHER_ENGINE",
  "OTHER_REQUEST",
  "OTHER_LOAD",
  "MACHINE_SATURATED",
])("describeUnknown has words for %s", (reason) => {
  expect(describeUnknown(reason)).toMatch(/^[a-z].* .*[^.]$/);
});

it("describeUnknown tells a step that failed from a side without figures", () => {
  expect(describeUnknown("NOT_MEASURED")).toBe("a side has no measurement");
  expect(describeUnknown("STEP_FAILED")).toMatch(/\[STEP_FAILED\]$/);
});

it("describeUnknown sends to --resume who has planned enough trials, and to --trials who has not", () => {
  for (const reason of ["SINGLE_TRIAL", "TOO_FEW_TRIALS"] as const) {
    expect(describeUnknown(reason, { trialsNeeded: 5 })).toMatch(/--trials 6/);
    expect(describeUnknown(reason, { trialsNeeded: 8 })).toMatch(/--trials 8/);
    expect(describeUnknown(reason, { trialsNeeded: 5, canResume: true })).toMatch(/--resume$/);
    expect(describeUnknown(reason, { trialsNeeded: 5, canResume: true })).not.toContain("--trials");
  }
});

it.each([
  [0.000_88, -0.027, 0.017, "+0.1 % (-2.7 to +1.7)"],
  [0.0001, -0.0004, 0.0005, "+0.01 % (-0.04 to +0.05)"],
])("describeChange gives a change of %d as many digits as its interval", (change, low, high, text) => {
  const figures = { ...NO_ANSWER, change, interval: { low, high } };
  expect(METRIC_WORDS.slice(0, 1).map((words) => describeChange(figures, words))).toEqual([text]);
});

it.each<DifferenceCode>([
  "OTHER_MACHINE",
  "OTHER_ENGINE",
  "OTHER_REQUEST",
  "OTHER_LOAD",
  "OTHER_SOFTWARE",
  "OTHER_SERVER",
  "TARGET_ONLY_IN_A",
  "TARGET_ONLY_IN_B",
  "LEVELS_ONLY_IN_A",
  "LEVELS_ONLY_IN_B",
  "BYTES_DIFFER",
  "IDENTICAL_FIGURES",
  "NOT_COMPLETE",
  "SAME_RUN",
])("describeDifference has a sentence for %s", (code) => {
  for (const effect of ["prevents", "note"] as const) {
    const difference: Difference = { code, effect, what: "thing", target: "one", levels: [{ rate: 10, requests: 5 }] };
    expect(describeDifference(difference)).toMatch(/^\S.* .*\.$/);
    expect(describeDifference(difference)).not.toMatch(/undefined|\s{2}/);
  }
});

it("describeDifference tells both sides, and names the load", () => {
  expect(describeDifference({ code: "OTHER_LOAD", effect: "prevents", what: "warmupMs", a: 500, b: 1000 })).toContain(
    "warmupMs 500 in A, 1,000 in B",
  );
  const levels = [
    { rate: 10, durationMs: 3000 },
    { rate: 20, durationMs: 3000 },
    { rate: 20, requests: 5 },
  ];
  expect(describeDifference({ code: "LEVELS_ONLY_IN_B", effect: "note", levels })).toBe(
    "only B was measured at 10 / 20 requests per second (3 s), 20 requests per second (5 requests).",
  );
});
