import { describe, expect, it } from "vitest";
import { parseThreshold } from "../config/parse-threshold.js";
import type { Measurement } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import { aLatency, aMeasurement, anEnvironment, aScenario, aStep } from "../test-support/fixtures.js";
import { judgeResult } from "./judge-result.js";
import { judgeStep } from "./judge-step.js";

const AB = { name: "ab", version: "2.3", command: ["ab", "http://127.0.0.1/"], output: "This is ApacheBench" };

/** What ab or wrk tells: few counts, no connections, no seconds, no histogram. */
function driven(overrides: Partial<Measurement> = {}): Measurement {
  const { startedAt, elapsedMs } = aMeasurement();
  return {
    startedAt,
    elapsedMs,
    connections: { asked: 50 },
    requests: { sent: 15_000, ok: 15_000, non2xx: 0 },
    statusCodes: {},
    errorCodes: {},
    throughput: 5000,
    bytes: {},
    latency: { min: 4, p50: 9.8, p75: 11, p90: 13, p95: 15, p99: 20, max: 31 },
    timeline: [],
    program: AB,
    ...overrides,
  };
}

function judged(measurement: Measurement, overrides: Partial<StepResult> = {}): StepResult {
  const scenario = aScenario();
  const { findings: _findings, ...step } = aStep({ ...overrides, measurement });
  return { ...step, findings: judgeStep(step, scenario, anEnvironment()) };
}

const codes = (step: StepResult): readonly string[] => step.findings.map(({ code }) => code);

function withoutLatency(overrides: Partial<Measurement> = {}): Measurement {
  const { latency: _latency, ...rest } = driven(overrides);
  return rest;
}

describe("a measurement of a program that was driven", () => {
  it("is without findings when nothing failed, whatever it does not tell", () => {
    expect(codes(judged(driven()))).toEqual([]);
  });

  it("is not said to break Little's law where it tells only a part of the time", () => {
    const requests = { sent: 15_000, ok: 100, non2xx: 14_900 };
    const slow = driven({ requests, latency: aLatency({ mean: 0.1 }) });
    expect(codes(judged(slow))).toEqual(["NON_2XX"]);
  });

  it("breaks it where latency and throughput make more connections than there are", () => {
    expect(codes(judged(driven({ latency: aLatency({ mean: 20 }) })))).toEqual(["LITTLES_LAW"]);
  });

  it("says that latency is not told, so that a threshold about it cannot be judged", () => {
    const step = judged(withoutLatency({ requests: { sent: 15_000, ok: 14_000, non2xx: 0, unclassified: 1000 } }));
    expect(codes(step)).toEqual(["REQUESTS_FAILED", "FIGURE_NOT_TOLD"]);
    const thresholds = [parseThreshold("p99<50ms"), parseThreshold("errors<10%")];
    const { findings } = judgeResult({ scenario: aScenario({ thresholds }), steps: [step] });
    expect(findings.filter(({ code }) => code.startsWith("THRESHOLD"))).toMatchObject([
      { code: "THRESHOLD_INCONCLUSIVE", args: { threshold: "p99<50ms" } },
    ]);
  });

  it("cannot meet or miss a threshold about a percentile that it does not tell", () => {
    const scenario = aScenario({ thresholds: [parseThreshold("p999<50ms")] });
    const { status, findings } = judgeResult({ scenario, steps: [judged(driven())] });
    expect(status).toBe("inconclusive");
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: "THRESHOLD_INCONCLUSIVE",
        args: expect.objectContaining({ because: "FIGURE_NOT_TOLD" }),
      }),
    );
  });

  it("has answered nothing when it tells of no request, unless it was interrupted", () => {
    const nothing = withoutLatency({ requests: { sent: 0, ok: 0, non2xx: 0 }, throughput: 0 });
    expect(judged(nothing).findings).toEqual([
      { code: "ALL_FAILED", severity: "error", args: { sent: 0, inFlight: 0 } },
    ]);
    expect(codes(judged(nothing, { state: "aborted" }))).toEqual(["INTERRUPTED"]);
  });

  it("does not say that a balancer lost requests where answers of its own may be among those it does not tell apart", () => {
    const requests = { sent: 15_000, ok: 14_000, non2xx: 1000 };
    const backends = (served: number) => ({ one: { requests: served } });
    expect(codes(judged(withoutLatency({ requests, backends: backends(14_000) })))).not.toContain("REQUESTS_LOST");
    expect(codes(judged(withoutLatency({ requests, backends: backends(13_999) })))).toContain("REQUESTS_LOST");
  });
});
