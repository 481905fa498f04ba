import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Finding } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { median } from "../stats/descriptive.js";
import { aMeasurement, aResult, aScenario, aStep } from "../test-support/fixtures.js";
import { bencherReporter } from "./bencher.js";
import { githubBenchmarkReporter } from "./github-benchmark.js";
import { anyName, RESULT_SHAPES } from "./test-support/result-shapes.js";
import { aSweep, failed } from "./test-support/sample-results.js";

interface Entry {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly range?: string;
  readonly extra?: string;
}
type Metrics = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;

async function entriesOf(
  result: Result,
): Promise<{ readonly bigger: readonly Entry[]; readonly smaller: readonly Entry[] }> {
  const files = await githubBenchmarkReporter.render(result, { charts: "none" });
  expect(files.map(({ name }) => name)).toEqual([
    "github-action-benchmark-bigger.json",
    "github-action-benchmark-smaller.json",
  ]);
  const [bigger, smaller] = files.map(({ content }) => JSON.parse(String(content)) as readonly Entry[]);
  return { bigger: bigger ?? [], smaller: smaller ?? [] };
}

async function metricsOf(result: Result): Promise<Metrics> {
  const [file] = await bencherReporter.render(result, { charts: "none" });
  expect(file?.name).toBe("bencher.json");
  return JSON.parse(String(file?.content)) as Metrics;
}

const SWEEP = aSweep({ connections: [1, 50], trials: 6 });
const throughputs = SWEEP.steps
  .filter(({ target, level }) => target === "single" && level.connections === 50)
  .map(({ measurement }) => measurement?.throughput ?? 0);

describe("github-action-benchmark", () => {
  it("has throughput where more is better, latency and failures where less is", async () => {
    const { bigger, smaller } = await entriesOf(SWEEP);
    expect(bigger.map(({ name, unit }) => [name, unit])).toEqual(
      ["single", "balanced"].flatMap((target) => [
        [`${target} at 1 connection: throughput`, "requests/s"],
        [`${target} at 50 connections: throughput`, "requests/s"],
      ]),
    );
    expect(smaller.slice(0, 3).map(({ name, unit }) => [name, unit])).toEqual([
      ["single at 1 connection: p50 latency", "ms"],
      ["single at 1 connection: p99 latency", "ms"],
      ["single at 1 connection: failed requests", "%"],
    ]);
    expect(bigger[1]?.value).toBe(median(throughputs));
    expect(bigger[1]?.range).toMatch(/^[\d,.]+ to [\d,.]+$/);
    expect(bigger[1]?.extra).toMatch(/^median of 6 trials \(95 % confidence\)\nverdict of the run: pass\nlbbench /);
  });

  it("has no range of a single trial", async () => {
    const { bigger } = await entriesOf(aSweep());
    expect(bigger[0]).not.toHaveProperty("range");
    expect(bigger[0]?.extra).toMatch(/^1 trial\n/);
  });

  it("shows failures in percent", async () => {
    const measurement = aMeasurement({ requests: { ok: 93, non2xx: 7 } });
    const { smaller } = await entriesOf(aResult({ steps: [aStep({ measurement })] }));
    expect(smaller.at(-1)).toMatchObject({ unit: "%", value: 7 });
  });

  it("names levels that differ in their amount alone by that, too", async () => {
    const levels = [1000, 5000].map((requests) => ({ connections: 50, requests }));
    const { bigger } = await entriesOf(
      aResult({ scenario: aScenario({ levels }), steps: levels.map((level) => aStep({ level })) }),
    );
    expect(bigger.map(({ name }) => name)).toEqual([
      "single at 50 connections, 1,000 requests: throughput",
      "single at 50 connections, 5,000 requests: throughput",
    ]);
  });
});

describe("bencher", () => {
  it("has throughput per second and latency in nanoseconds, with what the trials span", async () => {
    const { "single at 50 connections": measures = {} } = await metricsOf(SWEEP);
    expect(Object.keys(measures)).toEqual(["throughput", "latency", "latency-mean", "latency-p99", "failed-share"]);
    const { value = 0, lower_value: low = 0, upper_value: high = 0 } = measures["throughput"] ?? {};
    expect(value).toBeCloseTo(median(throughputs), 6);
    expect(low).toBeLessThan(value);
    expect(high).toBeGreaterThan(value);
    const p50 = SWEEP.steps
      .filter(({ target, level }) => target === "single" && level.connections === 50)
      .map(({ measurement }) => measurement?.latency?.p50 ?? 0);
    expect(measures["latency"]?.["value"]).toBeCloseTo(median(p50) * 1e6, 3);
  });

  it("has a value alone of a single trial", async () => {
    const { "single at 50 connections": measures = {} } = await metricsOf(aSweep());
    expect(Object.keys(measures["latency"] ?? {})).toEqual(["value"]);
  });

  it("leaves out what is not told", async () => {
    const metrics = await metricsOf(RESULT_SHAPES.get("a driven program") as Result);
    expect(metrics).toEqual({
      "single at 50 connections": { throughput: { value: 30 }, "failed-share": { value: 0.1 } },
    });
  });

  it("leaves out steps that failed or were cut short, which are not slower but not measured", async () => {
    const result = aSweep({
      connections: [1, 50],
      change: (step) => {
        if (step.level.connections === 50) return step;
        return step.target === "single" ? failed(step) : { ...step, state: "aborted" };
      },
    });
    expect(Object.keys(await metricsOf(result))).toEqual(["single at 50 connections", "balanced at 50 connections"]);
  });
});

