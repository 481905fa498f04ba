import { describe, expect, it } from "vitest";
import type { Finding, Verdict } from "../model/finding.js";
import { judgeResult } from "./judge-result.js";
import { judgeMargin } from "./margin-verdict.js";
import { aRun, steady } from "./test-support/compare-samples.js";
import type { RunShape } from "./test-support/compare-samples.js";

const TARGETS = ["single", "balanced"];

/** Two targets, of which the second has a throughput of this part of the first's, judged by a margin of 5 %. */
function run(factor: number, shape: RunShape = {}) {
  return aRun({
    targets: TARGETS,
    speed: (trial, _, target) => steady(target === "single" ? 1 : factor)(trial),
    ...shape,
    scenario: { reference: "single", margin: 0.05, ...shape.scenario },
  });
}

describe("judgeMargin", () => {
  it("finds what is worse beyond the margin, metric by metric, with the figures of the worst level", () => {
    const { status, findings } = judgeMargin(
      run(1, {
        connections: [1, 50, 100],
        speed: (trial, connections, target) =>
          steady(target === "single" || connections === 1 ? 1 : connections === 50 ? 0.6 : 0.8)(trial),
      }),
    );
    expect(status).toBe("fail");
    expect(findings.map(({ args }) => args["metric"])).toEqual(["throughput", "p50", "p99"]);
    expect(findings[0]).toEqual({
      code: "WORSE_THAN_REFERENCE",
      severity: "error",
      args: {
        target: "balanced",
        reference: "single",
        metric: "throughput",
        change: expect.closeTo(-0.4, 9),
        low: expect.any(Number),
        high: expect.any(Number),
        margin: 0.05,
        levels: "50, 100",
        connections: 50,
      },
    });
    expect(findings[1]?.args).toMatchObject({ metric: "p50", change: expect.closeTo(2 / 3, 9), connections: 50 });
  });

  it("finds more failed requests, by a margin of their own", () => {
    const failing = run(1, { failed: (_trial, _connections, target) => (target === "single" ? 0 : 0.02) });
    expect(judgeMargin(failing)).toMatchObject({
      status: "fail",
      findings: [{ args: { metric: "errors", change: 0.02, margin: 0.001 } }],
    });
    const scenario = { ...failing.scenario, errorMargin: 0.03 };
    expect(judgeMargin({ ...failing, scenario })).toEqual({ status: "pass", findings: [] });
  });

  it.each<[string, RunShape, Finding["args"]]>([
    ["one trial", { trials: 1 }, { because: "SINGLE_TRIAL", trialsNeeded: 4, levels: "50", connections: 50 }],
    [
      "three trials",
      { trials: 3, connections: [1, 50] },
      { because: "TOO_FEW_TRIALS", trialsNeeded: 5, levels: "1, 50", connections: 1 },
    ],
    [
      "a doubtful figure",
      { findings: () => [{ code: "TOO_SHORT", severity: "warning", args: {} }] },
      { because: "TOO_SHORT", levels: "50", connections: 50 },
    ],
    [
      "much noise",
      { speed: (trial) => (trial % 2 === 0 ? 1 : 2) },
      { because: "WITHIN_NOISE", levels: "50", connections: 50 },
    ],
    [
      "two trials of a run of five that was cut short",
      { trials: 2, scenario: { trials: 5 } },
      { because: "TOO_FEW_TRIALS", trialsNeeded: 4, planned: 5, levels: "50", connections: 50 },
    ],
    [
      "one level of two",
      {
        connections: [1, 50],
        speed: (trial, connections) => steady(1)(trial) * (connections === 1 ? 1 : trial),
      },
      { because: "WITHIN_NOISE", levels: "50", connections: 50 },
    ],
  ])("says why nothing can be told: %s", (_, shape, args) => {
    expect(judgeMargin(run(0.5, shape))).toEqual({
      status: "inconclusive",
      findings: [
        {
          code: "COMPARISON_INCONCLUSIVE",
          severity: "warning",
          args: { target: "balanced", reference: "single", margin: 0.05, ...args },
        },
      ],
    });
  });

  it("finds a target worse that died where the reference did not", () => {
    const died: Finding = { code: "TARGET_DIED", severity: "error", args: {} };
    const shape: RunShape = {
      trials: 3,
      connections: [1, 50],
      findings: (_trial, connections, target) => (target === "balanced" && connections === 50 ? [died] : []),
    };
    expect(judgeMargin(run(1, shape))).toEqual({
      status: "fail",
      findings: [
        {
          code: "WORSE_THAN_REFERENCE",
          severity: "error",
          args: {
            target: "balanced",
            reference: "single",
            metric: "deaths",
            died: 3,
            trials: 3,
            levels: "50",
            connections: 50,
          },
        },
      ],
    });
  });

  it("finds nothing where nothing is worse, or where there is no margin", () => {
    expect(judgeMargin(run(1))).toEqual({ status: "pass", findings: [] });
    expect(judgeMargin(run(0.5, { scenario: { margin: null } }))).toEqual({ status: "pass", findings: [] });
  });
});

describe("the verdict of a run with a margin", () => {
  const error: Finding = { code: "REQUESTS_LOST", severity: "error", args: {} };
  const missed = { source: "p99<1ms", metric: "p99", operator: "<", value: 1 } as const;

  it.each<[Verdict["status"], string, ReturnType<typeof run>]>([
    ["pass", "nothing is worse", run(1)],
    ["pass", "there is no margin", run(0.5, { scenario: { margin: null } })],
    ["fail", "a target is worse", run(0.5)],
    ["inconclusive", "there are too few trials", run(0.5, { trials: 3 })],
    [
      "fail",
      "there are too few trials and a threshold is missed",
      run(1, { trials: 3, scenario: { thresholds: [missed] } }),
    ],
    ["inconclusive", "a target is worse and numbers are false", run(0.5, { findings: () => [error] })],
  ])("is %s when %s", (status, _, result) => {
    expect(judgeResult(result).status).toBe(status);
  });

  it("has the findings of the comparison", () => {
    expect(judgeResult(run(0.5)).findings.map(({ code }) => code)).toContain("WORSE_THAN_REFERENCE");
  });
});
