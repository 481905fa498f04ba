import { describe, expect, it } from "vitest";
import { judgeResult } from "../judge/judge-result.js";
import { judgeStep } from "../judge/judge-step.js";
import type { FindingCode } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { LatencySummary, Measurement } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { aLatency, aMeasurement, anEnvironment, aResult, aScenario, aStep } from "../test-support/fixtures.js";
import type { MeasurementOverrides } from "../test-support/fixtures.js";
import { aRampScenario, aRampStep } from "../test-support/ramps.js";
import { describeFinding } from "./finding-text.js";
import { describeComparisons } from "./headline.js";

/**
 * Five load tests that people made by hand and published, each with mistakes that nobody noticed. Small results of the same
 * shape, and what has to be noticed in each.
 */

type Measured = (target: string, load: number, trial: number) => MeasurementOverrides;

interface Shape {
  readonly targets: readonly string[];
  readonly loads: readonly number[];
  readonly requests: number;
  readonly trials?: number;
  readonly engines?: Readonly<Record<string, string>>;
  readonly measured: Measured;
}

/** A result with a step for each target, load and trial, judged. */
function judged({ targets, loads, requests, trials = 1, engines = {}, measured }: Shape): Result {
  const scenario = aScenario({
    targets: targets.map((name) => ({ name, server: "url", options: {} })),
    reference: targets.length > 1 ? (targets[0] ?? null) : null,
    levels: loads.map((connections): Level => ({ connections, requests })),
    trials,
  });
  const steps = scenario.levels.flatMap((level) =>
    targets.flatMap((target) =>
      Array.from({ length: trials }, (_, index): StepResult => {
        const { connections = 0 } = level;
        const asked = { asked: connections, opened: connections, established: connections };
        const measurement = aMeasurement({ connections: asked, ...measured(target, connections, index + 1) });
        const engine = engines[target] ?? "ab";
        return withoutUsage(aStep({ target, level, trial: index + 1, engine, measurement }));
      }),
    ),
  );
  return judge(scenario, steps);
}

function judge(scenario: Scenario, unjudged: readonly StepResult[]): Result {
  const steps = unjudged.map((step) => ({ ...step, findings: judgeStep(step, scenario, anEnvironment()) }));
  return aResult({ scenario, steps, verdict: judgeResult({ scenario, steps }) });
}

function withoutUsage(step: StepResult): StepResult {
  const { usage: _, ...rest } = step;
  return rest;
}

function textsOf({ verdict }: Result, code: FindingCode): readonly string[] {
  return verdict.findings.filter((finding) => finding.code === code).map((finding) => describeFinding(finding).text);
}

/** So many answers of one kind within a time in which the load is as high as it was said to be. */
function served(rate: number, connections: number, requests: Partial<Measurement["requests"]>): MeasurementOverrides {
  const answers = Object.values(requests).reduce((sum, count) => sum + count, 0);
  const mean = (connections / rate) * 1000;
  return { elapsedMs: (answers / rate) * 1000, requests, latency: spread(mean) };
}

function spread(mean: number): LatencySummary {
  const at = (factor: number): number => Number((mean * factor).toFixed(3));
  return aLatency({
    min: at(0.4),
    mean,
    stddev: at(0.3),
    p50: at(0.9),
    p66: at(1),
    p75: at(1.1),
    p80: at(1.15),
    p90: at(1.4),
    p95: at(1.7),
    p98: at(2.1),
    p99: at(2.5),
    p999: at(3.5),
    max: at(5),
  });
}

const BALANCER_LOADS = [1, 50, 100, 250, 500, 1000];
const BALANCER_TARGETS = ["one async", "one thread each", "balancer, four async"];

/** 1000 requests a level, of which a target answers so many per second. */
function balancerRates(target: string, load: number, trial: number): number {
  const [alone, , behind] = BALANCER_TARGETS;
  const noise = 1 - ((trial * 7) % 5) / 12;
  if (load === 1) return noise * (target === behind ? 548 : target === alone ? 839 : 4);
  return noise * (target === behind ? 18 : target === alone ? 16.4 : 3);
}

