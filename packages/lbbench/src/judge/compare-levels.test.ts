import { describe, expect, it } from "vitest";
import type { Finding, FindingArgs } from "../model/finding.js";
import { compareWithReference } from "./compare-targets.js";
import { aPair, MARGINS, type RunShape, warned } from "./test-support/compare-samples.js";

const SIX = [1, 50, 100, 250, 500, 1000];

/** What is said of all levels of a run together, without a margin. */
const overallOf = (run: Parameters<typeof compareWithReference>[0]) =>
  compareWithReference(run, null).targets[0]?.overall;

const limited = (side: string): RunShape => warned("GENERATOR_SATURATED", side);
const full = (args: FindingArgs, side?: string): RunShape => warned("MACHINE_SATURATED", side, args);
const AT_LEAST = { verdict: "slower", isAtLeast: true, interval: null };

describe("levels together", () => {
  it("leave out the level of 1 connection, where nothing can be shared out; of rates none", () => {
    const speed = (trial: number, connections: number, name: string): number =>
      (1 + trial / 100) * (name === "single" || connections === 1 ? 1 : 2);
    const run = aPair(1, { trials: 6, connections: SIX, speed });
    expect(overallOf(run)).toEqual({
      metric: "throughput",
      isAboveOne: true,
      change: expect.closeTo(1, 9),
      interval: { low: expect.closeTo(1, 2), high: expect.closeTo(1, 2) },
      isAtLeast: false,
      pValue: 2 / 64,
      verdict: "faster",
      worse: "unknown",
      trials: 6,
      levels: 5,
      of: 5,
      complete: run.scenario.levels.slice(1),
    });
    const levels = SIX.slice(1).map((rate) => ({ rate, durationMs: 3000 }));
    const rated = overallOf(aPair(2, { trials: 6, scenario: { levels } }));
    expect(rated).toMatchObject({ metric: "mean", isAboveOne: false, of: 5, verdict: "faster" });
  });

  it("claim nothing of one trial, nor of three, and are not there of one level", () => {
    const nothing = { verdict: "~", pValue: null, interval: null };
    for (const trials of [1, 3]) {
      expect(overallOf(aPair(0.2, { trials, connections: SIX }))).toMatchObject({ ...nothing, trials });
    }
    const one = compareWithReference(aPair(0.2, { trials: 6, connections: [1, 50] }), null);
    expect(one.targets[0]).not.toHaveProperty("overall");
  });

  it.each<[string, RunShape, object]>([
    ["a doubt that explains less", full({ ofTarget: 0.5 }), { ...AT_LEAST, change: expect.closeTo(-0.5, 9) }],
    ["a generator that limits the faster one", limited("single"), { ...AT_LEAST, change: expect.closeTo(-0.75, 9) }],
    ["failures, as ok responses are compared", warned("NON_2XX"), { verdict: "slower", isAtLeast: false }],
    ["doubts that explain all of it", full({ ofTarget: 0.1 }), { verdict: "~" }],
    ["a generator that limits the slower one", limited("balanced"), { verdict: "~", change: 0, pValue: 1 }],
  ])("stand, or fall, beside %s", (_, shape, expected) => {
    expect(overallOf(aPair(0.25, { trials: 6, connections: SIX, ...shape }))).toMatchObject(expected);
  });

  it.each<[string, number, RunShape, string]>([
    ["a loss beyond the margin beside a generator that limits the faster one", 0.9, limited("single"), "yes"],
    ["nothing of a smaller loss beside it", 0.97, limited("single"), "unknown"],
    ["nothing of a loss that a full machine explains in part", 0.88, full({ headroom: 1.1 }, "balanced"), "unknown"],
    ["no loss of the faster one, whatever limits it", 1.02, limited("balanced"), "no"],
    ["no loss where the slower one may be a little faster", 1.3, full({ headroom: 1.1 }, "single"), "no"],
  ])("tell by a margin %s", (_, factor, shape, worse) => {
    const run = aPair(factor, { trials: 6, connections: [50, 100], ...shape });
    const { status, targets } = compareWithReference(run, MARGINS);
    expect(targets[0]?.overall?.worse).toBe(worse);
    expect(status).toBe({ yes: "fail", no: "pass", unknown: "inconclusive" }[worse]);
  });

  it("tell by a margin nothing of a level that is not among them, but for one connection", () => {
    const statusOf = (doubtfulAt: number): string => {
      const findings: RunShape["findings"] = (_, at, name) =>
        name === "balanced" && at === doubtfulAt ? [{ code: "LEVEL_NOT_REACHED", severity: "warning", args: {} }] : [];
      const speed = (trial: number, at: number, name: string): number =>
        (1 + trial / 100) * (name === "single" ? 1 : at === doubtfulAt ? 0.5 : 1.001);
      return compareWithReference(aPair(1, { connections: [1, 50, 100, 1000], speed, findings }), MARGINS).status;
    };
    expect([1000, 1].map(statusOf)).toEqual(["inconclusive", "pass"]);
  });

  it("rest on the levels, or the trials, that both targets have", () => {
    const run = aPair(0.5, { trials: 6, connections: SIX });
    const without = (isLost: (trial: number, connections: number) => boolean) => ({
      ...run,
      steps: run.steps.filter(({ trial, level }) => !isLost(trial, level.connections ?? 0)),
    });
    const oneLevel = overallOf(without((trial, at) => trial > 3 && at === 250));
    expect(oneLevel).toMatchObject({ trials: 6, levels: 4, of: 5, verdict: "slower" });
    const cutShort = overallOf(without((trial, at) => trial === 6 && at > 50));
    expect(cutShort).toMatchObject({ trials: 5, levels: 5, verdict: "slower" });
  });

  it("leave out a trial in which a level was disturbed, or a level that was disturbed in most", () => {
    const compareDisturbed = (isDisturbed: (trial: number, connections: number) => boolean, trials = 10) => {
      const disturbed: Finding = { code: "MACHINE_SATURATED", severity: "warning", args: { ofTarget: 0.01 } };
      const findings: RunShape["findings"] = (trial, at, name) =>
        name === "balanced" && isDisturbed(trial, at) ? [disturbed] : [];
      return overallOf(aPair(0.9, { trials, connections: SIX, findings }));
    };
    const told = { verdict: "slower", isAtLeast: false, change: expect.closeTo(-0.1, 9) };
    expect(compareDisturbed((trial, at) => trial === 2 && at === 100)).toMatchObject({ ...told, trials: 9, levels: 5 });
    expect(compareDisturbed((trial, at) => trial > 6 && at === 100)).toMatchObject({ ...told, trials: 10, levels: 4 });
    // Too few would be left.
    expect(compareDisturbed((trial, at) => trial === 2 && at === 100, 6)).toMatchObject({ verdict: "~", trials: 6 });
  });
});
