import { describe, expect, it } from "vitest";
import { judgeStep } from "../judge/judge-step.js";
import type { FindingCode } from "../model/finding.js";
import type { LatencySummary, Measurement } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import {
  aLatency,
  aMeasurement,
  anEnvironment,
  aResult,
  aScenario,
  aStep,
  type MeasurementOverrides,
} from "../test-support/fixtures.js";
import { aRampScenario, aRampStep } from "../test-support/ramps.js";
import { describeFinding } from "./finding-text.js";
import { describeHeadline } from "./headline.js";
import { createReportModel } from "./report-model.js";
import { judged } from "./test-support/result-shapes.js";

/**
 * Five load tests that people made by hand and published, each with mistakes that nobody noticed. Small results of the same
 * shape, and what has to be noticed in each.
 */

interface Shape {
  readonly targets: readonly string[];
  readonly loads: readonly number[];
  readonly requests: number;
  readonly trials?: number;
  readonly engine?: (target: string) => string;
  readonly measured: (target: string, load: number, trial: number) => MeasurementOverrides;
}

/** A result with a step for each target, load and trial, judged. */
function published({ targets, loads, requests, trials = 1, engine = () => "ab", measured }: Shape): Result {
  const scenario = aScenario({
    targets: targets.map((name) => ({ name, server: "url", options: {} })),
    reference: targets.length > 1 ? (targets[0] ?? null) : null,
    levels: loads.map((connections) => ({ connections, requests })),
    trials,
  });
  const steps = loads.flatMap((load) =>
    targets.flatMap((target) =>
      Array.from({ length: trials }, (_, index): StepResult => {
        const connections = { asked: load, opened: load, established: load };
        const measurement = aMeasurement({ connections, ...measured(target, load, index + 1) });
        const place = { target, level: { connections: load, requests }, trial: index + 1, engine: engine(target) };
        const { usage: _usage, ...step } = aStep({ ...place, measurement });
        return { ...step, findings: judgeStep(step, scenario, anEnvironment()) };
      }),
    ),
  );
  return judged(aResult({ scenario, steps }));
}

function textsOf({ verdict }: Result, code: FindingCode): readonly string[] {
  return verdict.findings.filter((finding) => finding.code === code).map((finding) => describeFinding(finding).text);
}

/** So many answers of one kind within a time in which the load is as high as it was said to be. */
function served(rate: number, connections: number, requests: Partial<Measurement["requests"]>): MeasurementOverrides {
  const answers = Object.values(requests).reduce((sum, count) => sum + count, 0);
  return { elapsedMs: (answers / rate) * 1000, requests, latency: spread((connections / rate) * 1000) };
}

/** Latencies around a mean, all different. */
function spread(mean: number): LatencySummary {
  const times = { min: 0.4, p50: 0.9, p66: 1, p75: 1.1, p80: 1.15, p90: 1.4, p95: 1.7, p98: 2.1, p99: 2.5, max: 5 };
  const of = Object.entries(times).map(([name, factor]) => [name, Number((mean * factor).toFixed(3))]);
  return aLatency({ mean, stddev: mean * 0.3, p999: mean * 3.5, ...Object.fromEntries(of) });
}

describe("a load balancer in front of asynchronous servers", () => {
  const [ALONE, THREADS, BEHIND] = ["one async", "one thread each", "balancer, four async"] as const;
  const table = { targets: [ALONE, THREADS, BEHIND], loads: [1, 50, 100, 250, 500, 1000], requests: 1000 };
  const rate = (target: string, load: number, trial: number): number => {
    const rates: Readonly<Record<string, number>> =
      load === 1 ? { [ALONE]: 839, [BEHIND]: 548 } : { [ALONE]: 16.4, [BEHIND]: 18 };
    return (1 - ((trial * 7) % 5) / 12) * (rates[target] ?? 3);
  };
  const working: Shape = { ...table, measured: (...place) => served(rate(...place), place[1], { ok: 1000 }) };

  it("had no answer that was expected, in 18,000, and `failed requests: 0`", () => {
    const result = published({
      ...table,
      measured: (...place) => {
        const { latency: _, ...rest } = served(rate(...place), place[1], { ok: 0, non2xx: 1000 });
        return { ...rest, statusCodes: { "404": 1000 } };
      },
    });
    expect(result.verdict.status).toBe("inconclusive");
    expect(textsOf(result, "ALL_FAILED")).toHaveLength(3);
    expect(textsOf(result, "NON_2XX")[0]).toContain("6,000 of 6,000 requests (100.0 %)");
    // Nothing of it is a throughput, so nothing can be faster.
    expect(describeHeadline(createReportModel(result)).lines.join(" ")).not.toMatch(/ more requests\/s/);
  });

  it("gained ten percent, which is within the noise of several trials", () => {
    const noise = textsOf(published({ ...working, trials: 5 }), "WITHIN_NOISE").at(-1);
    expect(noise).toMatch(
      /^balancer, four async: 9\.8 % more requests\/s at 50, 100, .*, beside one async; 5 trials do not tell/,
    );
  });

  it("lost a third with a single connection, and nobody said so", () => {
    const told = describeHeadline(createReportModel(published(working))).lines.join("\n");
    expect(told).toMatch(
      /35 % fewer requests\/s than one async with 1 connection\. In this one run about as many requests\/s from 50/,
    );
    const repeated = describeHeadline(createReportModel(published({ ...working, trials: 8 }))).lines.join("\n");
    expect(repeated).toContain("35 % fewer requests/s with 1 connection (p = ");
  });
});