describe("a history", () => {
  const GRAVE = { code: "REQUESTS_LOST", severity: "error", args: { sent: 10, accounted: 9 } } as const;
  const names = async (result: Result): Promise<readonly string[]> => {
    const { bigger } = await entriesOf(result);
    expect(Object.keys(await metricsOf(result)).map((name) => `${name}: throughput`)).toEqual(
      bigger.map(({ name }) => name),
    );
    return bigger.map(({ name }) => name.replace(": throughput", ""));
  };
  const withFinding = (finding: Finding, trials = 1): Result =>
    aSweep({
      connections: [1, 50],
      trials,
      change: (step) =>
        step.target === "single" && step.level.connections === 50 && step.trial === trials
          ? { ...step, findings: [finding] }
          : step,
    });
  const ALL = [
    "single at 1 connection",
    "single at 50 connections",
    "balanced at 1 connection",
    "balanced at 50 connections",
  ];

  it("gets no figures that an error makes false, and those of a warning", async () => {
    expect(await names(withFinding(GRAVE))).toEqual(ALL.filter((name) => name !== "single at 50 connections"));
    expect(await names(withFinding({ ...GRAVE, severity: "warning" }))).toEqual(ALL);
  });

  it("gets those of the other trials", async () => {
    const result = withFinding(GRAVE, 3);
    expect(await names(result)).toEqual(ALL);
    const { bigger } = await entriesOf(result);
    expect(bigger.map(({ extra = "" }) => /\d+(?= trials)/.exec(extra)?.[0])).toEqual(["3", "2", "3", "3"]);
  });

  it("gets those of a run that failed a threshold", async () => {
    const findings = [{ code: "THRESHOLD_FAILED", severity: "error", args: { target: "single" } }] as const;
    expect(
      await names({ ...withFinding({ ...GRAVE, severity: "info" }), verdict: { status: "fail", findings } }),
    ).toEqual(ALL);
  });

  it("gets what a search found, which goes on until a target breaks", async () => {
    const search = RESULT_SHAPES.get("a search") as Result;
    const broken: Finding = { code: "ALL_FAILED", severity: "error", args: { sent: 10 } };
    const steps = [
      aStep({ findings: [broken] }),
      aStep({ level: { connections: 100, durationMs: 3000 }, findings: [GRAVE] }),
    ];
    expect(await names({ ...search, steps })).toEqual(["single at 50 connections"]);
  });

  it("keeps its names when levels that differ in their amount are left out", async () => {
    const levels = [1000, 5000].map((requests) => ({ connections: 50, requests }));
    const steps = levels.map((level) => aStep({ level, findings: level.requests === 5000 ? [GRAVE] : [] }));
    expect(await names(aResult({ scenario: aScenario({ levels }), steps }))).toEqual([
      "single at 50 connections, 1,000 requests",
    ]);
  });
});

describe.each([...RESULT_SHAPES])("of %s", (_, result) => {
  it("entries have what the action requires, and names of their own", async () => {
    const { bigger, smaller } = await entriesOf(result);
    for (const entries of [bigger, smaller]) {
      expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length);
      for (const { name, unit, value } of entries) {
        expect(name).toMatch(/^\S.*: (throughput|p50 latency|p99 latency|failed requests)$/);
        expect([typeof unit, Number.isFinite(value)]).toEqual(["string", true]);
      }
    }
  });

  it("benchmarks are what the schema of BMF asks for", async () => {
    for (const [name, measures] of Object.entries(await metricsOf(result))) {
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(1024);
      expect(name).toBe(name.trim());
      for (const [measure, metric] of Object.entries(measures)) {
        expect(measure).toMatch(/^[a-z0-9-]{1,64}$/);
        const { value = Number.NaN, lower_value: low = value, upper_value: high = value, ...others } = metric;
        expect(others).toEqual({});
        expect(low <= value && value <= high).toBe(true);
      }
    }
  });
});

it("no benchmark is lost or too long, whatever targets are called", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.oneof(anyName, fc.constant("😀".repeat(2000))), { minLength: 1 }),
      async (targets) => {
        const names = Object.keys(await metricsOf(aSweep({ targets, connections: [1] })));
        expect(names).toHaveLength(targets.length);
        expect(Math.max(...names.map((name) => Buffer.byteLength(name)))).toBeLessThanOrEqual(1024);
        expect((await entriesOf(aSweep({ targets, connections: [1] }))).bigger).toHaveLength(targets.length);
      },
    ),
    { numRuns: 50 },
  );
});