describe("a load balancer in front of asynchronous servers", () => {
  const table = { targets: BALANCER_TARGETS, loads: BALANCER_LOADS, requests: 1000 };

  it("had no answer that was expected, in 18,000, and `failed requests: 0`", () => {
    const result = judged({
      ...table,
      measured: (target, load, trial) => {
        const failing = served(balancerRates(target, load, trial), load, { ok: 0, non2xx: 1000 });
        const { latency: _, ...rest } = failing;
        return { ...rest, statusCodes: { "404": 1000 } };
      },
    });
    expect(result.verdict.status).toBe("inconclusive");
    expect(textsOf(result, "ALL_FAILED")).toHaveLength(3);
    expect(textsOf(result, "NON_2XX")[0]).toContain("6,000 of 6,000 requests (100.0 %) were answered with a status");
    // Nothing of it is a throughput, so nothing can be faster.
    expect(describeComparisons(result).join(" ")).not.toMatch(/higher throughput/);
  });

  const working: Measured = (target, load, trial) => served(balancerRates(target, load, trial), load, { ok: 1000 });

  it("was measured once", () => {
    expect(textsOf(judged({ ...table, measured: working }), "SINGLE_TRIAL")).toHaveLength(1);
  });

  it("gained ten percent, which is within the noise of several trials", () => {
    const result = judged({ ...table, trials: 5, measured: working });
    expect(textsOf(result, "WITHIN_NOISE").at(-1)).toMatch(
      /^Balancer, four async: throughput was measured up to 9\.8 % above that of one async at 50, 100, 250, 500, 1,000 connections, but 5 trials do not tell that from noise\.$/i,
    );
  });

  it("lost a third with a single connection, and nobody said so", () => {
    const told = describeComparisons(judged({ ...table, measured: working })).at(-1);
    expect(told).toContain("throughput measured higher at 50 / 100 / 250 / 500 / 1,000 connections (+9.8 %)");
    expect(told).toContain("and lower at 1 connection (-34.7 %), but no difference can be claimed");
    const repeated = describeComparisons(judged({ ...table, trials: 8, measured: working })).at(-1);
    expect(repeated).toContain("lower throughput at 1 connection (-34.7 %");
  });
});

describe("nginx under load until it breaks", () => {
  const quick = { failedLatency: spread(0.4) };
  const result = judged({
    targets: ["nginx"],
    loads: [100, 200, 300, 400],
    requests: 50_000,
    measured: (_, load) => {
      if (load === 100) return served(5569, 100, { ok: 50_000 });
      if (load === 200) return served(1827, 200, { ok: 50_000 });
      if (load === 300)
        return {
          ...served(1500, 300, { ok: 20_000, non2xx: 28_000, mismatched: 2000 }),
          ...quick,
          statusCodes: { "502": 28_000 },
        };
      return { ...served(20, 400, { ok: 5, resets: 400 }), ...quick, errorCodes: { ECONNRESET: 400 } };
    },
  });

  it("seemed to get quicker the more it failed", () => {
    const [text] = textsOf(result, "FAST_FAILURES");
    expect(text).toMatch(/30,000 of 50,000 answers \(60\.0 %\) failed/);
    expect(text).toMatch(/a median of at most [\d.]+ ms in place of 180 ms/);
    expect(text).toMatch(/as if it were faster than with 200 \([\d.]+ ms\)/);
  });

  it("failed in several ways, each of which is counted by itself", () => {
    expect(textsOf(result, "NON_2XX")[0]).toMatch(/^nginx at 300 connections: 28,000 of 50,000 requests/);
    expect(textsOf(result, "BODY_MISMATCH")[0]).toMatch(/2,000 of 50,000/);
  });

  it("broke, which is a result as well, and where it did", () => {
    expect(result.steps.at(-1)?.state).toBe("completed");
    expect(textsOf(result, "CONNECTIONS_RESET")[0]).toMatch(/^nginx at 400 connections: 400 of 405 requests/);
    expect(textsOf(result, "CLIFF")[0]).toMatch(/goodput fell to 0\.0 % .* between 300 and 400|between/);
  });
});

