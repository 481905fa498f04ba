import { describe, expect, it } from "vitest";
import type { Finding, FindingArgs, FindingCode } from "../model/finding.js";
import type { FailureClass } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import type { Bottleneck } from "../model/usage.js";
import { seededRandom } from "../stats/seeded-random.js";
import { drawNormal, fewestByChance, mostByChance } from "../stats/test-support/simulated-trials.js";
import { doneFault } from "../test-support/faulty-steps.js";
import { aFailedStep, aLatency, aMeasurement, aScenario, aStep, aUsage } from "../test-support/fixtures.js";
import { argsOf as argsIn, codesOf, near, responsesTo } from "./test-support/finding-rules.js";

const LEVELS = [1, 2, 5, 10, 20, 50, 100, 200];

const respond = (steps: readonly StepResult[]) => responsesTo(aScenario(), steps);
const codes = (steps: readonly StepResult[]) => codesOf(respond(steps));
const argsOf = (steps: readonly StepResult[], code: FindingCode) => argsIn(respond(steps), code);

interface Point {
  readonly throughput: number;
  readonly failed?: number;
  /** How; default: answered with a status, 503. */
  readonly as?: FailureClass;
  readonly status?: string;
}
type Curve = (connections: number) => Point;
type Change = (step: StepResult, connections: number) => StepResult;

/** A step for every level, of a target whose answers at N connections are computed. */
function aCurve(curve: Curve, change: Change = (step) => step, trials = 1): readonly StepResult[] {
  return LEVELS.flatMap((connections) =>
    Array.from({ length: trials }, (_, index) => {
      const { throughput, failed = 0, status = "503", as = "non2xx" } = curve(connections);
      const failures: Partial<Record<FailureClass, number>> = failed === 0 ? {} : { [as]: failed };
      const ok = Math.round(throughput * 3);
      const measurement = aMeasurement({
        throughput,
        requests: { ok, ...failures },
        statusCodes: { "200": ok, ...(failures.non2xx === undefined ? {} : { [status]: failures.non2xx }) },
        latency: aLatency({ mean: throughput === 0 ? 1 : (connections / throughput) * 1000 }),
      });
      const step = aStep({ level: { connections, durationMs: 3000 }, trial: index + 1, measurement });
      return change(step, connections);
    }),
  );
}

/** Adds a finding to the steps from some connections on. */
const spoilt =
  (code: FindingCode, from = 1, severity: Finding["severity"] = "warning", args: FindingArgs = {}): Change =>
  (step, connections) =>
    connections < from ? step : { ...step, findings: [{ code, severity, args }] };

/** Twenty threads of 10 ms: 100 requests a second each, and no more than 2000. */
const pool: Curve = (n) => ({ throughput: Math.min(n, 20) * 100 });
const shedding: Curve = (n) => ({ ...pool(n), failed: n > 20 ? 500 : 0 });
const tiring: Curve = (n) => ({ ...shedding(n), throughput: pool(n).throughput * (n > 100 ? 0.85 : 1) });
const cliff: Curve = (n) => (n > 50 ? { throughput: 20, failed: 9000 } : pool(n));
/** Grows to 20 connections, then loses a little at every level. */
const falling: Curve = (n) => ({ throughput: n <= 20 ? n * 100 : 2000 * (20 / n) ** 0.5 });
const degrading: Curve = (n) => ({ ...falling(n), failed: n > 20 ? 100 : 0 });
const dipping: Curve = (n) => ({ throughput: n === 50 ? 1500 : pool(n).throughput });
const gradual: Curve = (n) => ({ throughput: n <= 10 ? n * 100 : 1000 + Math.min(n, 100) * 8 });
const linear: Curve = (n) => ({ throughput: n * 100 });
const dead = ({ level, trial }: StepResult): StepResult => aFailedStep({ level, trial });
/** Where as many of the trials died as is said, at the two highest levels. */
const dying = (count: number): readonly StepResult[] =>
  aCurve(pool, (step, n) => (step.trial <= count && n >= 100 ? dead(step) : step), 3);
const busy = (bottleneckAt: (connections: number) => Bottleneck): readonly StepResult[] =>
  aCurve(pool, (step, n) => ({ ...step, usage: aUsage({ bottleneck: bottleneckAt(n) }) }));
const atLimits: Change = (step) => {
  const codes =
    step.measurement?.requests.ok === 0 ? (["PORTS_EXHAUSTED", "TOO_SHORT"] as const) : ["PORTS_EXHAUSTED" as const];
  return { ...step, findings: codes.map((code) => ({ code, severity: "warning", args: {} })) };
};

const faulty =
  (kind: "kill" | "start"): Change =>
  (step) => ({ ...step, faults: [doneFault(kind, 2000)] });

/** From 50 connections on all cores were busy, and with all of them the target could have been so many times as fast. */
const full = (headroom: number): Change => spoilt("MACHINE_SATURATED", 50, "warning", { headroom });

