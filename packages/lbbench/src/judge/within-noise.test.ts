import { describe, expect, it } from "vitest";
import type { FindingArgs } from "../model/finding.js";
import { judgeResult } from "./judge-result.js";
import { aRun, steady } from "./test-support/compare-samples.js";
import type { RunShape } from "./test-support/compare-samples.js";
import { findWithinNoise } from "./within-noise.js";

/** Trials of two targets that overlap: the other one's median is `gain` above that of the reference. */
function noisy(gain: number, shape: RunShape = {}): RunShape {
  return {
    targets: ["single", "balanced"],
    speed: (trial, _, target) => (1 + ((trial * 7) % 5) / 10) * (target === "balanced" ? 1 + gain : 1),
    ...shape,
    scenario: { reference: "single", ...shape.scenario },
  };
}

function argsOf(shape: RunShape): readonly FindingArgs[] {
  return findWithinNoise(aRun(shape)).map(({ args }) => args);
}

describe("findWithinNoise", () => {
  it("names the gain, and that it is none that can be told, once for each target", () => {
    const shape = noisy(0.1, { targets: ["single", "balanced", "other"], connections: [1, 50, 100] });
    expect(findWithinNoise(aRun(shape))).toEqual([
      {
        code: "WITHIN_NOISE",
        severity: "info",
        args: {
          target: "balanced",
          reference: "single",
          kind: "connections",
          metric: "throughput",
          trials: 6,
          higher: "1, 50, 100",
          highest: expect.closeTo(0.1, 6),
        },
      },
    ]);
  });

  it("names gains and losses apart, each with the largest of them", () => {
    const gains = new Map([
      [1, -0.15],
      [50, 0.05],
      [100, 0.1],
    ]);
    const [args, ...others] = argsOf({
      ...noisy(0, { connections: [1, 50, 100] }),
      speed: (trial, connections, target) =>
        (1 + ((trial * 7) % 5) / 10) * (target === "balanced" ? 1 + (gains.get(connections) ?? 0) : 1),
    });
    expect(others).toEqual([]);
    expect(args).toMatchObject({ higher: "50, 100", lower: "1" });
    expect([args?.["highest"], args?.["lowest"]]).toEqual([expect.closeTo(0.1, 6), expect.closeTo(-0.15, 6)]);
  });

  it("speaks of too few trials as well, which tell nothing either, and of as many as were measured", () => {
    expect(argsOf(noisy(0.1, { trials: 2 }))).toMatchObject([{ trials: 2, higher: "50" }]);
    expect(argsOf(noisy(0.1, { trials: 2, scenario: { trials: 5 } }))).toMatchObject([{ trials: 2 }]);
    const run = aRun(noisy(0.1));
    const steps = run.steps.filter(({ target, trial }) => target === "single" || trial <= 4);
    expect(findWithinNoise({ ...run, steps })).toMatchObject([{ args: { trials: 4 } }]);
  });

  it("asks an open loop for its p50, as its throughput was asked for", () => {
    const rate = { reference: "single", levels: [{ rate: 500, durationMs: 3000 }] };
    expect(argsOf(noisy(-0.1, { scenario: rate }))).toMatchObject([{ kind: "rate", metric: "p50", higher: "500" }]);
  });

  it("names the numbers of requests as well where a matrix has several", () => {
    const levels = [100, 10_000].flatMap((requests) => [1, 50].map((connections) => ({ connections, requests })));
    const [args] = argsOf(noisy(0.1, { scenario: { reference: "single", levels } }));
    expect(args).toMatchObject({ higher: "1, 50", higherRequests: "100, 10000" });
    expect(argsOf(noisy(0.1))[0]).not.toHaveProperty("higherRequests");
  });

  it.each<[string, RunShape]>([
    ["a single trial, of which SINGLE_TRIAL speaks", noisy(0.1, { trials: 1 })],
    ["no difference", noisy(0)],
    ["a negligible one", noisy(0.01)],
    [
      "one that the trials do tell",
      { ...noisy(0), speed: (trial, _, name) => steady(name === "single" ? 1 : 2)(trial) },
    ],
    ["no reference", noisy(0.1, { scenario: { reference: null } })],
    [
      "figures that are doubtful for another reason",
      noisy(0.1, { findings: () => [{ code: "TOO_SHORT", severity: "warning", args: {} }] }),
    ],
  ])("says nothing of %s", (_, shape) => {
    expect(argsOf(shape)).toEqual([]);
  });

  it("leaves the verdict alone", () => {
    const { status, findings } = judgeResult(aRun(noisy(0.1)));
    expect(status).toBe("pass");
    expect(findings.map(({ code }) => code)).toContain("WITHIN_NOISE");
  });
});
