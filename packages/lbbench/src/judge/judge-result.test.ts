import { describe, expect, it } from "vitest";
import type { Finding, FindingCode, Severity } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Threshold } from "../model/threshold.js";
import { aFailedStep, aLatency, aMeasurement, aResult, aScenario, aStep } from "../test-support/fixtures.js";
import { judgeResult } from "./judge-result.js";

const P99: Threshold = { source: "p99<50ms", metric: "p99", operator: "<", value: 50 };
const STRICT_P99: Threshold = { source: "p99<15ms", metric: "p99", operator: "<", value: 15 };
const ERRORS: Threshold = { source: "errors<1%", metric: "errors", operator: "<", value: 0.01 };

function finding(code: FindingCode, severity: Severity = "warning", args: Finding["args"] = {}): Finding {
  return { code, severity, args };
}

function stepAt(connections: number, overrides: Partial<StepResult> = {}): StepResult {
  return aStep({ level: { connections, durationMs: 3000 }, ...overrides });
}

function resultOf(steps: readonly StepResult[], scenario: Partial<Scenario> = {}): Result {
  return aResult({ steps, scenario: aScenario({ trials: 5, ...scenario }) });
}

function statusOf(steps: readonly StepResult[], thresholds: readonly Threshold[] = []): string {
  return judgeResult(resultOf(steps, { thresholds })).status;
}

describe("the status of a run that tells nothing", () => {
  const unanswered = aStep({
    state: "aborted",
    measurement: aMeasurement({ requests: { sent: 1, ok: 0, inFlight: 1 } }),
  });

  it("is open when no request came to an end", () => {
    expect(statusOf([unanswered])).toBe("inconclusive");
    expect(statusOf([unanswered, stepAt(50)])).toBe("pass");
  });

  it("is open while it goes on, unless it has failed already", () => {
    const judge = (thresholds: readonly Threshold[]) =>
      judgeResult({ ...resultOf([stepAt(50)], { thresholds }), finishedAt: null }).status;
    expect(judge([P99])).toBe("inconclusive");
    expect(judge([STRICT_P99])).toBe("fail");
  });
});

describe("the status", () => {
  const short = stepAt(50, { findings: [finding("TOO_SHORT")] });
  const partial = stepAt(50, { findings: [finding("NON_2XX")] });
  const lost = stepAt(50, { findings: [finding("REQUESTS_LOST", "error")] });

  it.each<[string, string, readonly StepResult[], readonly Threshold[]]>([
    ["pass", "nothing was found", [aStep()], []],
    [
      "pass",
      "there are warnings and infos only",
      [stepAt(50, { findings: [finding("NON_2XX"), finding("INTERRUPTED", "info")] })],
      [],
    ],
    ["pass", "the thresholds hold", [aStep()], [P99, ERRORS]],
    ["pass", "a threshold on errors holds in a short run", [short], [ERRORS]],
    ["fail", "a threshold does not hold", [aStep()], [P99, STRICT_P99]],
    ["fail", "a threshold does not hold and another cannot be judged", [short, stepAt(100)], [P99, STRICT_P99]],
    ["inconclusive", "a step has an error", [aStep(), lost], []],
    ["inconclusive", "a step has an error and a threshold does not hold", [aStep(), lost], [STRICT_P99]],
    ["inconclusive", "a threshold rests on a short run", [short], [P99]],
    ["inconclusive", "a threshold on latency rests on a run with failures", [partial], [P99]],
    ["inconclusive", "a violated threshold rests on a short run", [short], [STRICT_P99]],
    ["inconclusive", "a step failed", [aFailedStep({ findings: [finding("STEP_FAILED", "error")] })], []],
    ["inconclusive", "nothing was measured", [], []],
  ])("is %s when %s", (status, _, steps, thresholds) => {
    expect(statusOf(steps, thresholds)).toBe(status);
  });
});

