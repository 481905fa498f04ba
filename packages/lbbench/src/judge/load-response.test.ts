import { describe, expect, it } from "vitest";
import type { Finding, FindingArgs, FindingCode, Severity } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import { aFailedStep, aLatency, aMeasurement, aStep } from "../test-support/fixtures.js";
import { findLoadResponse } from "./load-response.js";

const LEVELS = [1, 2, 5, 10, 20, 50, 100, 200];

interface Point {
  readonly throughput: number;
  readonly failed?: number;
}

/** A step for every level, of a target whose answers at N connections are computed. */
function aCurve(at: (connections: number) => Point, change: (step: StepResult) => StepResult = (step) => step) {
  return LEVELS.map((connections) => {
    const { throughput, failed = 0 } = at(connections);
    const ok = Math.round(throughput * 3);
    const mean = throughput === 0 ? 1 : (connections / throughput) * 1000;
    const measurement = aMeasurement({
      throughput,
      requests: { sent: ok + failed, ok, non2xx: failed },
      latency: aLatency({ mean }),
    });
    return change(aStep({ level: { connections, durationMs: 3000 }, measurement }));
  });
}

const codes = (findings: readonly Finding[]): readonly string[] => findings.map(({ code }) => code);

/** Twenty threads of 10 ms: 100 requests a second each, and no more than 2000. */
const pool = (connections: number): Point => ({ throughput: Math.min(connections, 20) * 100 });

/** Grows to 20 connections, then loses a little at every level. */
const falling = (connections: number): Point => ({
  throughput: connections <= 20 ? connections * 100 : 2000 * (20 / connections) ** 0.5,
});

