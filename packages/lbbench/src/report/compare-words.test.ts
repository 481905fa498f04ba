import { expect, it } from "vitest";
import type { UnknownReason } from "../judge/compare-by-margin.js";
import type { Difference, DifferenceCode } from "../judge/compare-difference.js";
import { describeDifference } from "./compare-difference-text.js";
import { describeErrorMargin, describeMargin, describeUnknown } from "./compare-words.js";

it.each([
  [0.05, "5 %"],
  [0.07, "7 %"],
  [0.125, "12.5 %"],
  [0, "0 %"],
])("describeMargin: %d is %s", (margin, text) => {
  expect(describeMargin({ margin })).toBe(text);
});

it("describeErrorMargin speaks of points", () => {
  expect(describeErrorMargin({ errorMargin: 0.001 })).toBe("0.1 points");
});

it.each<UnknownReason>([
  "WITHIN_NOISE",
  "TOO_FEW_TRIALS",
  "SINGLE_TRIAL",
  "STEP_FAILED",
  "OTHER_MACHINE",
  "OTHER_ENGINE",
  "OTHER_REQUEST",
  "OTHER_LOAD",
  "MACHINE_SATURATED",
])("describeUnknown has words for %s", (reason) => {
  expect(describeUnknown(reason)).toMatch(/^[a-z].* .*[^.]$/);
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
