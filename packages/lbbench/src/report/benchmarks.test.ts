import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Finding } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { median } from "../stats/descriptive.js";
import { aMeasurement, aResult, aScenario, aStep } from "../test-support/fixtures.js";
import { renderBencher, renderGithub } from "./benchmarks.js";
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

/** What is read of both formats: as the schemas of the action and of Bencher's BMF want it, with the same benchmarks. */
function read(result: Result) {
  const files = [...renderGithub(result), ...renderBencher(result)];
  expect(files.map(({ name }) => name)).toEqual([
    "github-action-benchmark-bigger.json",
    "github-action-benchmark-smaller.json",
    "bencher.json",
  ]);
  const parsed = files.map(({ content }) => JSON.parse(String(content)) as unknown);
  const [bigger, smaller, metrics] = parsed as [readonly Entry[], readonly Entry[], Metrics];
  for (const entries of [bigger, smaller]) {
    expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length);
    for (const { name, unit, value } of entries) {
      expect(name).toMatch(/^\S[^]*: (throughput|p50 latency|p99 latency|failed requests)$/);
      expect([typeof unit, Number.isFinite(value)]).toEqual(["string", true]);
    }
  }
  for (const [name, measures] of Object.entries(metrics)) {
    expect([Buffer.byteLength(name) <= 1024, name]).toEqual([true, name.trim()]);
    for (const [measure, figures] of Object.entries(measures)) {
      const { value = Number.NaN, lower_value: low = value, upper_value: high = value, ...others } = figures;
      expect(measure).toMatch(/^[a-z0-9-]{1,64}$/);
      expect([low <= value && value <= high, others]).toEqual([true, {}]);
    }
  }
  expect(Object.keys(metrics)).toHaveLength(bigger.length);
  return { bigger, smaller, metrics };
}

/** The benchmarks that there are. */
const names = (result: Result): readonly string[] => Object.keys(read(result).metrics);

const SWEEP = aSweep({ connections: [1, 50], trials: 6 });
const at50 = SWEEP.steps.filter(({ target, level }) => target === "single" && level.connections === 50);
const THROUGHPUT = median(at50.map(({ measurement }) => measurement?.throughput ?? 0));
const GRAVE: Finding = { code: "REQUESTS_LOST", severity: "error", args: { sent: 10, accounted: 9 } };

it.each([...RESULT_SHAPES])("%s has the same benchmarks in both formats, as their schemas want them", (_, result) => {
  const { bigger, metrics } = read(result);
  expect(bigger.map(({ name }) => name.replace(/: throughput$/, ""))).toEqual(Object.keys(metrics));
});

it("no benchmark is lost or too long, whatever targets are called", () => {
  const targets = fc.uniqueArray(fc.oneof(anyName, fc.constant("😀".repeat(2000))), { minLength: 1 });
  fc.assert(
    fc.property(targets, (all) => {
      expect(names(aSweep({ targets: all, connections: [1] }))).toHaveLength(all.length);
    }),
    { numRuns: 25 },
  );
});

it("github-action-benchmark has throughput where more is better, latency and failures where less is, with range and trials", () => {
  const { bigger, smaller } = read(SWEEP);
  expect(bigger[1]).toEqual({
    name: "single at 50 connections: throughput",
    unit: "requests/s",
    value: Number(THROUGHPUT.toPrecision(12)),
    range: expect.stringMatching(/^[\d,.]+ to [\d,.]+$/),
    extra: expect.stringMatching(/^median of 6 trials \(95 % confidence\)\nverdict of the run: pass\nlbbench /),
  });
  expect(smaller.slice(0, 3).map(({ name, unit }) => `${name} ${unit}`)).toEqual(
    ["p50 latency ms", "p99 latency ms", "failed requests %"].map((one) => `single at 1 connection: ${one}`),
  );
  const [single] = read(aSweep()).bigger;
  expect([single?.range, single?.extra]).toEqual([undefined, expect.stringMatching(/^1 trial\n/)]);
  const failing = aResult({ steps: [aStep({ measurement: aMeasurement({ requests: { ok: 93, non2xx: 7 } }) })] });
  expect(read(failing).smaller.at(-1)).toMatchObject({ unit: "%", value: 7 });
});

it("bencher has throughput per second and latency in nanoseconds, with what the trials span, and leaves out what is not told", () => {
  const { "single at 50 connections": measures = {} } = read(SWEEP).metrics;
  expect(Object.keys(measures)).toEqual(["throughput", "latency", "latency-mean", "latency-p99", "failed-share"]);
  const { value = 0, lower_value: low = 0, upper_value: high = 0 } = measures["throughput"] ?? {};
  expect([value, low < value, high > value]).toEqual([expect.closeTo(THROUGHPUT), true, true]);
  const p50 = median(at50.map(({ measurement }) => measurement?.latency?.p50 ?? 0));
  expect(measures["latency"]?.["value"]).toBeCloseTo(p50 * 1e6, 3);
  const single = read(aSweep()).metrics["single at 50 connections"];
  expect(Object.keys(single?.["latency"] ?? {})).toEqual(["value"]);
  expect(read(RESULT_SHAPES.get("a driven program") as Result).metrics).toEqual({
    "single at 50 connections": { throughput: { value: 30 }, "failed-share": { value: 0.1 } },
  });
});

describe("a history", () => {
  const withFinding = (finding: Finding, trials = 1): Result =>
    aSweep({
      targets: ["single"],
      connections: [1, 50],
      trials,
      change: (step) =>
        step.level.connections === 50 && step.trial === trials ? { ...step, findings: [finding] } : step,
    });
  const ALL = ["single at 1 connection", "single at 50 connections"];

  it("gets no figures that an error makes false, but those of a warning, of other trials, and of a missed threshold", () => {
    expect(names(withFinding(GRAVE))).toEqual(ALL.slice(0, 1));
    expect(names(withFinding({ ...GRAVE, severity: "warning" }))).toEqual(ALL);
    const { bigger } = read(withFinding(GRAVE, 3));
    expect(bigger.map(({ extra = "" }) => /\d+(?= trials)/.exec(extra)?.[0])).toEqual(["3", "2"]);
    const findings = [{ code: "THRESHOLD_FAILED", severity: "error", args: { target: "single" } }] as const;
    expect(names({ ...withFinding({ ...GRAVE, severity: "info" }), verdict: { status: "fail", findings } })).toEqual(
      ALL,
    );
  });

  it("gets no steps that failed or were cut short, which are not slower but not measured", () => {
    const cut = aSweep({
      connections: [1, 50],
      change: (step) =>
        step.level.connections === 50 ? step : step.target === "single" ? failed(step) : { ...step, state: "aborted" },
    });
    expect(names(cut)).toEqual(["single at 50 connections", "balanced at 50 connections"]);
  });

  it("keeps its names when levels that differ in their amount alone are left out", () => {
    const levels = [1000, 5000].map((requests) => ({ connections: 50, requests }));
    const of = (findings: readonly Finding[]): Result =>
      aResult({
        scenario: aScenario({ levels }),
        steps: levels.map((level) => aStep({ level, findings: level.requests === 5000 ? findings : [] })),
      });
    const all = ["1,000", "5,000"].map((requests) => `single at 50 connections, ${requests} requests`);
    expect([names(of([])), names(of([GRAVE]))]).toEqual([all, all.slice(0, 1)]);
  });
});