describe("findLoadResponse", () => {
  it("finds the knee of a pool at its number of threads", () => {
    const findings = findLoadResponse(aCurve(pool));
    const knee = findings.find(({ code }) => code === "KNEE");
    expect(knee).toMatchObject({ severity: "info", args: { target: "single", kind: "connections", throughput: 2000 } });
    expect(knee?.args["knee"]).toBeCloseTo(20, 5);
  });

  it("has nothing to say of the target where the generator was the limit", () => {
    const saturated = (step: StepResult): StepResult => ({
      ...step,
      findings: [{ code: "GENERATOR_SATURATED", severity: "warning", args: {} }],
    });
    expect(findLoadResponse(aCurve(pool, saturated))).toEqual([]);
  });

  it("fits the law of scalability to what follows it, with its peak", () => {
    const usl = (n: number): Point => ({ throughput: (500 * n) / (1 + 0.02 * (n - 1) + 0.0005 * n * (n - 1)) });
    const found = findLoadResponse(aCurve(usl)).find(({ code }) => code === "SCALABILITY");
    expect(found?.args["contention"]).toBeCloseTo(0.02, 5);
    expect(found?.args["coherency"]).toBeCloseTo(0.0005, 6);
    expect(found?.args["peakLoad"]).toBeCloseTo(Math.sqrt((1 - 0.02) / 0.0005), 1);
  });

  it("tells a server that refuses what is too much from one that falls off a cliff, and from one that degrades", () => {
    const sheds = aCurve((n) => ({ ...pool(n), failed: n > 20 ? 50_000 : 0 }));
    expect(findLoadResponse(sheds).find(({ code }) => code === "SHEDS")?.args).toMatchObject({ firstBad: 50 });
    const cliff = aCurve((n) => (n > 50 ? { throughput: 20, failed: 9000 } : pool(n)));
    expect(findLoadResponse(cliff).find(({ code }) => code === "CLIFF")?.args).toMatchObject({
      lastGood: 50,
      firstBad: 100,
      remaining: 0.01,
    });
    const failing = aCurve((n) => ({ ...falling(n), failed: n > 20 ? 100 : 0 }));
    expect(codes(findLoadResponse(failing))).toContain("DEGRADES");
  });

  it("takes a fall without a failed request for noise, unless several trials of each level have it", () => {
    const once = aCurve(falling);
    expect(codes(findLoadResponse(once))).not.toContain("DEGRADES");
    expect(codes(findLoadResponse([...once, ...once]))).not.toContain("DEGRADES");
    expect(codes(findLoadResponse([...once, ...once, ...once]))).toContain("DEGRADES");
    const generator = aCurve(falling, (step) => ({
      ...step,
      findings: [{ code: "GENERATOR_SATURATED", severity: "warning", args: {} }],
    }));
    expect(findLoadResponse([...generator, ...generator, ...generator])).toEqual([]);
  });

  it("names the fall beyond the knee, and what is left after a cliff is no plateau of it", () => {
    const cliff = findLoadResponse(aCurve((n) => (n > 50 ? { throughput: 20, failed: 9000 } : pool(n))));
    expect(cliff.find(({ code }) => code === "KNEE")?.args).toMatchObject({ throughput: 2000, then: "CLIFF" });
    expect(findLoadResponse(aCurve(pool)).find(({ code }) => code === "KNEE")?.args).not.toHaveProperty("then");
  });

  it("says from which level on throughput is at its plateau", () => {
    const gradual = aCurve((n) => ({ throughput: n <= 10 ? n * 100 : 1000 + Math.min(n, 100) * 8 }));
    expect(findLoadResponse(gradual).find(({ code }) => code === "KNEE")?.args["reached"]).toBe(100);
  });

  it("takes a level at which the target died for one without any goodput", () => {
    const dies = (count: number) =>
      [1, 2, 3].flatMap((trial) =>
        aCurve(pool, (step) =>
          trial <= count && (step.level.connections ?? 0) >= 100
            ? { ...aFailedStep({ level: step.level, trial }), target: step.target }
            : { ...step, trial },
        ),
      );
    expect(findLoadResponse(dies(2)).find(({ code }) => code === "CLIFF")?.args).toMatchObject({
      lastGood: 50,
      firstBad: 100,
      remaining: 0,
    });
    expect(codes(findLoadResponse(dies(1)))).not.toContain("CLIFF");
  });

  it.each<[FindingCode, Severity]>([
    ["PORTS_EXHAUSTED", "error"],
    ["FD_LIMIT", "error"],
    ["LITTLES_LAW", "error"],
    ["REQUESTS_LOST", "error"],
    ["TOO_SHORT", "warning"],
  ])("makes nothing of steps whose figures %s makes false", (code, severity) => {
    const spoilt = (step: StepResult): StepResult =>
      (step.level.connections ?? 0) >= 100 ? { ...step, findings: [{ code, severity, args: {} }] } : step;
    const failing = (n: number): Point => (n >= 100 ? { throughput: 20, failed: 9000 } : { throughput: n * 100 });
    expect(codes(findLoadResponse(aCurve(failing)))).toContain("CLIFF");
    expect(codes(findLoadResponse(aCurve(failing, spoilt)))).toEqual(["SCALABILITY"]);
  });

  it("takes a warning of a limit that is near for no fault, and no answer at all for long enough", () => {
    const near = (step: StepResult): StepResult => ({
      ...step,
      findings: [
        { code: "PORTS_EXHAUSTED", severity: "warning", args: {} },
        ...(step.measurement?.requests.ok === 0
          ? ([{ code: "TOO_SHORT", severity: "warning", args: {} }] as const)
          : []),
      ],
    });
    const refusing = (n: number): Point => (n >= 100 ? { throughput: 0, failed: 9000 } : pool(n));
    expect(codes(findLoadResponse(aCurve(refusing, near)))).toContain("CLIFF");
  });

  it("takes a fall at levels that were not reached for the generator's, unless requests failed or could not leave", () => {
    const notReached =
      (args: FindingArgs) =>
      (step: StepResult): StepResult =>
        (step.level.connections ?? 0) > 20
          ? { ...step, findings: [{ code: "LEVEL_NOT_REACHED", severity: "warning", args }] }
          : step;
    const thrice = (args: FindingArgs) => [1, 2, 3].flatMap(() => aCurve(falling, notReached(args)));
    expect(codes(findLoadResponse(thrice({ latenessMs: 80 })))).not.toContain("DEGRADES");
    expect(codes(findLoadResponse(thrice({ unsent: 80 })))).toContain("DEGRADES");
  });

  it("tells how sure the law is, and up to which load it was measured", () => {
    const usl = (n: number): Point => ({ throughput: (500 * n) / (1 + 0.02 * (n - 1) + 0.000005 * n * (n - 1)) });
    const args = findLoadResponse(aCurve(usl)).find(({ code }) => code === "SCALABILITY")?.args ?? {};
    expect(args["highest"]).toBe(200);
    expect(Number(args["peakLoad"])).toBeGreaterThan(200);
    for (const [low, value, high] of [
      ["contentionLow", "contention", "contentionHigh"],
      ["peakLow", "peakLoad", "peakHigh"],
    ] as const) {
      expect(Number(args[low])).toBeLessThanOrEqual(Number(args[value]));
      expect(Number(args[high])).toBeGreaterThanOrEqual(Number(args[value]));
    }
  });

  it("says nothing of a single level, or of a target that holds", () => {
    expect(findLoadResponse(aCurve(pool).slice(0, 1))).toEqual([]);
    expect(codes(findLoadResponse(aCurve((n) => ({ throughput: n * 100 }))))).not.toContain("KNEE");
  });

  it("looks at each target by itself, and of a matrix at its largest runs", () => {
    const other = aCurve(
      (n) => ({ throughput: n * 100 }),
      (step) => ({ ...step, target: "other" }),
    );
    const short = aCurve(
      () => ({ throughput: 1 }),
      (step) => ({ ...step, level: { ...step.level, durationMs: 1000 } }),
    );
    const knees = findLoadResponse([...other, ...short, ...aCurve(pool)]).filter(({ code }) => code === "KNEE");
    expect(knees.map(({ args }) => args["target"])).toEqual(["single"]);
  });
});
