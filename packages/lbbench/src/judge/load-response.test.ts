import { describe, expect, it } from "vitest";
import type { Finding, FindingArgs, FindingCode, Severity } from "../model/finding.js";
import type { FailureClass } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import type { Bottleneck } from "../model/usage.js";
import { aFailedStep, aLatency, aMeasurement, aStep, aUsage } from "../test-support/fixtures.js";
import { findLoadResponse } from "./load-response.js";

const LEVELS = [1, 2, 5, 10, 20, 50, 100, 200];

interface Point {
  readonly throughput: number;
  readonly failed?: number;
  /** How; default: answered with a status, 503. */
  readonly as?: FailureClass;
  readonly status?: string;
}

/** A step for every level, of a target whose answers at N connections are computed. */
function aCurve(at: (connections: number) => Point, change: (step: StepResult) => StepResult = (step) => step) {
  return LEVELS.map((connections) => {
    const { throughput, failed = 0, status = "503", as = "non2xx" } = at(connections);
    const failures: Partial<Record<FailureClass, number>> = failed === 0 ? {} : { [as]: failed };
    const ok = Math.round(throughput * 3);
    const mean = throughput === 0 ? 1 : (connections / throughput) * 1000;
    const measurement = aMeasurement({
      throughput,
      requests: { sent: ok + failed, ok, ...failures },
      statusCodes: { "200": ok, ...(failures.non2xx === undefined ? {} : { [status]: failures.non2xx }) },
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

  it.each<[string, Partial<Point>, boolean]>([
    ["answers of 503", {}, true],
    ["answers of 429", { status: "429" }, true],
    ["connections that are closed", { as: "dropped" }, true],
    ["connections that are not taken", { as: "connectErrors" }, true],
    ["answers of 500", { status: "500" }, false],
    ["requests that time out", { as: "timedOut" }, false],
    ["wrong bodies", { as: "mismatched" }, false],
  ])("calls it refusing when requests fail by %s: %s", (_, how, isRefusing) => {
    const found = codes(findLoadResponse(aCurve((n) => ({ ...pool(n), failed: n > 20 ? 500 : 0, ...how }))));
    expect(found.includes("SHEDS")).toBe(isRefusing);
  });

  it("does not call it refusing what is too much when requests fail from one connection on", () => {
    expect(codes(findLoadResponse(aCurve((n) => ({ ...pool(n), failed: n * 30 }))))).not.toContain("SHEDS");
    // A failure now and then at the lowest levels is no trouble yet.
    const once = aCurve((n) => ({ ...pool(n), failed: n > 20 ? 500 : 1 }));
    expect(codes(findLoadResponse(once))).toContain("SHEDS");
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

  describe("names what was busy beyond the knee", () => {
    const kneeOf = (bottleneckAt: (connections: number) => Bottleneck): FindingArgs | undefined => {
      const steps = aCurve(pool, (step) => ({
        ...step,
        usage: aUsage({ bottleneck: bottleneckAt(step.level.connections ?? 0) }),
      }));
      return findLoadResponse(steps).find(({ code }) => code === "KNEE")?.args;
    };

    it("from there on", () => {
      const args = kneeOf((n) => (n > 20 ? "backend" : "none"));
      expect(args).toMatchObject({ bottleneck: "backend" });
      expect(args).not.toHaveProperty("busyAt");
    });

    it("only at some of the levels", () => {
      expect(kneeOf((n) => (n > 50 ? "balancer" : "none"))).toMatchObject({
        bottleneck: "balancer",
        busyAt: "100, 200",
      });
      expect(kneeOf((n) => (n === 200 ? "machine" : "none"))).toMatchObject({ bottleneck: "machine", busyAt: "200" });
    });

    it("as nothing, when nothing was, whatever was below", () => {
      expect(kneeOf((n) => (n > 10 ? "none" : "generator"))).toMatchObject({ bottleneck: "none" });
    });

    it("not at all where usage was not sampled", () => {
      const steps = aCurve(pool).map((step) => {
        const { usage: _, ...rest } = step;
        return rest;
      });
      expect(findLoadResponse(steps).find(({ code }) => code === "KNEE")?.args).not.toHaveProperty("bottleneck");
    });
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

  it("takes a step that was too short for its goodput for one that shows where requests are refused", () => {
    const shed = (short: readonly number[], failed: (n: number) => number): unknown => {
      const curve = aCurve(
        (n) => ({ ...pool(n), failed: failed(n) }),
        (step) =>
          short.includes(step.level.connections ?? 0)
            ? { ...step, findings: [{ code: "TOO_SHORT", severity: "warning", args: {} }] }
            : step,
      );
      return findLoadResponse(curve).find(({ code }) => code === "SHEDS")?.args;
    };
    const above = (least: number) => (n: number) => (n > least ? 500 : 0);
    expect(shed([50], above(20))).toMatchObject({ lastGood: 20, firstBad: 50 });
    expect(shed([20, 50], above(10))).toMatchObject({ lastGood: 10, firstBad: 20 });
    // None were refused in it.
    expect(shed([50], above(50))).toMatchObject({ firstBad: 100 });
    // Some were, but at a higher level, none.
    expect(shed([20, 50], (n) => (n === 20 || n >= 100 ? 500 : 0))).toMatchObject({ firstBad: 100 });
    // What is refused from the lowest load on is no limit of load, whatever too short a step shows.
    expect(shed([], above(0))).toBeUndefined();
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