/** Leaves no sound step at 50 connections. */
const doubtful =
  (code: FindingCode): Change =>
  (step, n) =>
    n === 50 ? spoilt(code)(step, n) : step;
const brief = doubtful("TOO_SHORT");

describe("a sweep", () => {
  it.each<[FindingCode, string, readonly StepResult[], FindingArgs]>([
    ["KNEE", "at the threads of a pool", aCurve(pool), { target: "single", kind: "connections", throughput: 2000 }],
    ["KNEE", "from where on a gradual plateau is reached", aCurve(gradual), { reached: 100 }],
    ["KNEE", "before a cliff, which is named", aCurve(cliff), { throughput: 2000, then: "CLIFF" }],
    ["KNEE", "with what was busy beyond it", busy((n) => (n > 20 ? "backend" : "none")), { bottleneck: "backend" }],
    ["KNEE", "beyond which it dips", aCurve(dipping), { dips: 1 }],
    ["SHEDS", "where what is too much is refused", aCurve(shedding), { firstBad: 50, remaining: 1 }],
    ["SHEDS", "at which it loses a little", aCurve(tiring), { firstBad: 50, remaining: near(0.85, 2) }],
    ["SHEDS", "from a level on that was too short for its goodput", aCurve(shedding, brief), { firstBad: 50 }],
    ["SHEDS", "beside a fault that does no harm", aCurve(shedding, faulty("start")), { firstBad: 50 }],
    ["SHEDS", "by status 429", aCurve((n) => ({ ...shedding(n), status: "429" })), {}],
    ["SHEDS", "by closing connections", aCurve((n) => ({ ...shedding(n), as: "dropped" })), {}],
    ["CLIFF", "where next to nothing is left", aCurve(cliff), { lastGood: 50, firstBad: 100, remaining: 0.01 }],
    ["CLIFF", "where most trials died", dying(2), { lastGood: 50, firstBad: 100, remaining: 0 }],
    // Nothing that was answered is no answer at all for long enough, and a limit that is near is none.
    ["CLIFF", "however short", aCurve((n) => (n >= 100 ? { throughput: 0, failed: 9000 } : pool(n)), atLimits), {}],
    ["DEGRADES", "as requests fail", aCurve(degrading), {}],
    ["DEGRADES", "where three trials fall without failures", aCurve(falling, undefined, 3), {}],
    ["DEGRADES", "by more than the machine may cost", aCurve(falling, full(1.2), 3), { remaining: near(0.316, 3) }],
    ["CLIFF", "of failures, whatever the machine may have cost", aCurve(cliff, full(Infinity)), {}],
  ])("has a %s %s", (code, _, steps, args) => {
    expect(argsOf(steps, code)).toMatchObject(args);
  });

  it.each<[FindingCode, string, readonly StepResult[]]>([
    ["SHEDS", "of failures from one connection on", aCurve((n) => ({ ...pool(n), failed: n * 30 }))],
    ["SHEDS", "of status 500", aCurve((n) => ({ ...shedding(n), status: "500" }))],
    ["CLIFF", "of one trial that died", dying(1)],
    ["DEGRADES", "of one trial without a failed request", aCurve(falling)],
    ["DEGRADES", "of a generator at its limit", aCurve(falling, spoilt("GENERATOR_SATURATED"), 3)],
    ["CLIFF", "of a fall that a fault causes", aCurve(cliff, faulty("kill"))],
    ["DEGRADES", "of a machine that may have cost all of it", aCurve(falling, full(4), 3)],
  ])("has no %s %s", (code, _, steps) => {
    expect(codes(steps)).not.toContain(code);
  });

  it.each<[FindingCode, Finding["severity"]]>([
    ["PORTS_EXHAUSTED", "error"],
    ["FD_LIMIT", "error"],
    ["LITTLES_LAW", "error"],
    ["REQUESTS_LOST", "error"],
    ["TOO_SHORT", "warning"],
  ])("makes nothing of steps whose figures %s makes false", (code, severity) => {
    const failing: Curve = (n) => (n >= 100 ? { throughput: 20, failed: 9000 } : linear(n));
    expect(codes(aCurve(failing))).toContain("CLIFF");
    expect(codes(aCurve(failing, spoilt(code, 100, severity)))).toEqual([]);
  });

  it.each<[FindingCode, string, readonly StepResult[], readonly string[]]>([
    ["TOO_SHORT", "no knee", aCurve(pool, brief), []],
    ["GENERATOR_SATURATED", "no knee", aCurve(pool, doubtful("GENERATOR_SATURATED")), []],
    ["TOO_SHORT", "no fall by goodput alone", aCurve(falling, brief, 3), []],
    ["TOO_SHORT", "no slope, not even with failures", aCurve(degrading, brief), []],
    ["TOO_SHORT", "the cliff of requests that failed", aCurve(cliff, brief), ["CLIFF"]],
  ])("in which %s leaves no step of a level shows %s", (_, __, steps, expected) => {
    expect(codes(steps)).toEqual(expected);
  });

  it("keeps its knee where a level has other trials than the one that was too short", () => {
    const once: Change = (step, n) => (step.trial === 1 ? brief(step, n) : step);
    expect(codes(aCurve(pool, once, 2))).toEqual(["KNEE"]);
  });

  it.each<[Bottleneck, string, string | undefined]>([
    ["generator", "autocannon", "wire"],
    ["backend", "autocannon", undefined],
  ])("whose knee is where the %s of the engine %s is busy names a faster engine: %s", (bottleneck, engine, faster) => {
    const steps = busy(() => bottleneck).map((step) => ({ ...step, engine }));
    expect(argsOf(steps, "KNEE")).toMatchObject({ bottleneck });
    expect(argsOf(steps, "KNEE")?.["fasterEngine"]).toBe(faster);
  });

  it.each([
    [[50, 100], "backend", "50, 100"],
    [[200], undefined, undefined],
  ])("whose knee has backends at their limit at %j of three levels beyond names %s", (levels, bottleneck, busyAt) => {
    const knee = argsOf(
      busy((n) => (levels.includes(n) ? "backend" : "none")),
      "KNEE",
    );
    expect([knee?.["bottleneck"], knee?.["busyAt"]]).toEqual([bottleneck, busyAt]);
  });

  it("of two targets, or of a matrix, is about each target at its largest runs", () => {
    const other = aCurve(linear, (step) => ({ ...step, target: "other" }));
    const second: Change = (step) => ({ ...step, level: { ...step.level, durationMs: 1000 } });
    const short = aCurve(() => ({ throughput: 1 }), second);
    const knees = respond([...other, ...short, ...aCurve(pool)]).filter(({ code }) => code === "KNEE");
    expect(knees.map(({ args }) => args["target"])).toEqual(["single"]);
    expect(knees[0]?.args["knee"]).toBeCloseTo(20, 5);
    expect(knees[0]?.args).not.toHaveProperty("requests");
  });

  it("of a matrix says of how many requests a step it speaks", () => {
    const withRequests =
      (requests: number): Change =>
      (step, connections) => ({ ...step, level: { connections, requests } });
    const few = aCurve(pool, withRequests(1000));
    expect(argsOf([...few, ...aCurve(shedding, withRequests(10_000))], "SHEDS")).toMatchObject({ requests: 10_000 });
  });
});