describe("nginx under load until it breaks", () => {
  const failedLatency = spread(0.4);
  const wrong = { ok: 20_000, non2xx: 28_000, mismatched: 2000 };
  const at: Readonly<Record<number, MeasurementOverrides>> = {
    100: served(5569, 100, { ok: 50_000 }),
    200: served(1827, 200, { ok: 50_000 }),
    300: { ...served(1500, 300, wrong), failedLatency, statusCodes: { "502": 28_000 } },
    400: { ...served(20, 400, { ok: 5, resets: 400 }), failedLatency, errorCodes: { ECONNRESET: 400 } },
  };
  const loads = [100, 200, 300, 400];
  const result = published({ targets: ["nginx"], loads, requests: 50_000, measured: (_, load) => at[load] ?? {} });

  const quicker = /30,000 of 50,000 answers \(60\.0 %\) failed.* in place of 180 ms.*less than at 200 /;

  it.each<[FindingCode, RegExp]>([
    ["FAST_FAILURES", quicker],
    ["NON_2XX", /^nginx at 300 connections: 28,000 of 50,000 requests/],
    ["BODY_MISMATCH", /2,000 of 50,000/],
    ["CONNECTIONS_RESET", /^nginx at 400 connections: 400 of 405 requests/],
    ["CLIFF", /between \d00 and \d00 connections/],
  ])("seemed to get quicker the more it failed, and broke, which is a result as well: %s", (code, text) => {
    expect(textsOf(result, code)[0]).toMatch(text);
    expect(result.steps.at(-1)?.state).toBe("completed");
  });
});

describe("HTTP against gRPC under a rising number of users", () => {
  it("fell off a cliff, and the number of users is told, not read off a picture", () => {
    const gone = { ok: 0, failed: 3500, failure: "connectErrors" } as const;
    const steps = [aRampStep({ at: (users) => (users >= 63 ? gone : { ok: users * 21 }) })];
    const { findings } = judged(aResult({ scenario: aRampScenario(), steps })).verdict;
    expect(findings.flatMap(({ code, args }) => (code === "CLIFF" ? args["kind"] : []))).toEqual(["users"]);
  });

  it("ran out of local ports, which is not the server's fault", () => {
    const requests = { ok: 133_000, connectErrors: 79_110 };
    const measured = () => ({ ...served(2135, 100, requests), errorCodes: { EADDRNOTAVAIL: 79_110 } });
    const result = published({ targets: ["grpc"], loads: [100], requests: 212_110, measured });
    expect(result.verdict.status).toBe("inconclusive");
    expect(textsOf(result, "PORTS_EXHAUSTED")[0]).toMatch(/the client \(the load generator\), not the server/);
  });
});

describe("a thread pool with overload policies", () => {
  const refusing = { elapsedMs: 1400, requests: { ok: 30, non2xx: 970 }, statusCodes: { "503": 970, "200": 30 } };
  const result = published({
    targets: ["drop-tail"],
    loads: [10, 20, 80, 100],
    requests: 1000,
    measured: (_, load) =>
      load <= 20 ? served(700, load, { ok: 1000 }) : { ...refusing, latency: spread(14), failedLatency: spread(8.8) },
  });

  it("refused over 97 %, which made the mean reply time of all requests better", () => {
    const [text] = textsOf(result, "FAST_FAILURES");
    expect(text).toMatch(/970 of 1,000 answers \(97\.0 %\) failed.* the mean 8\.96 ms in place of 14(\.0)? ms/);
  });

  it("refused and completed requests are counted apart, and throughput is of the completed ones", () => {
    expect(textsOf(result, "NON_2XX")[0]).toContain("1,940 of 2,000 requests (97.0 %)");
    expect(result.steps.at(-1)?.measurement?.throughput).toBeCloseTo(30 / 1.4, 6);
    expect(textsOf(result, "CLIFF")).toHaveLength(1);
  });
});

describe("two load generators against a Node and a Go server", () => {
  const shape: Shape = {
    targets: ["node by ab", "node by its clone", "go by its clone"],
    loads: [1, 20, 50, 80, 100],
    requests: 10_000,
    engine: (target) => (target === "node by ab" ? "ab" : "clone"),
    // Latencies of whole thousandths of a millisecond, different for each concurrency, and alike in the first and the last.
    measured: (target, load) => ({
      elapsedMs: 5000 + load,
      requests: { ok: 10_000 },
      bytes: { received: 10_000 * (target === "node by ab" ? 180 : 12), body: 10_000 * 12 },
      latency: target === "node by its clone" ? spread(9.4 + load * 0.0517) : spread(7.137 + load * 0.0713),
    }),
  };

  it("had transfer rates fifteen times apart, because one counts the head of an answer and the other does not", () => {
    expect(textsOf(published(shape), "BYTES_DIFFER")).toEqual(
      ["node by its clone", "go by its clone"].map((name) =>
        expect.stringMatching(
          `^${name}: its answers have 12 bytes, those of node by ab 180 .* only one of the two counts head and body`,
        ),
      ),
    );
  });

  it("had a latency table that was another one's, digit for digit", () => {
    expect(textsOf(published(shape), "IDENTICAL_FIGURES")).toEqual([
      expect.stringMatching(
        /^go by its clone at 1, 20, 50, 80, 100 connections: .* those of node by ab, digit for digit/,
      ),
    ]);
  });
});
