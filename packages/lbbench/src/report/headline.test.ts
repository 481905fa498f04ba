import { describe, expect, test } from "vitest";
import { judgeResult } from "../judge/judge-result.js";
import { aRun } from "../judge/test-support/compare-samples.js";
import type { Level } from "../model/level.js";
import type { Result } from "../model/result.js";
import type { Bottleneck } from "../model/usage.js";
import { aUsage } from "../test-support/fixtures.js";
import { describeComparisons, describePeaks, describeVerdict } from "./headline.js";
import { aSweep, failed, withFailures } from "./test-support/sample-results.js";

test("with trials that differ, it says which target is faster where, and by how much", () => {
  const [sentence] = describeComparisons(aSweep({ trials: 5, connections: [1, 250, 500] }));
  expect(sentence).toMatch(
    /^balanced compared with single: higher throughput at 250 \/ 500 connections \(\+\d+\.\d % to \+\d+\.\d %\); lower throughput at 1 connection \(-\d+\.\d %, 95 % interval -\d+\.\d % to -\d+\.\d %\)\.$/,
  );
});

test("with one trial nothing is claimed", () => {
  const [sentence] = describeComparisons(aSweep());
  expect(sentence).toContain("no difference can be claimed (~) at any level (one trial");
});

test("with too few trials for so many levels it says how many it takes, and does not look like a draw", () => {
  const [sentence] = describeComparisons(aSweep({ trials: 4 }));
  expect(sentence).toContain(
    "at any level (too few trials: a difference takes at least 5 on each side here, --trials 6)",
  );
});

test("where not one request of the whole run was answered as expected, the verdict says that there is nothing to compare", () => {
  const sweep = aSweep({ connections: [1, 50], change: (step) => withFailures(step, 1) });
  expect(describeVerdict({ ...sweep, verdict: { status: "inconclusive", findings: [] } })).toBe(
    "Not one of 4,000 requests was answered as expected: there is nothing to conclude, or to compare.",
  );
  const oneIsOk = aSweep({
    connections: [1, 50],
    change: (step) => withFailures(step, (step.level.connections ?? 0) > 1 ? 1 : 0.5),
  });
  expect(describeVerdict({ ...oneIsOk, verdict: { status: "inconclusive", findings: [] } })).toMatch(
    /^The numbers do not support/,
  );
});

describe("with a margin the verdict says what is worse", () => {
  const judge = (result: Result, margin: number): string => {
    const judged = { ...result, scenario: { ...result.scenario, margin } };
    return describeVerdict({ ...judged, verdict: judgeResult(judged) });
  };
  const sweep = aSweep({ targets: ["a", "b", "c"], connections: [1, 250], trials: 5 });

  test("when something is", () => {
    expect(judge(sweep, 0.05)).toBe("b and c are worse than a beyond the margin of 5 %.");
  });

  test("when nothing is", () => {
    expect(judge(sweep, 0.9)).toMatch(/^The run went through\. No target is worse than a beyond the margin of 90 %\. /);
    expect(judge(aSweep({ trials: 5, connections: [250] }), 0.9)).toContain("balanced is not worse than single beyond");
  });

  test("when that cannot be told, beside the findings", () => {
    expect(judge(aSweep({ connections: [1] }), 0.05)).toBe(
      "The numbers do not support a conclusion; the findings say why. Whether balanced is worse than single beyond the margin of 5 % cannot be told.",
    );
  });

  test("beside a threshold that was missed", () => {
    const threshold = { source: "p99<1ms", metric: "p99", operator: "<", value: 1 } as const;
    const { scenario } = sweep;
    expect(judge({ ...sweep, scenario: { ...scenario, thresholds: [threshold] } }, 0.05)).toBe(
      "A threshold was not met. b and c are worse than a beyond the margin of 5 %.",
    );
  });
});

