import { describe, expect, it } from "vitest";
import type { LatencySummary } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import { seededRandom } from "../stats/seeded-random.js";
import { aMeasurement, aStep } from "../test-support/fixtures.js";
import { aRun } from "./test-support/compare-samples.js";
import { compareMeasurements } from "./compare-measurements.js";
import { compareResults } from "./compare-results.js";
import { findIdenticalFigures } from "./identical-figures.js";
import { MARGINS } from "./test-support/compare-samples.js";

/** Latencies as a clock gives them, to the microsecond. */
function clocked(seed: number, scaleMs = 10): LatencySummary {
  const random = seededRandom(seed);
  const at = (factor: number): number => Math.round(scaleMs * factor * (1 + random() / 10) * 1000) / 1000;
  return {
    min: at(0.5),
    mean: scaleMs * (1 + random() / 10),
    stddev: scaleMs * (0.2 + random() / 10),
    p50: at(0.95),
    p75: at(1.1),
    p90: at(1.5),
    p95: at(1.9),
    p99: at(3),
    max: at(9),
  };
}

/** As `ab` prints percentiles: whole milliseconds. */
function rounded(scaleMs: number): LatencySummary {
  const at = (factor: number): number => Math.round(scaleMs * factor);
  return { min: at(0.5), p50: at(0.95), p75: at(1.1), p90: at(1.5), p95: at(1.9), p99: at(3), max: at(9) };
}

/** A single figure for each cell of a table, as published tables have it. */
function single(ms: number): LatencySummary {
  return { min: ms, mean: ms, p50: ms, p75: ms, p90: ms, p95: ms, p99: ms, max: ms };
}

function step(target: string, connections: number, latency: LatencySummary, trial = 1): StepResult {
  const { histogram: _, ...measurement } = aMeasurement({ latency, throughput: 1000 + target.length });
  return aStep({ target, level: { connections, durationMs: 3000 }, trial, measurement });
}

function table(target: string, levels: readonly number[], latency: (connections: number) => LatencySummary) {
  return levels.map((connections) => step(target, connections, latency(connections)));
}

describe("findIdenticalFigures", () => {
  it("finds a table that is another's, without a histogram, whatever else differs", () => {
    const levels = [1, 20, 50];
    const steps = [...table("node", levels, clocked), ...table("go", levels, clocked)];
    expect(findIdenticalFigures(steps)).toEqual([
      {
        code: "IDENTICAL_FIGURES",
        severity: "warning",
        args: { target: "go", other: "node", levels: "1, 20, 50", connections: 1, copied: 3, figures: 27 },
      },
    ]);
  });

  it("finds a single row that was copied, also to another level or trial of the same target", () => {
    const steps = [
      step("a", 1, clocked(1)),
      step("a", 1, clocked(2), 2),
      step("b", 1, clocked(3)),
      step("b", 50, clocked(2)),
      step("a", 50, clocked(1)),
    ];
    expect(findIdenticalFigures(steps).map(({ args }) => [args["target"], args["other"], args["levels"]])).toEqual([
      ["a", "a", "50"],
      ["b", "a", "50"],
    ]);
  });

  it("finds a table of one figure for each level, when there are enough of them", () => {
    const published = [7.13, 9.82, 14.08, 13.91, 14.2, 15.7, 21.4, 27.3, 33.8, 41.2, 58.6, 77.9];
    const levels = published.map((_, index) => index + 1);
    const latency = (connections: number): LatencySummary => single(published[connections - 1] ?? 0);
    const steps = [...table("node", levels, latency), ...table("go", levels, latency)];
    expect(findIdenticalFigures(steps)).toMatchObject([{ args: { target: "go", other: "node", figures: 12 } }]);
    // One cell that differs, and it is no copy any more: single figures agree by chance.
    const [first, ...others] = table("go", levels, latency);
    const changed = first === undefined ? [] : [step("go", 1, single(7.14)), ...others];
    expect(findIdenticalFigures([...table("node", levels, latency), ...changed])).toEqual([]);
  });

  it.each<[string, readonly StepResult[]]>([
    ["measurements of the same thing", [1, 2, 3, 4].map((trial) => step("a", 50, clocked(trial), trial))],
    ["rounded figures that agree", ["a", "b"].flatMap((name) => table(name, [1], () => rounded(10)))],
    ["runs in which everything took no time", ["a", "b"].flatMap((name) => table(name, [1, 2, 3], () => single(0)))],
    ["a handful of requests", ["a", "b"].flatMap((name) => table(name, [1, 2], () => single(0.123)))],
    ["the same round figures at every level", ["a", "b"].flatMap((name) => table(name, [1, 2, 3], () => rounded(10)))],
    ["steps without a measurement", ["a", "b"].map((target) => aStep({ target, state: "failed" }))],
    ["nothing", []],
  ])("does not find %s", (_, steps) => {
    const bare = steps.map((one) => {
      const { measurement: __, ...rest } = one;
      return one.state === "failed" ? rest : one;
    });
    expect(findIdenticalFigures(bare)).toEqual([]);
  });
});

describe("two results", () => {
  const [a, b] = [table("node", [1, 20, 50], clocked), table("go", [1, 20, 50], clocked)];

  it("of which one is a copy of the other are not compared", () => {
    expect(compareMeasurements({ target: "go", a, b, isSameRun: false })).toEqual([
      { code: "IDENTICAL_FIGURES", effect: "prevents", target: "go" },
    ]);
    const original = aRun();
    const copied = { ...original, startedAt: "2026-11-07T10:00:00.000Z" };
    expect(compareResults(original, copied, MARGINS)).toMatchObject({
      status: "inconclusive",
      differences: [{ code: "IDENTICAL_FIGURES", target: "single" }],
    });
  });

  it("that are the same one are not called a copy", () => {
    expect(compareMeasurements({ target: "go", a, b, isSameRun: true })).toEqual([]);
    expect(compareResults(aRun(), aRun(), MARGINS).differences.map(({ code }) => code)).toEqual(["SAME_RUN"]);
  });

  it("whose answers have other bytes are compared, and that is noted", () => {
    const large = b.map((one) => ({
      ...one,
      measurement: aMeasurement({ latency: clocked(7), bytes: { received: 15_000 * 1350, body: 15_000 * 1200 } }),
    }));
    expect(compareMeasurements({ target: "go", a, b: large, isSameRun: false })).toEqual([
      { code: "BYTES_DIFFER", effect: "note", target: "go", what: "bytes of body per answer", a: 12, b: 1200 },
    ]);
    const whole = b.map((one) => ({ ...one, measurement: aMeasurement({ bytes: { received: 15_000 * 12 } }) }));
    expect(compareMeasurements({ target: "go", a, b: whole, isSameRun: false })).toMatchObject([
      { what: "bytes received per answer", a: 160, b: 12 },
    ]);
  });
});
