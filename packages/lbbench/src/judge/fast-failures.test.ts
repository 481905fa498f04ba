import { describe, expect, it } from "vitest";
import type { FindingArgs } from "../model/finding.js";
import type { Measurement } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import { createLatencyHistogram, encodeHistogram } from "../stats/histogram.js";
import { aLatency, aMeasurement, aScenario, aStep } from "../test-support/fixtures.js";
import type { MeasurementOverrides } from "../test-support/fixtures.js";
import { findFastFailures } from "./fast-failures.js";
import { judgeResult } from "./judge-result.js";

/** Every value from 10 to 20 ms as often as any other, 1 000 of them. */
function evenHistogram(): string {
  const histogram = createLatencyHistogram();
  for (let us = 10_000; us < 20_000; us += 10) histogram.recordValue(us);
  return encodeHistogram(histogram);
}

const EVEN = aLatency({ min: 10, mean: 15, p50: 15, p66: 16.6, p75: 17.5, p80: 18, p90: 19, p95: 19.5, max: 20 });
const QUICK = aLatency({
  min: 0.2,
  mean: 0.5,
  p50: 0.4,
  p66: 0.45,
  p75: 0.5,
  p80: 0.55,
  p90: 0.6,
  p95: 0.7,
  p98: 0.75,
  p99: 0.8,
  p999: 0.85,
  max: 0.9,
});

function measured(overrides: MeasurementOverrides): Measurement {
  return aMeasurement({ latency: EVEN, failedLatency: QUICK, histogram: evenHistogram(), ...overrides });
}

function argsOf(measurement: Measurement): FindingArgs | undefined {
  const [finding] = findFastFailures(aStep({ measurement }));
  return finding?.args;
}

describe("findFastFailures", () => {
  it("says what the median and the mean of all answers would be, and that it is worth knowing", () => {
    const step = aStep({ measurement: measured({ requests: { ok: 1000, non2xx: 600 } }) });
    const [finding, ...others] = findFastFailures(step);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code: "FAST_FAILURES", severity: "info" });
    expect(finding?.args).toMatchObject({ count: 600, answers: 1600, share: 0.375, p50: 15, failedP50: 0.4, mean: 15 });
    // 800 of 1600: the 600 failed ones and 200 of 1000 that lie evenly between 10 and 20 ms.
    expect(finding?.args["mixedP50"]).toBeCloseTo(12, 1);
    expect(finding?.args["mixedMean"]).toBeCloseTo((1000 * 15 + 600 * 0.5) / 1600, 6);
  });

  it("takes the median of all for one of the failed when most failed", () => {
    expect(argsOf(measured({ requests: { ok: 100, non2xx: 9900 } }))?.["mixedP50"]).toBeLessThan(1);
  });

  it("counts answers with a wrong body as well", () => {
    expect(argsOf(measured({ requests: { ok: 1000, mismatched: 600 } }))).toMatchObject({ count: 600 });
  });

  it("does without a histogram, by what the percentiles guarantee", () => {
    const { histogram: _, ...summary } = measured({ requests: { ok: 1000, non2xx: 900 } });
    // Of the good ones nothing is known below their median, so it is only sure that half of all are not above that.
    expect(argsOf(summary)).toMatchObject({ mixedP50: 15, mean: 15 });
    const { histogram: __, ...broken } = measured({ requests: { ok: 100, non2xx: 900 } });
    expect(argsOf(broken)?.["mixedP50"]).toBe(QUICK.p66);
  });

  it("claims nothing of the mean when requests failed without an answer, and less of the median", () => {
    const args = argsOf(measured({ requests: { ok: 1000, non2xx: 600, resets: 200 } }));
    expect(args).not.toHaveProperty("mixedMean");
    // 200 of the 800 that failed have no answer, and may be the quickest: 600 of 1600 are sure of all below 0.9 ms.
    expect(args?.["mixedP50"]).toBeCloseTo(12, 1);
    expect(argsOf(measured({ requests: { ok: 1000, non2xx: 20, resets: 2000 } }))).toBeUndefined();
  });

  it.each<[string, MeasurementOverrides]>([
    ["nothing failed", { requests: { ok: 1000 } }],
    ["too few failed to be seen", { requests: { ok: 1000, non2xx: 20 } }],
    ["failed answers were as slow", { requests: { ok: 1000, non2xx: 600 }, failedLatency: EVEN }],
    ["failed answers were slower", { requests: { ok: 1000, non2xx: 600 }, failedLatency: scaled(EVEN, 6) }],
    ["what failed was no answer", { requests: { ok: 1000, resets: 600 } }],
    ["nothing was ok", { requests: { ok: 0, non2xx: 600 } }],
  ])("says nothing when %s", (_, overrides) => {
    const { latency, ...rest } = measured(overrides);
    const measurement = rest.requests.ok > 0 && latency !== undefined ? { ...rest, latency } : rest;
    expect(findFastFailures(aStep({ measurement }))).toEqual([]);
  });

  it("says nothing where nobody tells how long failed requests took", () => {
    const { failedLatency: _, ...untold } = measured({ requests: { ok: 1000, non2xx: 600 } });
    expect(findFastFailures(aStep({ measurement: untold }))).toEqual([]);
  });
});

function scaled(latency: typeof EVEN, factor: number): typeof EVEN {
  return Object.fromEntries(Object.entries(latency).map(([key, ms]) => [key, ms * factor])) as unknown as typeof EVEN;
}

describe("the verdict", () => {
  function at(connections: number, overrides: MeasurementOverrides): StepResult {
    const step = aStep({ level: { connections, durationMs: 3000 }, measurement: measured(overrides) });
    return { ...step, findings: findFastFailures(step) };
  }

  function verdictOf(...steps: readonly StepResult[]): FindingArgs | undefined {
    const scenario = aScenario({ levels: steps.map(({ level }) => level) });
    return judgeResult({ scenario, steps }).findings.find(({ code }) => code === "FAST_FAILURES")?.args;
  }

  const breaking = at(300, { requests: { ok: 1000, non2xx: 600 } });

  it("adds that a target would seem to get better as it breaks", () => {
    expect(verdictOf(at(100, {}), at(200, {}), breaking)).toMatchObject({
      levels: "300",
      connections: 300,
      lighter: 200,
      lighterP50: 15,
    });
  });

  it.each<[string, StepResult]>([
    ["it would not", at(200, { latency: { ...EVEN, p50: 5 } })],
    ["requests failed there as well", at(200, { requests: { ok: 1000, non2xx: 500 } })],
  ])("does not add it when %s", (_, lighter) => {
    expect(verdictOf(lighter, breaking)).not.toHaveProperty("lighter");
  });
});