describe("a sweep of a closed loop with log-normal noise on its throughput", () => {
  const SIX = [50, 100, 250, 500, 1000, 2000];
  const TWELVE = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120];
  const ROUNDS = 40;

  /** In how many sweeps a fall is found, and in how many a knee. */
  function count(curve: (connections: number) => number, levels: readonly number[], trials: number, noise: number) {
    const random = seededRandom(levels.length * 1000 + trials * 100 + Math.round(noise * 100));
    const rounds = Array.from({ length: ROUNDS }, () =>
      codes(
        levels.flatMap((connections) =>
          Array.from({ length: trials }, (_, trial) => {
            const throughput = curve(connections) * Math.exp(noise * drawNormal(random));
            const mean = (connections / throughput) * 1000;
            const requests = { ok: Math.round(throughput * 3) };
            const measurement = aMeasurement({ throughput, requests, latency: aLatency({ mean, p50: mean }) });
            return aStep({ level: { connections, durationMs: 3000 }, trial: trial + 1, measurement });
          }),
        ),
      ),
    );
    const having = (...wanted: readonly string[]): number =>
      rounds.filter((found) => found.some((code) => wanted.includes(code))).length;
    return { falls: having("CLIFF", "DEGRADES"), knees: having("KNEE") };
  }

  const settings = [SIX, TWELVE].flatMap((levels) => [1, 3, 5].map((trials) => [trials, levels] as const));

  it.each(settings)("has neither a fall nor a knee by chance: %i trials at %j", (trials, levels) => {
    for (const noise of [0.15, 0.25]) {
      const { falls, knees } = count(() => 9000, levels, trials, noise);
      // Without a test it is up to 52 %.
      expect(Math.max(falls, knees)).toBeLessThanOrEqual(mostByChance(ROUNDS, 0.05));
    }
  });

  it.each(settings)("still shows what is there: %i trials at %j", (trials, levels) => {
    const fall = count((n) => (n === levels.at(-1) ? 4000 : 9000), levels, trials, 0.15).falls;
    // A fall that no failed request goes with is not believed of one trial or two.
    expect(fall).toSatisfy((count: number) => (trials < 3 ? count === 0 : count >= fewestByChance(ROUNDS, 0.9)));
    const size = levels === SIX ? 200 : 45;
    const { knees } = count((n) => Math.min(n, size) * 100, levels, trials, 0.15);
    // Of one trial, levels that rise by chance to the end are not told from growth.
    expect(knees).toBeGreaterThanOrEqual(fewestByChance(ROUNDS, trials === 1 ? 0.65 : 0.8));
  });
});
