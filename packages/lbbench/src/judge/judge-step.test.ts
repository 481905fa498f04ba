import { describe, expect, it } from "vitest";
import type { Finding } from "../model/finding.js";
import type { Environment, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import {
  aFailedStep,
  aLatency,
  aMeasurement,
  anEnvironment,
  aProcessUsage,
  aScenario,
  aStep,
  aUsage,
} from "../test-support/fixtures.js";
import type { MeasurementOverrides } from "../test-support/fixtures.js";
import { judgeStep } from "./judge-step.js";

interface Case {
  readonly step?: Partial<StepResult>;
  readonly measurement?: MeasurementOverrides;
  readonly scenario?: Partial<Scenario>;
  readonly environment?: Partial<Environment>;
}

function judge({ step, measurement, scenario, environment }: Case): readonly Finding[] {
  return judgeStep(
    aStep({ ...(measurement === undefined ? {} : { measurement: aMeasurement(measurement) }), ...step }),
    aScenario(scenario),
    anEnvironment(environment),
  );
}

function codes(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ code }) => code);
}

it("finds nothing in a faultless step", () => {
  expect(judge({})).toEqual([]);
});

describe("judgeStep finds", () => {
  it.each<[string, Finding["severity"], Finding["args"], Case]>([
    ["TARGET_DIED", "error", { message: "exited with code 1" }, { step: aFailedStep() }],
    [
      "STEP_FAILED",
      "error",
      { code: "NOT_READY", message: "no answer" },
      { step: { state: "failed", error: { code: "NOT_READY", message: "no answer" } } },
    ],
    ["STEP_FAILED", "error", { code: "UNKNOWN" }, { step: { state: "failed" } }],
    ["INTERRUPTED", "info", {}, { step: { state: "aborted" } }],
    ["REQUESTS_LOST", "error", { sent: 15_001, accounted: 15_000 }, { measurement: { requests: { sent: 15_001 } } }],
    [
      "REQUESTS_LOST",
      "error",
      { completed: 15_000, counted: 14_999 },
      { measurement: { backends: { a: { requests: 7500, errors: 0 }, b: { requests: 7499, errors: 0 } } } },
    ],
    ["ALL_FAILED", "error", { sent: 900, inFlight: 0 }, { measurement: { requests: { ok: 0, non2xx: 900 } } }],
    ["ALL_FAILED", "error", { sent: 50, inFlight: 50 }, { measurement: { requests: { ok: 0, inFlight: 50 } } }],
    [
      "NON_2XX",
      "warning",
      { count: 300, sent: 15_000, share: 0.02, expected: "2xx", status: "503" },
      {
        measurement: {
          requests: { ok: 14_700, non2xx: 300 },
          failedLatency: aLatency(),
          statusCodes: { "200": 14_700, "404": 100, "503": 200 },
        },
      },
    ],
    [
      "NON_2XX",
      "warning",
      { count: 300, sent: 15_000, share: 0.02, expected: "2xx or 404", status: "503" },
      {
        scenario: {
          mix: ["2xx", "404", "2xx"].map((expectStatus, index) => ({
            name: `${index}`,
            weight: 1,
            request: { ...aScenario().request, expectStatus },
            bodies: null,
          })),
        },
        measurement: {
          requests: { ok: 14_700, non2xx: 300 },
          failedLatency: aLatency(),
          statusCodes: { "200": 9700, "404": 5200, "503": 100 },
        },
      },
    ],
    [
      "BODY_MISMATCH",
      "warning",
      { count: 1, sent: 15_000 },
      { measurement: { requests: { ok: 14_999, mismatched: 1 } } },
    ],
    [
      "CONNECT_ERRORS",
      "warning",
      { count: 4, sent: 15_004, code: "ECONNREFUSED" },
      {
        measurement: {
          requests: { connectErrors: 4 },
          errorCodes: { ECONNRESET: 9, EPIPE: 8, HPE_INVALID: 7, ECONNREFUSED: 4 },
        },
      },
    ],
    ["CONNECTIONS_RESET", "warning", { count: 2 }, { measurement: { requests: { resets: 2 } } }],
    ["REQUESTS_DROPPED", "warning", { count: 3 }, { measurement: { requests: { dropped: 3 } } }],
    ["TIMEOUTS", "warning", { count: 5, timeoutMs: 10_000 }, { measurement: { requests: { timedOut: 5 } } }],
    ["REQUESTS_FAILED", "warning", { count: 6 }, { measurement: { requests: { unclassified: 6 } } }],
    [
      "LEVEL_NOT_REACHED",
      "warning",
      { rate: 100, planned: 300, unsent: 1 },
      { measurement: { schedule: { rate: 100, planned: 300, unsent: 1, lateness: { mean: 0, p99: 0, max: 0 } } } },
    ],
    [
      "LEVEL_NOT_REACHED",
      "warning",
      { rate: 100, latenessMs: 10.5 },
      { measurement: { schedule: { rate: 100, planned: 300, unsent: 0, lateness: { mean: 10.5, p99: 30, max: 40 } } } },
    ],
    ["LEVEL_NOT_REACHED", "warning", { asked: 50, opened: 49 }, { measurement: { connections: { opened: 49 } } }],
    [
      "KEEPALIVE_REFUSED",
      "info",
      { established: 15_050, opened: 50, answers: 15_000 },
      { measurement: { connections: { established: 15_050 } } },
    ],
    [
      "TOO_SHORT",
      "warning",
      { elapsedMs: 949, minimumMs: 1000 },
      { measurement: { elapsedMs: 949, requests: { ok: 4000 } } },
    ],
    [
      "GENERATOR_SATURATED",
      "warning",
      { process: "generator-2", cpu: 0.99 },
      { step: { usage: aUsage({ generator: [aProcessUsage(), aProcessUsage({ name: "generator-2", cpu: 0.99 })] }) } },
    ],
    [
      "GENERATOR_SATURATED",
      "warning",
      { process: "generator-1", cpu: 0.7, eventLoopUtilization: 0.97 },
      { step: { usage: aUsage({ generator: [aProcessUsage({ cpu: 0.7, eventLoopUtilization: 0.97 })] }) } },
    ],
    ["MACHINE_SATURATED", "warning", { machine: 0.95 }, { step: { usage: aUsage({ machine: 0.95 }) } }],
    [
      "FD_LIMIT",
      "error",
      { code: "EMFILE", count: 6 },
      { measurement: { requests: { connectErrors: 6 }, errorCodes: { EMFILE: 6 } } },
    ],
    [
      "FD_LIMIT",
      "warning",
      { connections: 1000, needed: 1064, fdLimit: 1024 },
      { step: aStep({ level: { connections: 1000, durationMs: 3000 } }), environment: { fdLimit: 1024 } },
    ],
    [
      "PORTS_EXHAUSTED",
      "error",
      { count: 7, first: 32_768, last: 60_999 },
      { measurement: { requests: { connectErrors: 7 }, errorCodes: { EADDRNOTAVAIL: 7 } } },
    ],
  ])("%s (%s) %j", (code, severity, args, given) => {
    const found = judge(given).filter((finding) => finding.code === code);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ severity, args });
  });

  it("how the requests failed, when all of them did", () => {
    const findings = judge({
      measurement: { requests: { ok: 0, non2xx: 90, dropped: 10 }, statusCodes: { "404": 90 } },
    });
    expect(codes(findings)).toEqual(["ALL_FAILED", "NON_2XX", "REQUESTS_DROPPED"]);
  });
});