describe("the findings of a verdict", () => {
  it("are one for each code and target, with levels, number of steps, and the figures of the worst", () => {
    const failing = (connections: number, trial: number, share: number): StepResult =>
      stepAt(connections, { trial, findings: [finding("NON_2XX", "warning", { share, count: share * 100 })] });
    const { findings } = judgeResult(
      resultOf([failing(1000, 1, 0.2), failing(250, 1, 0.1), failing(250, 2, 0.4), aStep(), failing(1000, 2, 0.3)]),
    );
    expect(findings).toEqual([
      {
        code: "NON_2XX",
        severity: "warning",
        args: { share: 0.4, count: 40, target: "single", levels: "250, 1000", steps: 4, connections: 250, trial: 2 },
      },
    ]);
  });

  it("stay apart for different targets", () => {
    const steps = ["a", "b"].map((target) => stepAt(50, { target, findings: [finding("TIMEOUTS")] }));
    expect(judgeResult(resultOf(steps)).findings.map(({ args }) => args["target"])).toEqual(["a", "b"]);
  });

  it("stay apart for requests lost by the engine and by the balancer, and for different failures", () => {
    const findings = [
      finding("REQUESTS_LOST", "error", { sent: 5, accounted: 4 }),
      finding("REQUESTS_LOST", "error", { completed: 5, counted: 4 }),
      finding("STEP_FAILED", "error", { code: "A", message: "" }),
      finding("STEP_FAILED", "error", { code: "B", message: "" }),
    ];
    expect(judgeResult(resultOf([stepAt(50, { findings })])).findings).toHaveLength(4);
  });

  it("name the shortest run as the worst of those that were too short", () => {
    const steps = [300, 100, 200].map((elapsedMs, index) =>
      stepAt(index + 1, { findings: [finding("TOO_SHORT", "warning", { elapsedMs })] }),
    );
    expect(judgeResult(resultOf(steps)).findings[0]?.args).toMatchObject({ elapsedMs: 100, connections: 2 });
  });

  it("come with the gravest first", () => {
    const findings = [finding("INTERRUPTED", "info"), finding("TOO_SHORT"), finding("ALL_FAILED", "error")];
    const verdict = judgeResult(resultOf([stepAt(50, { findings })]));
    expect(verdict.findings.map(({ severity }) => severity)).toEqual(["error", "warning", "info"]);
  });

  it("say once that there was a single trial, and no warm-up", () => {
    const { findings, status } = judgeResult(resultOf([aStep(), stepAt(100)], { trials: 1, warmupMs: 0 }));
    expect(findings).toEqual([finding("SINGLE_TRIAL"), finding("NO_WARMUP", "info")]);
    expect(status).toBe("pass");
  });

  it("do not mention trials and warm-up where there are some", () => {
    expect(judgeResult(resultOf([aStep()], { trials: 2, warmupMs: 1 })).findings).toEqual([]);
  });
});

describe("TRIALS_DISAGREE", () => {
  const trialsWith = (...throughputs: readonly number[]): readonly StepResult[] =>
    throughputs.map((throughput, index) => stepAt(50, { trial: index + 1, measurement: aMeasurement({ throughput }) }));

  it("is found when throughputs lie further apart than a fifth of their median", () => {
    expect(judgeResult(resultOf(trialsWith(1000, 900, 1101))).findings).toEqual([
      {
        code: "TRIALS_DISAGREE",
        severity: "warning",
        args: { target: "single", levels: "50", connections: 50, trials: 3, low: 900, high: 1101, spread: 0.201 },
      },
    ]);
  });

  it("is one finding for all levels of a target, with the figures of the worst", () => {
    const atHundred = trialsWith(1000, 2000).map((step) => ({
      ...step,
      level: { connections: 100, durationMs: 3000 },
    }));
    const { findings } = judgeResult(resultOf([...trialsWith(1000, 1300), ...atHundred]));
    expect(findings.map(({ args }) => args)).toEqual([
      expect.objectContaining({ target: "single", levels: "50, 100", connections: 100, low: 1000, high: 2000 }),
    ]);
  });

  it.each<[string, readonly StepResult[]]>([
    ["trials that agree", trialsWith(1000, 900, 1100)],
    ["a single trial", trialsWith(1000)],
    ["different levels", [stepAt(50), stepAt(100)]],
    ["trials without any ok answer", trialsWith(0, 0)],
    [
      "a trial that was cut short",
      [...trialsWith(1000), stepAt(50, { trial: 2, state: "aborted", measurement: aMeasurement({ throughput: 1 }) })],
    ],
  ])("is not found for %s", (_, steps) => {
    expect(judgeResult(resultOf(steps)).findings).toEqual([]);
  });
});

