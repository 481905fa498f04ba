import { describe, expect, it } from "vitest";
import { parseThreshold } from "../config/parse-threshold.js";
import type { FindingArgs, FindingCode, Severity } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import { aFailedStep, aLatency, aMeasurement, aStep, type MeasurementOverrides } from "../test-support/fixtures.js";
import { judgeTrial } from "./judge-trial.js";

const THRESHOLDS = ["errors<=0", "p99<50ms"].map(parseThreshold);

function judge(measurement: MeasurementOverrides, findings: readonly [FindingCode, Severity][] = []) {
  const step = aStep({
    measurement: aMeasurement(measurement),
    findings: findings.map(([code, severity]) => ({ code, severity, args: {} })),
  });
  return judgeTrial(step, THRESHOLDS);
}

const SLOW: MeasurementOverrides = { latency: aLatency({ p99: 60 }) };

describe("judgeTrial", () => {
  it("holds where every threshold is met", () => {
    expect(judge({})).toEqual({ outcome: "held" });
  });

  it("says which threshold was missed", () => {
    expect(judge({ requests: { non2xx: 1 } })).toEqual({ outcome: "broken", because: "errors<=0" });
    expect(judge(SLOW)).toEqual({ outcome: "broken", because: "p99<50ms" });
  });

  it.each(["GENERATOR_SATURATED", "MACHINE_SATURATED", "LEVEL_NOT_REACHED", "TOO_SHORT"] as const)(
    "doubts a latency that is too long beside %s",
    (code) => {
      expect(judge(SLOW, [[code, "warning"]])).toEqual({ outcome: "broken", because: "p99<50ms", doubt: code });
    },
  );

  it("does not doubt a latency because of failures, which a threshold on errors allows or not", () => {
    const allowing = [parseThreshold("errors<50%"), parseThreshold("p99<50ms")];
    const findings = [{ code: "NON_2XX", severity: "warning", args: {} } as const];
    const step = (p99: number): StepResult =>
      aStep({ findings, measurement: aMeasurement({ requests: { non2xx: 10 }, latency: aLatency({ p99 }) }) });
    expect(judgeTrial(step(60), allowing)).toEqual({ outcome: "broken", because: "p99<50ms" });
    expect(judgeTrial(step(40), allowing)).toEqual({ outcome: "held" });
  });

  it("has failed requests decide, whatever is doubtful about the latency", () => {
    expect(judge({ ...SLOW, requests: { dropped: 1 } }, [["MACHINE_SATURATED", "warning"]])).toEqual({
      outcome: "broken",
      because: "errors<=0",
    });
  });

  it("cannot tell when a threshold asks for what the engine does not tell, unless another one decides", () => {
    const { latency: _latency, ...measurement } = aMeasurement();
    const step = aStep({ measurement });
    expect(judgeTrial(step, THRESHOLDS)).toEqual({ outcome: "unclear", because: "FIGURE_NOT_TOLD" });
    const failing = {
      ...measurement,
      requests: { ...measurement.requests, non2xx: 1, sent: measurement.requests.sent + 1 },
    };
    expect(judgeTrial(aStep({ measurement: failing }), THRESHOLDS)).toEqual({
      outcome: "broken",
      because: "errors<=0",
    });
  });

  it("holds a load that was met even by a saturated generator", () => {
    expect(judge({}, [["GENERATOR_SATURATED", "warning"]])).toEqual({ outcome: "held" });
  });

  it.each(["REQUESTS_LOST", "LITTLES_LAW", "FD_LIMIT", "PORTS_EXHAUSTED"] as const)(
    "cannot tell when an error says %s, whatever was missed",
    (code) => {
      expect(judge({ requests: { connectErrors: 9 } }, [[code, "error"]])).toEqual({
        outcome: "unclear",
        because: code,
      });
    },
  );

  it("cannot tell when less load was there than was asked for and nothing came of it", () => {
    expect(judge({}, [["LEVEL_NOT_REACHED", "warning"]])).toEqual({ outcome: "unclear", because: "LEVEL_NOT_REACHED" });
  });

  it("takes a target that answered nothing, or died, for one that did not hold", () => {
    expect(judge({ requests: { ok: 0, inFlight: 50 } }, [["ALL_FAILED", "error"]])).toMatchObject({
      outcome: "broken",
    });
    expect(judgeTrial(aFailedStep(), THRESHOLDS)).toEqual({ outcome: "broken", because: "TARGET_DIED" });
  });

  it("cannot tell of a step that failed for another reason", () => {
    const error = { code: "START_FAILED", message: "no such program" };
    expect(judgeTrial(aFailedStep({ error }), THRESHOLDS)).toEqual({ outcome: "unclear", because: "STEP_FAILED" });
  });
});

describe("judgeTrial of a rate", () => {
  /** 1000 a second for 3 s; the first answers took 10 ms. */
  const openLoop = (inFlight: number, unsent = 0): MeasurementOverrides => ({
    requests: { ok: 3000 - inFlight, inFlight },
    schedule: { rate: 1000, planned: 3000 + unsent, unsent, lateness: { mean: 0, p99: 0, max: 0 } },
    timeline: [{ second: 0, sent: 1000, ok: 990, failed: 0, p50: 10, p99: 20 }],
  });

  it("holds while no more is in flight than the latency explains", () => {
    expect(judge(openLoop(10))).toEqual({ outcome: "held" });
    expect(judge(openLoop(69))).toEqual({ outcome: "held" });
  });

  it("does not hold when requests pile up, although none fails", () => {
    expect(judge(openLoop(71))).toEqual({ outcome: "broken", because: "backlog" });
  });

  it("doubts failures where the generator was at its limit or late, not where the target left requests waiting", () => {
    const failing = (code: FindingCode, args: FindingArgs = {}) =>
      judgeTrial(
        aStep({
          measurement: aMeasurement({ ...openLoop(0), requests: { ok: 2999, resets: 1 } }),
          findings: [{ code, severity: "warning", args }],
        }),
        THRESHOLDS,
      );
    const broken = { outcome: "broken", because: "errors<=0" };
    expect(failing("GENERATOR_SATURATED")).toEqual({ ...broken, doubt: "GENERATOR_SATURATED" });
    expect(failing("LEVEL_NOT_REACHED", { latenessMs: 60 })).toEqual({ ...broken, doubt: "LEVEL_NOT_REACHED" });
    expect(failing("LEVEL_NOT_REACHED", { unsent: 60 })).toEqual(broken);
    expect(judge({ requests: { resets: 1 } }, [["GENERATOR_SATURATED", "warning"]])).toEqual(broken);
  });

  it("counts what could not leave for what piled up", () => {
    expect(judge(openLoop(50, 50))).toEqual({ outcome: "broken", because: "backlog" });
  });
});