describe("judgeStep does not find", () => {
  it.each<[string, string, Case]>([
    [
      "TARGET_DIED",
      "a step that failed for another reason",
      { step: { state: "failed", error: { code: "NOT_READY", message: "" } } },
    ],
    ["STEP_FAILED", "a target that died", { step: aFailedStep() }],
    ["STEP_FAILED", "an interrupted step", { step: { state: "aborted" } }],
    ["INTERRUPTED", "a failed step", { step: aFailedStep() }],
    ["REQUESTS_LOST", "requests in flight", { measurement: { requests: { inFlight: 50 } } }],
    [
      "REQUESTS_LOST",
      "a balancer that counted more than came back",
      { measurement: { backends: { a: { requests: 15_050, errors: 3 } } } },
    ],
    [
      "REQUESTS_LOST",
      "answers 502 that the balancer made itself",
      {
        measurement: {
          requests: { ok: 10_000, non2xx: 5000 },
          statusCodes: { "200": 10_000, "502": 5000 },
          backends: { a: { requests: 10_000, errors: 0 } },
        },
      },
    ],
    ["ALL_FAILED", "a single ok answer", { measurement: { requests: { ok: 1, non2xx: 900 } } }],
    ["ALL_FAILED", "no request sent", { measurement: { requests: { ok: 0 } } }],
    [
      "ALL_FAILED",
      "requests that an interruption left in flight",
      { step: { state: "aborted" }, measurement: { requests: { ok: 0, inFlight: 50 } } },
    ],
    [
      "NON_2XX",
      "expected errors",
      {
        measurement: { statusCodes: { "503": 15_000 } },
        scenario: { request: { ...aScenario().request, expectStatus: "503" } },
      },
    ],
    ["CONNECT_ERRORS", "resets alone", { measurement: { requests: { resets: 3 }, errorCodes: { ECONNRESET: 3 } } }],
    [
      "LEVEL_NOT_REACHED",
      "an interrupted step",
      { step: { state: "aborted" }, measurement: { connections: { opened: 3 } } },
    ],
    [
      "KEEPALIVE_REFUSED",
      "no keep-alive wanted",
      { scenario: { keepAlive: false }, measurement: { connections: { established: 15_000 } } },
    ],
    [
      "KEEPALIVE_REFUSED",
      "a connection that is closed after 1000 requests",
      { measurement: { connections: { established: 65 } } },
    ],
    [
      "KEEPALIVE_REFUSED",
      "reconnects after failures",
      { measurement: { requests: { ok: 0, dropped: 900, resets: 100 }, connections: { established: 1050 } } },
    ],
    [
      "TOO_SHORT",
      "a second less the moment that the first request takes to leave",
      { measurement: { elapsedMs: 951, requests: { ok: 5000 } } },
    ],
    [
      "GENERATOR_SATURATED",
      "a window that is too short to tell",
      { step: { usage: aUsage({ windowMs: 199, generator: [aProcessUsage({ cpu: 1 })] }) } },
    ],
    [
      "GENERATOR_SATURATED",
      "a generator with some time left",
      { step: { usage: aUsage({ generator: [aProcessUsage({ cpu: 0.94 })] }) } },
    ],
    ["GENERATOR_SATURATED", "a busy backend", { step: { usage: aUsage({ backends: [aProcessUsage({ cpu: 1 })] }) } }],
    [
      "MACHINE_SATURATED",
      "a window that is too short to tell",
      { step: { usage: aUsage({ windowMs: 199, machine: 1 }) } },
    ],
    ["FD_LIMIT", "an unknown limit", { environment: { fdLimit: null } }],
    ["FD_LIMIT", "a limit that suffices", { environment: { fdLimit: 114 } }],
    [
      "PORTS_EXHAUSTED",
      "another error",
      { measurement: { requests: { connectErrors: 1 }, errorCodes: { ECONNREFUSED: 1 } } },
    ],
  ])("%s for %s", (code, _, { step, measurement, ...rest }) => {
    expect(
      codes(judge({ ...rest, step: { ...(measurement ? { measurement: aMeasurement(measurement) } : {}), ...step } })),
    ).not.toContain(code);
  });

  it("anything in the usage of a step that has none", () => {
    const { usage: _, ...step } = aStep();
    expect(judgeStep(step, aScenario(), anEnvironment())).toEqual([]);
  });
});