describe("HTTP against gRPC under a rising number of users", () => {
  it("fell off a cliff, and the number of users is told, not read off a picture", () => {
    const scenario = aRampScenario();
    const steps = [
      aRampStep({
        at: (users) => (users >= 63 ? { ok: 0, failed: 3500, failure: "connectErrors" } : { ok: users * 21 }),
      }),
    ];
    const result = aResult({ scenario, steps, verdict: judgeResult({ scenario, steps }) });
    expect(textsOf(result, "CLIFF")).toHaveLength(1);
    expect(result.verdict.findings.find(({ code }) => code === "CLIFF")?.args).toMatchObject({ kind: "users" });
  });

  it("ran out of local ports, which is not the server's fault", () => {
    const result = judged({
      targets: ["grpc"],
      loads: [100],
      requests: 212_110,
      measured: () => ({
        ...served(2135, 100, { ok: 133_000, connectErrors: 79_110 }),
        errorCodes: { EADDRNOTAVAIL: 79_110 },
      }),
    });
    expect(result.verdict.status).toBe("inconclusive");
    expect(textsOf(result, "PORTS_EXHAUSTED")[0]).toMatch(/the client \(the load generator\), not the server/);
  });
});

describe("a thread pool with overload policies", () => {
  const result = judged({
    targets: ["drop-tail"],
    loads: [10, 20, 80, 100],
    requests: 1000,
    measured: (_, load) =>
      load <= 20
        ? served(700, load, { ok: 1000 })
        : {
            elapsedMs: 1400,
            requests: { ok: 30, non2xx: 970 },
            statusCodes: { "503": 970, "200": 30 },
            latency: spread(14),
            failedLatency: spread(8.8),
          },
  });

  it("refused over 97 %, which made the mean reply time of all requests better", () => {
    const [text] = textsOf(result, "FAST_FAILURES");
    expect(text).toMatch(/970 of 1,000 answers \(97\.0 %\) failed/);
    expect(text).toMatch(/a mean of 8\.96 ms in place of 14(\.0)? ms/);
  });

  it("refused and completed requests are counted apart, and throughput is of the completed ones", () => {
    expect(textsOf(result, "NON_2XX")[0]).toContain("1,940 of 2,000 requests (97.0 %)");
    expect(result.steps.at(-1)?.measurement?.throughput).toBeCloseTo(30 / 1.4, 6);
    expect(textsOf(result, "CLIFF")).toHaveLength(1);
  });
});

describe("two load generators against a Node and a Go server", () => {
  const targets = ["node by ab", "node by its clone", "go by its clone"];
  /** Whole thousandths of a millisecond, different for each concurrency. */
  const latencyOf = (load: number): LatencySummary => spread(7.137 + load * 0.0713);
  const shape: Shape = {
    targets,
    loads: [1, 20, 50, 80, 100],
    requests: 10_000,
    engines: { "node by ab": "ab", "node by its clone": "clone", "go by its clone": "clone" },
    measured: (target, load) => ({
      elapsedMs: 5000 + load,
      requests: { ok: 10_000 },
      bytes: { received: 10_000 * (target === "node by ab" ? 180 : 12), body: 10_000 * 12 },
      latency: target === "node by its clone" ? spread(9.4 + load * 0.0517) : latencyOf(load),
    }),
  };

  it("had transfer rates fifteen times apart, because one counts the head of an answer and the other does not", () => {
    expect(textsOf(judged(shape), "BYTES_DIFFER")).toEqual([
      "node by its clone: 12 bytes per answer were counted, and 180 of node by ab (engine clone, there ab): only one of the two counts head and body.",
      "go by its clone: 12 bytes per answer were counted, and 180 of node by ab (engine clone, there ab): only one of the two counts head and body.",
    ]);
  });

  it("had a latency table that was another one's, digit for digit", () => {
    expect(textsOf(judged(shape), "IDENTICAL_FIGURES")).toEqual([
      expect.stringMatching(
        /^go by its clone at 1, 20, 50, 80, 100 connections: its latencies are those of node by ab, digit for digit \(\d+ different numbers\)\.$/,
      ),
    ]);
  });

  it("had runs of a few milliseconds, whose figures are noise", () => {
    const result = judged({
      ...shape,
      requests: 100,
      measured: () => ({ elapsedMs: 12.4, requests: { ok: 100 }, latency: spread(0.2) }),
    });
    expect(textsOf(result, "TOO_SHORT")[0]).toContain("it lasted 12 ms, less than the 1 s that figures need to settle");
  });
});
