import { describe, expect, it } from "vitest";
import type { Finding } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { aMeasurement, anEnvironment, aResult } from "../test-support/fixtures.js";
import { aRampScenario, aRampStep } from "../test-support/ramps.js";
import type { RampShape } from "../test-support/ramps.js";
import { judgeResult } from "./judge-result.js";
import { judgeStep } from "./judge-step.js";

const sound: RampShape["at"] = (users) => ({ ok: users * 50 });
const cliff: RampShape["at"] = (users) =>
  users >= 63 ? { ok: 0, failed: 900, failure: "connectErrors" } : sound(users, 0);

function judged(step: StepResult, scenario: Scenario = aRampScenario()): StepResult {
  return { ...step, findings: judgeStep(step, scenario, anEnvironment()) };
}

function find(step: StepResult, code: Finding["code"]): Finding | undefined {
  return judged(step).findings.find((finding) => finding.code === code);
}

function opened(count: number, step: Partial<StepResult> = {}): StepResult {
  const { measurement = aMeasurement() } = aRampStep({ at: sound });
  const connections = { asked: 100, opened: count, established: count };
  return aRampStep({ at: sound, measurement: { ...measurement, connections }, step });
}

describe("the rules for a step, in a ramp", () => {
  it("find nothing in a sound one", () => {
    expect(judged(aRampStep({ at: sound })).findings).toEqual([]);
  });

  it("say that users found no connection, unless the ramp was cut short before they came", () => {
    expect(find(opened(60), "LEVEL_NOT_REACHED")?.args).toEqual({ asked: 100, opened: 60 });
    expect(find(opened(60, { state: "aborted" }), "LEVEL_NOT_REACHED")).toBeUndefined();
    expect(find(opened(60, { state: "failed" }), "LEVEL_NOT_REACHED")).toBeUndefined();
  });

  it("say when a target died, and with how many users", () => {
    const died = aRampStep({
      at: sound,
      durationMs: 61_400,
      step: { state: "failed", error: { code: "TARGET_DIED", message: "exited with code 1" } },
    });
    expect(find(died, "TARGET_DIED")?.args).toEqual({ message: "exited with code 1", second: 61, atUsers: 62 });
  });

  it("take each user for a connection where descriptors are counted", () => {
    const step = aRampStep({ at: sound, users: 70_000, ramp: { from: 1, riseMs: 99_000, steps: null } });
    const [finding] = judgeStep(step, aRampScenario(), anEnvironment({ fdLimit: 65_536 })).filter(
      ({ code }) => code === "FD_LIMIT",
    );
    expect(finding?.args).toEqual({ connections: 70_000, needed: 70_064, fdLimit: 65_536 });
  });

  it("say that a ramp of less than a second is too short", () => {
    expect(find(aRampStep({ at: sound, durationMs: 800 }), "TOO_SHORT")).toBeDefined();
    expect(find(aRampStep({ at: sound, durationMs: 5000 }), "TOO_SHORT")).toBeUndefined();
  });
});

describe("the verdict of a ramp", () => {
  it("says by second what came of it, and nothing by level", () => {
    const scenario = aRampScenario({ trials: 3 });
    const steps = [1, 2, 3].map((trial) => {
      const noise = (value: number): number => value * (1 + trial / 100);
      return judged(aRampStep({ at: cliff, noise, step: { trial } }));
    });
    const { status, findings } = judgeResult(aResult({ scenario, steps }));
    expect(findings.map(({ code }) => code)).toEqual(["CONNECT_ERRORS", "CLIFF"]);
    expect(status).toBe("pass");
    expect(findings[1]?.args).toMatchObject({ second: 62, firstBad: 64 });
  });

  it("asks thresholds about the whole of it", () => {
    const p99 = { source: "p99<50ms", metric: "p99", operator: "<", value: 50 } as const;
    const steps = [judged(aRampStep({ at: (users) => ({ ok: Math.min(users, 40) * 50 }) }))];
    const { status, findings } = judgeResult(aResult({ scenario: aRampScenario({ thresholds: [p99] }), steps }));
    expect(status).toBe("fail");
    expect(findings[0]).toMatchObject({ code: "THRESHOLD_FAILED", args: { users: 100, levels: "100" } });
  });
});