test("with one trial it says where more was measured, and where less", () => {
  const [sentence] = describeComparisons(aSweep({ connections: [1, 250, 500] }));
  expect(sentence).toMatch(
    /: throughput measured higher at 250 \/ 500 connections \(\+\d+\.\d % to \+\d+\.\d %\) and lower at 1 connection \(-\d+\.\d %\), but no difference/,
  );
  const [oneWay] = describeComparisons(aSweep({ connections: [250, 500] }));
  expect(oneWay).toMatch(/: throughput measured \+\d+\.\d % to \+\d+\.\d %, but no difference/);
});

test("what several trials do not tell from noise is left to its finding, the rest is said", () => {
  const noisy = aRun({
    targets: ["single", "balanced"],
    connections: [50, 100],
    scenario: { reference: "single" },
    speed: (trial, _, target) => (1 + ((trial * 7) % 5) / 10) * (target === "balanced" ? 1.1 : 1),
  });
  expect(describeComparisons(noisy)).toEqual([
    "balanced compared with single: no difference can be claimed (~) at any level (within the noise of the trials).",
  ]);
  const steps = noisy.steps.map((step) =>
    step.level.connections === 100
      ? { ...step, findings: [{ code: "TOO_SHORT", severity: "warning", args: {} } as const] }
      : step,
  );
  expect(describeComparisons({ ...noisy, steps })[0]).toContain(
    ": throughput measured +10.0 %, but no difference can be claimed",
  );
});

test("changes that nobody would call one do not stand for larger ones that are left to a finding", () => {
  const run = aRun({
    targets: ["single", "balanced"],
    connections: [50, 100],
    scenario: { reference: "single" },
    speed: (trial, connections, target) =>
      (1 + ((trial * 7) % 5) / 10) * (target === "balanced" ? (connections === 50 ? 1.1 : 0.999) : 1),
  });
  expect(describeComparisons(run)[0]).not.toContain("measured");
});

test("an open loop is compared by p50, since its throughput is what was asked for", () => {
  const rated = (result: Result): Result => ({
    ...result,
    scenario: { ...result.scenario, levels: result.scenario.levels.map(toRate) },
    steps: result.steps.map((step) => ({ ...step, level: toRate(step.level) })),
  });
  const [sentence] = describeComparisons(rated(aSweep({ trials: 5, connections: [1, 250] })));
  expect(sentence).toMatch(
    /: lower p50 at 250 requests per second \(-\d+\.\d %, .*higher p50 at 1 request per second \(\+/,
  );
  expect(describePeaks(rated(aSweep({ targets: ["single"], connections: [250] })))[0]).toMatch(
    /^single: at most [\d,]+ requests per second, of 250 asked for \(p50/,
  );
});

function toRate({ connections = 0, ...rest }: Level): Level {
  return { ...rest, rate: connections };
}

test("a single target is compared with nothing", () => {
  expect(describeComparisons(aSweep({ targets: ["single"] }))).toEqual([]);
});

test("the peak of a target names its level and the latency there", () => {
  expect(describePeaks(aSweep({ targets: ["single"] }))).toEqual([
    "single: at most 8,055 requests per second, with 250 connections (p50 28.9 ms, p99 93.1 ms)",
  ]);
});

test("the peak of a target says when it may be the generator's", () => {
  const busy = (bottleneck: Bottleneck) =>
    describePeaks(aSweep({ targets: ["single"], change: (step) => ({ ...step, usage: aUsage({ bottleneck }) }) }));
  expect(busy("generator")).toEqual([
    "single: at most 8,055 requests per second, with 250 connections (p50 28.9 ms, p99 93.1 ms) (the generator was the busiest part)",
  ]);
  expect(busy("backend")[0]).not.toContain("generator");
});

test.each([
  ["was not measured", aSweep({ targets: ["single"], change: failed })],
  ["answered nothing", aSweep({ targets: ["single"], change: (step) => withFailures(step, 1) })],
])("a target that %s has no peak", (_, result) => {
  expect(describePeaks(result)).toEqual(["single: no request was answered as expected"]);
});

test("an unfinished run says so", () => {
  expect(describeVerdict({ ...aSweep(), complete: false })).toMatch(/but the run was not finished/);
});