describe("thresholds", () => {
  it("that fail are one finding with the worst value and where it was", () => {
    const slow = (connections: number, p99: number): StepResult =>
      stepAt(connections, { measurement: aMeasurement({ latency: { ...aLatency(), p99 } }) });
    const verdict = judgeResult(
      resultOf([slow(50, 60), slow(100, 90), slow(200, 70), stepAt(1)], { thresholds: [P99] }),
    );
    expect(verdict.findings).toEqual([
      {
        code: "THRESHOLD_FAILED",
        severity: "error",
        args: {
          threshold: "p99<50ms",
          metric: "p99",
          actual: 90,
          target: "single",
          levels: "50, 100, 200",
          steps: 3,
          connections: 100,
          trial: 1,
        },
      },
    ]);
  });

  it("that cannot be judged are one finding for each reason", () => {
    const steps = [
      stepAt(50, { findings: [finding("TOO_SHORT")] }),
      stepAt(100, { findings: [finding("TOO_SHORT")] }),
      stepAt(200, { findings: [finding("NON_2XX")] }),
    ];
    const found = judgeResult(resultOf(steps, { thresholds: [P99] })).findings.filter(
      ({ code }) => code === "THRESHOLD_INCONCLUSIVE",
    );
    expect(found.map(({ args }) => [args["because"], args["levels"]])).toEqual([
      ["TOO_SHORT", "50, 100"],
      ["NON_2XX", "200"],
    ]);
  });

  it.each<[FindingCode, Severity, readonly string[]]>([
    ["TOO_SHORT", "warning", ["throughput", "p99"]],
    ["GENERATOR_SATURATED", "warning", ["throughput", "p99"]],
    ["MACHINE_SATURATED", "warning", ["throughput", "p99"]],
    ["LEVEL_NOT_REACHED", "warning", ["throughput", "p99"]],
    ["CONNECTIONS_RESET", "warning", ["throughput", "p99"]],
    ["ALL_FAILED", "error", ["throughput", "p99"]],
    ["INTERRUPTED", "info", ["throughput", "p99", "errors"]],
    ["REQUESTS_LOST", "error", ["throughput", "p99", "errors"]],
    ["FD_LIMIT", "error", ["throughput", "p99", "errors"]],
    ["FD_LIMIT", "warning", []],
    ["KEEPALIVE_REFUSED", "info", []],
    ["TLS_NOT_VERIFIED", "info", []],
  ])("with %s (%s) leave open: %j", (code, severity, expected) => {
    const thresholds: readonly Threshold[] = [
      { source: "throughput>0", metric: "throughput", operator: ">", value: 0 },
      P99,
      ERRORS,
    ];
    const { findings } = judgeResult(resultOf([stepAt(50, { findings: [finding(code, severity)] })], { thresholds }));
    const open = findings.filter((found) => found.code === "THRESHOLD_INCONCLUSIVE").map(({ args }) => args["metric"]);
    expect(open).toEqual(expected);
  });

  it.each<[Threshold["operator"], number, boolean]>([
    ["<", 5000, false],
    ["<=", 5000, true],
    [">", 5000, false],
    [">=", 5000, true],
    ["<", 5001, true],
    [">", 4999, true],
  ])("throughput %s %d of 5000: %j", (operator, value, holds) => {
    const threshold: Threshold = { source: "throughput", metric: "throughput", operator, value };
    expect(statusOf([stepAt(50)], [threshold])).toBe(holds ? "pass" : "fail");
  });

  it("count errors among the requests that came to an end", () => {
    const measurement = aMeasurement({ requests: { ok: 990, dropped: 10, inFlight: 500 } });
    expect(statusOf([stepAt(50, { measurement })], [ERRORS])).toBe("fail");
    expect(statusOf([stepAt(50, { measurement })], [{ ...ERRORS, operator: "<=" }])).toBe("pass");
  });

  it("are open for a step without a measurement, and for a latency without an ok answer", () => {
    const failed = aFailedStep({ findings: [finding("STEP_FAILED", "error")] });
    const silent = stepAt(50, { measurement: aMeasurement({ requests: { ok: 0, inFlight: 50 } }) });
    const { findings } = judgeResult(resultOf([failed, silent], { thresholds: [P99] }));
    const open = findings.filter(({ code }) => code === "THRESHOLD_INCONCLUSIVE");
    expect(open.map(({ args }) => args["because"])).toEqual(["STEP_FAILED", "ALL_FAILED"]);
  });
});
