import { describe, expect, it } from "vitest";
import type { Level } from "../../model/level.js";
import type { Result, StepResult } from "../../model/result.js";
import type { Scenario } from "../../model/scenario.js";
import type { SearchOutcome } from "../../model/search.js";
import { median } from "../../stats/descriptive.js";
import { createLatencyHistogram, encodeHistogram } from "../../stats/histogram.js";
import {
  aLatency,
  aMeasurement,
  aProcessUsage,
  aRequest,
  aResult,
  aScenario,
  aStep,
  aUsage,
  type MeasurementOverrides,
} from "../../test-support/fixtures.js";
import { aRampResult } from "../test-support/ramp-results.js";
import { aGrid, aMatrix, aSearch, GRID, RESULT_SHAPES, withWords } from "../test-support/result-shapes.js";
import { aSweep, failed, weighed, withFailures, withFigures } from "../test-support/sample-results.js";
import type { ChartDefinition } from "./chart-definition.js";
import { xyCharts } from "../mermaid/xy-charts.js";
import { renderTrends } from "../trends.js";
import { createReportModel } from "../report-model.js";
import { chartConfig } from "./chart-config.js";
import { chartDefinitions } from "./chart-definitions.js";
import { PICTURE } from "./picture-style.js";
import { inRepository } from "@lbbench/test-support/repository.js";
import { readStoredResult } from "../../../test/support/read-report.js";
import { selectPart } from "../../matchers/asked.js";
import { axisLabel, rightTicks, valueTicks } from "./axes.js";

const idsOf = (result: Result): readonly string[] => chartDefinitions(result).map(({ id }) => id);

function chart(result: Result, id: string): ChartDefinition {
  const found = chartDefinitions(result).find((definition) => definition.id === id);
  if (found === undefined) throw new Error(`expected a chart ${id}`);
  return found;
}

/** The values of every series of a panel of a chart, by its name. */
function valuesOf(result: Result, id: string, panel = 0): Readonly<Record<string, readonly (number | null)[]>> {
  const own = chart(result, id).series.filter((one) => one.panel === panel);
  return Object.fromEntries(own.map(({ name, points }) => [name, points.map(({ y }) => y)]));
}

/** A result of one target with a step for each measurement. */
function resultOf(
  levels: readonly Level[],
  measurements: readonly MeasurementOverrides[],
  scenario: Partial<Scenario> = {},
): Result {
  const steps = levels.map((level, at) => aStep({ level, measurement: aMeasurement(measurements[at]) }));
  return aResult({ scenario: aScenario({ levels, ...scenario }), steps });
}

const connections = (...loads: readonly number[]): readonly Level[] =>
  loads.map((one) => ({ connections: one, durationMs: 2000 }));
const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `t${index + 1}`);

/** Two trials of a target and two levels, of 5 s, with a pause in a second of the second trial. */
function aTimed(): Result {
  const levels = [10, 50].map((one) => ({ connections: one, durationMs: 5000 }));
  const timeline = (at: number, trial: number) =>
    [31, 31, 31, trial === 2 ? 312 : 31, 31].map((max, second) => {
      return { second, sent: 100, ok: 100 * (at + trial), failed: 0, p50: 9, p99: 20, max };
    });
  const steps = levels.flatMap((level, at) =>
    [1, 2].map((trial) =>
      aStep({ level, trial, measurement: aMeasurement({ elapsedMs: 4990, timeline: timeline(at, trial) }) }),
    ),
  );
  return aResult({ scenario: aScenario({ levels, trials: 2 }), steps });
}

it("the charts over time have a panel for each level, medians of the trials, and the longest answer of any", () => {
  expect(chart(aTimed(), "throughput-over-time").panels).toEqual(["10 connections", "50 connections"]);
  expect(valuesOf(aTimed(), "throughput-over-time", 1)).toEqual({ single: [250, 250, 250, 250, 250] });
  expect(valuesOf(aTimed(), "latency-over-time", 0)).toEqual({
    "single, p99": [20, 20, 20, 20, 20],
    "single, max": [31, 31, 31, 312, 31],
  });
});

it("a run of two days has its charts, in words and for Mermaid as well", () => {
  const durationMs = 172_800_000;
  const timeline = Array.from({ length: durationMs / 1000 }, (_, second) => {
    return { second, sent: 100, ok: second === 90_000 ? 50 : 100, failed: 0, p50: 9, p99: 20, max: 31 };
  });
  const level = { connections: 10, durationMs };
  const steps = [aStep({ level, measurement: aMeasurement({ elapsedMs: durationMs, timeline }) })];
  const drawn = chart(aResult({ scenario: aScenario({ levels: [level] }), steps }), "throughput-over-time");
  expect(drawn.alt).toContain("lowest 50 at 90,000");
  expect(xyCharts(drawn)).toMatchObject([{ code: expect.stringContaining("100, 50, 100") as string }]);
});

it("a ramp of a day of two targets has its charts, and its trends in the terminal", () => {
  const durationMs = 90_000_000;
  const ramp = { from: 1, riseMs: durationMs, steps: null };
  const failing = () => ({ ok: 100, failed: 1, failure: "resets" as const });
  const targets = { a: failing, b: () => ({ ok: 100 }) };
  const model = createReportModel(aRampResult({ users: 10, ramp, durationMs, targets }));
  expect(model.charts.map(({ alt }) => alt)).toContainEqual(expect.stringContaining("a, resets: 1 throughout."));
  expect(renderTrends(model, 80).join("\n")).toMatch(/^a {2}▇+\nb {2}▇+$/m);
});

const ROLES = "cpu event-loop memory";
const AGAINST_LOAD = "throughput latency latency-distribution throughput-latency";

it.each<[string, Result, string]>([
  ["a sweep", aSweep(), `${AGAINST_LOAD} ${ROLES}`],
  ["some failures", aSweep({ change: (step) => withFailures(step, 0.1) }), `${AGAINST_LOAD} goodput errors ${ROLES}`],
  ["nothing but failures", aSweep({ change: (step) => withFailures(step, 1) }), `errors ${ROLES}`],
  ["no measurement", aSweep({ change: failed }), ""],
  ["no step", aResult({ steps: [] }), ""],
  ["a ramp", aRampResult(), "latency throughput"],
  ["a ramp without an answer", aRampResult({ targets: { a: () => ({ ok: 0, failed: 9 }) } }), "throughput"],
  ["a matrix", aMatrix(), "matrix-throughput matrix-latency matrix-latency-p99 matrix-cpu latency-distribution memory"],
  ["seconds", aTimed(), `throughput latency latency-distribution throughput-over-time latency-over-time cpu memory`],
  ["a search, whose levels are a knot", aSearch(), "throughput latency latency-distribution cpu memory"],
  ["a grid", aGrid(), `throughput grid-peak latency latency-distribution ${ROLES}`],
])("the charts of %s are those that have something to show", (_, result, ids) => {
  expect(idsOf(result).join(" ")).toBe(ids);
});

const DRAWN = [...RESULT_SHAPES].filter(([, result]) => chartDefinitions(result).length > 0);

it.each(DRAWN)(
  "every chart of %s is plain data with words, units, and axes that hold all that is drawn",
  (_, result) => {
    const charts = chartDefinitions(result);
    expect(JSON.parse(JSON.stringify(charts))).toEqual(charts);
    for (const definition of charts) {
      const { id, title, alt, x, y, panels, series } = definition;
      expect(alt, id).toMatch(/^\S.{30,}\.$/);
      expect([title, alt, y.label].join(" "), id).not.toMatch(/undefined|NaN|Infinity|\[object/);
      expect(axisLabel(y), id).toMatch(/\((ms|%|MB|GB|kB\/s|MB\/s)|requests\/s|times|%|connections/);
      expect(x.scale === "category" || x.label !== "", id).toBe(true);
      expect(series.length, id).toBeGreaterThan(0);
      const [left, right] = [valueTicks(definition), rightTicks(definition)];
      for (const { panel, shape, points } of series) {
        expect(panels[panel], id).toBeDefined();
        expect(
          points.filter(({ y: value }) => value !== null && !Number.isFinite(value)),
          id,
        ).toEqual([]);
        const { min, max } = shape === "area" ? right : left;
        const values = points.flatMap(({ y: value, low, high, outliers = [] }) => [value, low, high, ...outliers]);
        const isDrawn = (one: unknown) => typeof one === "number" && (y.scale !== "log" || one > 0);
        for (const value of values.filter(isDrawn)) {
          expect(value, id).toBeGreaterThanOrEqual(min);
          expect(value, id).toBeLessThanOrEqual(max);
        }
      }
    }
  },
);

describe("charts against load", () => {
  const trials = aSweep({ trials: 3 });
  const at = (target: string, load: number) =>
    trials.steps.flatMap(({ target: own, level, measurement }) =>
      own === target && level.connections === load ? (measurement ?? []) : [],
    );

  it("have a point at every level, the median of the trials, with whiskers from the lowest to the highest", () => {
    const { series, x, subtitle } = chart(trials, "throughput");
    expect(series.map(({ name, shape }) => `${name} ${shape}`)).toEqual(["single line", "balanced line"]);
    expect(x).toEqual({ label: "connections", scale: "log", ticks: [1, 50, 100, 250, 500, 1000] });
    const values = at("balanced", 50).map(({ throughput }) => throughput);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    expect(series[1]?.points[1]).toEqual({ x: 50, y: median(values), low, high });
    expect(subtitle).toContain("median of 3 trials");
    const fewer = aSweep({
      targets: ["a"],
      connections: [1, 50],
      trials: 6,
      change: (step) => (step.trial === 2 && step.level.connections === 50 ? failed(step) : step),
    });
    expect(chart(fewer, "throughput")).toMatchObject({
      subtitle: expect.stringContaining("median of 5 to 6 trials"),
      whiskers: "95 % interval; of fewer than 6 trials lowest to highest",
    });
    expect(chart(aSweep(), "throughput").series[0]?.points[0]).not.toHaveProperty("low");
  });

  it("have latency by percentile: dashes of two targets, panels of more, and a chart for each of very many", () => {
    const { series, panels, y } = chart(trials, "latency");
    expect([panels, y]).toEqual([[""], { label: "latency", unit: "ms", scale: "log" }]);
    expect(series.map(({ name }) => name).join("; ")).toBe(
      "single, p50; single, p90; single, p99; balanced, p50; balanced, p90; balanced, p99",
    );
    expect(series[5]?.points[1]?.y).toBe(median(at("balanced", 50).map(({ latency }) => latency?.p99 ?? 0)));
    expect(chart(aSweep({ targets: numbered(3) }), "latency").panels).toEqual(["p50", "p90", "p99"]);
    const many = aSweep({ targets: numbered(12), connections: [1, 50] });
    for (const id of ["throughput", "latency", "latency-p99"]) {
      const { panels: halves, series: all } = chart(many, id);
      expect(halves, id).toEqual(["1 to 6 of 12", "7 to 12 of 12"]);
      expect(all.map(({ panel }) => panel).join(""), id).toBe("000000111111");
    }
    expect(valuesOf(many, "latency-p99")["t2"]).toEqual(
      many.steps.flatMap(({ target, measurement }) => (target === "t2" ? [measurement?.latency?.p99] : [])),
    );
  });

  it("are bars from zero where there is a single level", () => {
    const { series, x } = chart(aSweep({ connections: [50] }), "throughput");
    expect([series.map(({ shape }) => shape), x.ticks]).toEqual([["bar", "bar"], ["50"]]);
    const latency = chart(aSweep({ connections: [50] }), "latency");
    expect([latency.x.ticks, latency.y.scale]).toEqual([["p50", "p90", "p99"], "linear"]);
  });

  it("have a gap where nothing was measured, and never a zero, and say why", () => {
    const gap = (step: StepResult): StepResult => (step.level.connections === 50 ? failed(step) : step);
    const { series, note } = chart(aSweep({ connections: [1, 50, 100], change: gap }), "throughput");
    expect(series[0]?.points.map(({ y }) => y === null)).toEqual([false, true, false]);
    expect(note).toBe("no figure: single, balanced with 50 connections (failed)");
    const silent = aSweep({ change: (step) => (step.target === "single" ? withFailures(step, 1) : step) });
    expect(chart(silent, "latency")).toMatchObject({ note: "no figure: single (no ok response)" });
    expect(JSON.stringify(chart(silent, "latency").series)).not.toContain("single");
    expect(chart(silent, "throughput").alt).toContain("single: 0 throughout.");
  });

  it("of failures are shares of what came to an end, stacked by class, with a panel for each target", () => {
    const some = aSweep({
      connections: [1, 50],
      change: (step) => (step.target === "balanced" && step.level.connections === 50 ? withFailures(step, 0.1) : step),
    });
    expect(chart(some, "errors").panels).toEqual(["single: nothing failed", "balanced"]);
    expect(valuesOf(some, "errors", 1)).toEqual({ "unexpected status": [0, 10], resets: [0, 5] });
    expect(chart(some, "errors").alt).toContain("balanced, resets: 0 at 1, 5 at 50.");
  });

  it("of processes add up those of a role, in units that suit them, and take the busiest event loop", () => {
    const usage = (...backends: readonly Parameters<typeof aProcessUsage>[0][]): Result => {
      const generator = [aProcessUsage({ cpu: 0.2, eventLoopUtilization: 0.25 })];
      const used = aUsage({ generator, backends: backends.map((one) => aProcessUsage(one)) });
      return aResult({ steps: [aStep({ usage: used })] });
    };
    const busy = { cpu: 0.9, eventLoopUtilization: 1, rssBytes: 90_000_000 };
    const two = usage(busy, { cpu: 0.5, eventLoopUtilization: 0.5, rssBytes: 60_000_000 });
    expect(valuesOf(two, "cpu")).toEqual({ generator: [20], backends: [140] });
    expect(valuesOf(two, "event-loop")).toEqual({ generator: [25], backends: [100] });
    expect(valuesOf(two, "memory")).toEqual({ generator: [80], backends: [150] });
    expect(chart(two, "memory").y.unit).toBe("MB");
    expect(chart(usage({ rssBytes: 12_000_000_000 }), "memory").y.unit).toBe("GB");
  });
});

describe("goodput", () => {
  const REFUSING = {
    elapsedMs: 2000,
    requests: { ok: 600, non2xx: 300, resets: 40, timedOut: 10 },
    statusCodes: { "200": 600, "503": 240, "429": 40, "500": 20 },
  };
  const one = (overrides: MeasurementOverrides, scenario: Partial<Scenario> = {}): Result =>
    resultOf(connections(10), [overrides], scenario);
  const two = resultOf(connections(10, 20), [{ elapsedMs: 2000, requests: { ok: 800 } }, REFUSING]);
  const gRPC = { ...REFUSING, statusCodes: { OK: 600, UNAVAILABLE: 200, RESOURCE_EXHAUSTED: 50, INTERNAL: 50 } };
  const schedule = (rate: number, unsent: number) => {
    return { schedule: { rate, planned: 2 * rate, unsent, lateness: { mean: 0, p99: 0, max: 0 } } };
  };
  const open = resultOf(
    [400, 1000].map((rate) => ({ rate, durationMs: 2000 })),
    [
      { elapsedMs: 2000, requests: { ok: 800 }, ...schedule(400, 0) },
      { elapsedMs: 2000, requests: { ok: 1200, non2xx: 300 }, statusCodes: { "503": 300 }, ...schedule(1000, 500) },
    ],
  );

  it.each<[string, Result, Readonly<Record<string, readonly number[]>>]>([
    // 280 of the 300 refused by 503 or 429; the other 20, the resets and the timeouts failed; over 2 s.
    ["ok, refused and failed", two, { ok: [400, 300], refused: [0, 140], failed: [0, 35] }],
    [
      "no status that is expected as refused",
      one(REFUSING, { request: aRequest({ expectStatus: "200,503" }) }),
      { ok: [300], refused: [20], failed: [155] },
    ],
    ["the refusals of gRPC", one(gRPC), { ok: [300], refused: [125], failed: [50] }],
    [
      "the rate that was offered, and what could not be sent",
      open,
      { offered: [400, 1000], ok: [400, 600], refused: [0, 150], "not sent": [0, 250] },
    ],
  ])("has %s, per second", (_, result, values) => {
    expect(valuesOf(result, "goodput")).toEqual(values);
  });

  it("stands in one stack, and says by which statuses requests were refused", () => {
    const { series, note } = chart(two, "goodput");
    expect(new Set(series.map(({ stack, shape }) => `${stack} ${shape}`))).toEqual(new Set(["requests bar"]));
    expect(note).toBe("refused: answered with 429 or 503");
    expect(chart(open, "goodput").alt).toContain("ok: 400 at 400, 600 at 1,000. refused: 0 at 400, 150 at 1,000.");
  });

  it("has a chart of refusals alone, a line for each of three targets or more", () => {
    const from = new Map(Object.entries({ long: 30, short: 18 }));
    const change = (step: StepResult): StepResult => {
      const refused = Math.max(0, (step.level.connections ?? 0) - (from.get(step.target) ?? Infinity));
      const statusCodes = { "200": 100 - refused, "503": refused };
      return { ...step, measurement: aMeasurement({ requests: { ok: 100 - refused, non2xx: refused }, statusCodes }) };
    };
    const result = aSweep({ targets: ["long", "short", "none"], connections: [10, 20, 40], change });
    expect(valuesOf(result, "refused")).toEqual({ long: [0, 0, 10], short: [0, 2, 22], none: [0, 0, 0] });
    expect(chart(result, "refused").alt).toContain("short: 0 at 10, 22 at 40. none: 0 throughout.");
  });
});

it("the share of each backend is drawn at each level, beside what it should be, unless all are even", () => {
  const ID = "backend-shares";
  const shares = (requests: (load: number) => Readonly<Record<string, number>>): Result =>
    aSweep({
      connections: [1, 50],
      change: (step) => {
        if (step.measurement?.backends === undefined) return step;
        const counts = Object.entries(requests(step.level.connections ?? 0));
        return withFigures(step, {
          backends: Object.fromEntries(counts.map(([name, count]) => [name, { requests: count }])),
        });
      },
    });
  const odd = shares((load) => (load === 1 ? { a: 900, b: 100 } : { a: 500, b: 500 }));
  expect(valuesOf(odd, ID)).toEqual({ a: [90, 50], b: [10, 50] });
  expect(chart(odd, ID)).toMatchObject({
    x: { ticks: ["1", "50"] },
    rules: [{ panel: 0, y: 50, label: "even share" }],
    alt: expect.stringContaining("b: 10 at 1, 50 at 50. Lines: even share at 50."),
  });
  const rules = [75, 25].map((y, at) => ({ panel: 0, y, label: `by weight: ${["big", "small"][at]}` }));
  const sized = shares(() => ({ big: 620, small: 380 }));
  expect(chart(weighed(sized, { big: 3, small: 1 }), ID)).toMatchObject({ rules });
  expect(idsOf(shares(() => ({ a: 500, b: 500 })))).not.toContain(ID);
});

describe("the comparison with the reference", () => {
  /** Throughput of the reference is 1000, of others `factor` times as much, and latency 10 ms divided by it; trials differ by 1 %. */
  type Factors = Readonly<Record<string, number>>;
  function compared(factors: Factors, { trials = 5, margin = null as number | null } = {}): Result {
    const result = aSweep({
      targets: ["reference", ...Object.keys(factors)],
      connections: [10, 100],
      trials,
      change: (step) => {
        const factor = factors[step.target] ?? 1;
        const wobble = 1 + (step.trial - (trials + 1) / 2) / 100;
        const ms = (10 * wobble) / factor;
        return withFigures(step, {
          throughput: 1000 * factor * wobble,
          latency: aLatency({ p50: ms, p90: 2 * ms, p99: 3 * ms }),
        });
      },
    });
    return { ...result, scenario: { ...result.scenario, margin } };
  }

  it("has bars of the change in percent for each metric and level, with its interval, and lines for no change and the margin", () => {
    const result = compared({ fast: 1.25 }, { margin: 0.05 });
    const drawn = chart(result, "comparison");
    expect(drawn.panels).toEqual([
      "throughput (higher is better)",
      ...["p50", "p90", "p99"].map((key) => `${key} (lower is better)`),
    ]);
    const changes = [0, 1, 3].map((panel) => valuesOf(result, "comparison", panel)["fast"]);
    expect(changes).toEqual([25, -20, -20].map((change) => [expect.closeTo(change), expect.closeTo(change)]));
    const { low = NaN, high = NaN } = drawn.series[0]?.points[0] ?? {};
    expect(low < 25 && 25 < high).toBe(true);
    expect(drawn.rules?.slice(0, 2)).toEqual(
      [0, -5].map((y, at) => ({ panel: 0, y, label: at === 0 ? "" : "margin" })),
    );
    expect(drawn.alt).toMatch(/\), fast: 25 \(\d+.* to \d+.*\) at 10, .*Lines: margin at -5, margin at 5\.$/);
  });

  it("has no bar without an interval, and is not there of one trial, few, or one target", () => {
    const result = compared({ fast: 1.25 });
    const findings = [{ code: "MACHINE_SATURATED", severity: "warning", args: {} } as const];
    const steps = result.steps.map((step) => (step.level.connections === 10 ? { ...step, findings } : step));
    const short = { ...result, steps };
    expect(valuesOf(short, "comparison")["fast"]).toEqual([null, expect.closeTo(25)]);
    expect(chart(short, "comparison").note).toBe("no bar: fast at 10 (no interval, or a fall to 0)");
    for (const none of [compared({ fast: 1.25 }, { trials: 1 }), compared({ fast: 1.25 }, { trials: 3 }), compared({})])
      expect(idsOf(none)).not.toContain("comparison");
  });
});

describe("the latency distribution", () => {
  /** Steps with these latencies in microseconds, by default 10, 20, ... 1000; throughput is highest at 20 connections. */
  function distributed(
    targets: readonly string[],
    loads: readonly number[],
    us = (_trial: number): readonly number[] => Array.from({ length: 100 }, (_, index) => 10 * (index + 1)),
    trials = 1,
  ): ChartDefinition {
    const change = (step: StepResult): StepResult => {
      const histogram = createLatencyHistogram();
      for (const value of us(step.trial)) histogram.recordValue(value);
      const throughput = step.level.connections === 20 ? 900 : 100;
      return { ...step, measurement: aMeasurement({ throughput, histogram: encodeHistogram(histogram) }) };
    };
    return chart(aSweep({ targets, connections: loads, trials, change }), "latency-distribution");
  }
  const valuesAt = ({ series }: ChartDefinition, ...places: readonly number[]) =>
    places.map((oneIn) => series[0]?.points.find(({ x }) => x === oneIn)?.y);

  it("has the values that so many percent of the answers do not exceed, up to as many nines as the answers support", () => {
    const drawn = distributed(["single"], [20]);
    expect(valuesAt(drawn, 1, 2, 4, 10, 20, 100)).toEqual([0.01, 0.5, 0.75, 0.9, 0.95, 0.99]);
    expect(drawn.series[0]?.points.at(-1)).toEqual({ x: 100, y: 0.99, label: "99 %" });
    expect(drawn.x).toMatchObject({ scale: "log", ticks: [1, 2, 10, 100], labels: ["0 %", "50 %", "90 %", "99 %"] });
    expect(drawn.alt).toContain("single: 0.010 at 0 %, 0.500 at 50 %, 0.900 at 90 %, 0.990 at 99 %.");
  });

  it("is of the answers of all trials together, and no mean of their percentiles", () => {
    const us = (trial: number) => Array<number>(trial === 1 ? 900 : 100).fill(trial === 1 ? 100 : 2000);
    const drawn = distributed(["single"], [20], us, 2);
    expect(valuesAt(drawn, 2, 10, 20)).toEqual([0.1, 0.1, 2]);
    expect(drawn.series[0]?.points.at(-1)?.x).toBe(1000);
  });

  it("is of the levels that say most: the lowest, the best and the highest", () => {
    const panels = ["1 connection (lowest)", "20 connections (most throughput)", "80 connections (highest)"];
    expect(distributed(["a", "b"], [1, 5, 10, 20, 40, 80]).panels).toEqual(panels);
    expect(distributed(["alone"], [1, 5, 10, 20]).panels).toEqual([""]);
  });
});

it("latency against throughput has a point for every level in order of load, also where throughput falls", () => {
  const at = (throughput: number, p50: number, p99: number) => ({ throughput, latency: aLatency({ p50, p99 }) });
  const stick = resultOf(connections(1, 10, 50), [at(100, 1, 2), at(900, 3, 8), at(800, 60, 200)]);
  const { series, panels, alt } = chart(stick, "throughput-latency");
  expect(panels).toEqual(["p50", "p99"]);
  const places = series[1]?.points.map(({ x: place, y, tag }) => `${tag}: ${place} ${y}`);
  expect(places).toEqual(["1: 100 2", "10: 900 8", "50: 800 200"]);
  expect(alt).toContain(
    "p99, single: 2 at 100 (1 connection), 8 at 900 (10 connections), 200 at 800 (50 connections).",
  );
});

describe("charts of a matrix", () => {
  it("have a panel for each target and a line for each load, over the number of requests", () => {
    const drawn = chart(aMatrix(), "matrix-throughput");
    expect(drawn.panels).toEqual(["node", "go"]);
    expect(drawn.x).toEqual({ label: "requests", scale: "log", ticks: [100, 10_000] });
    const values = (...ofLoad: readonly number[]) =>
      Object.fromEntries(ofLoad.map((one, at) => [at === 0 ? "1 connection" : "50 connections", [one, one]]));
    expect(valuesOf(aMatrix(), "matrix-throughput", 1)).toEqual(values(2000, 100_000));
    expect(valuesOf(aMatrix(), "matrix-latency")).toEqual(values(0.1, 5));
    expect(valuesOf(aMatrix(), "matrix-latency-p99")["50 connections"]).toEqual([100, 100]);
    expect(valuesOf(aMatrix(), "matrix-cpu", 1)["1 connection"]).toEqual([175, 175]);
    expect(chart(aMatrix(), "matrix-latency").alt).toContain("by requests. node, 1 connection: 0.100 throughout.");
  });

  it("have gaps where a step failed, and the transfer rate where it is not throughput in another unit", () => {
    const gap = aMatrix((step) => (step.level.requests === 100 && step.target === "go" ? failed(step) : step));
    expect(valuesOf(gap, "matrix-throughput", 1)["1 connection"]).toEqual([null, 2000]);
    const grown = aMatrix((step) =>
      withFigures(step, { bytes: { received: step.target === "go" ? 9 : 200 * (step.level.requests ?? 0) } }),
    );
    expect(axisLabel(chart(grown, "matrix-transfer").y)).toBe("received (MB/s)");
    expect(valuesOf(grown, "matrix-transfer")["1 connection"]).toEqual([0.2, 0.2]);
  });
});

describe("charts of a grid", () => {
  it("have bars for the values of one option at each choice of the others, and a line for a target beside it", () => {
    const drawn = chart(aGrid(["simple", ...GRID], 3), "grid-peak");
    expect(drawn.x.ticks).toEqual(["pool=8", "pool=16"]);
    expect(drawn.series.map(({ name }) => name)).toEqual(["policy=block", "policy=drop-head"]);
    const bars = [2004, 4004].map((y, at) => ({ x: `pool=${8 * (at + 1)}`, y, low: y - 1, high: y + 1 }));
    expect(drawn.series[0]?.points).toEqual(bars);
    expect(drawn.rules).toEqual([{ panel: 0, y: 1004, label: "simple" }]);
  });

  it("of a search have the largest load that held, and the mean latency there", () => {
    const result = aGrid();
    const steps = result.steps.map((step) => {
      const mean = 10 * GRID.indexOf(step.target) + (step.level.connections ?? 0) / 100;
      return withFigures(step, { latency: aLatency({ mean }) });
    });
    const search = GRID.map((target, index): SearchOutcome => {
      const held = [null, 100, 200, 100][index] ?? null;
      return { target, by: "connections", status: "found", held, broken: 300, tried: [], beyond: null };
    });
    const valuesAt = (id: string) => valuesOf({ ...result, steps, search }, id);
    expect(valuesAt("grid-limit")).toEqual({ "policy=block": [null, 200], "policy=drop-head": [100, 100] });
    expect(valuesAt("grid-limit-latency")).toEqual({ "policy=block": [null, 22], "policy=drop-head": [11, 31] });
  });
});

it("charts of a search mark the levels that did not hold, and the limit", () => {
  const decisions = ["held", "held", "unclear", "broken"] as const;
  const tried = decisions.map((decision, at) => ({ value: at + 1, decision, held: 0, broken: 0, unclear: 0 }));
  const found = { target: "single", by: "connections", status: "found", held: 2, broken: 3, beyond: null } as const;
  const result = { ...resultOf(connections(1, 2, 3, 4), [{}, {}, {}, {}]), search: [{ ...found, tried }] };
  for (const { series, marks, note } of [chart(result, "throughput"), chart(result, "latency")]) {
    for (const { points } of series)
      expect(points.map(({ decision }) => decision)).toEqual([undefined, undefined, "unclear", "broken"]);
    expect(marks).toEqual([{ panel: 0, x: 2, label: "limit: 2 connections", short: "limit" }]);
    expect(note).toBe("×: did not hold; limit: the largest load that held");
  }
});

describe("charts of a ramp", () => {
  const result = aRampResult();

  it("have a panel for each target, a line for each percentile, and the users behind them on an axis of their own", () => {
    const { panels, series, x, right } = chart(result, "latency");
    expect([panels, x.label, right?.label]).toEqual([["http", "http + gRPC", "gRPC"], "second", "users"]);
    expect(Object.keys(valuesOf(result, "latency", 2))).toEqual(["p50", "p90", "p99", "max", "users"]);
    const p50 = valuesOf(result, "latency", 2)["p50"] ?? [];
    expect([p50.length, p50.slice(63, 67).map((y) => y === null)]).toEqual([100, [false, true, true, true]]);
    expect(series.filter(({ shape }) => shape === "area")).toHaveLength(3);
  });

  it("have the figures of each second, those of failures around the seconds alone in which there are any", () => {
    const ok = valuesOf(result, "throughput", 0)["ok"];
    expect(ok?.slice(10, 20)).toEqual(result.steps[0]?.measurement?.timeline.slice(10, 20).map((second) => second.ok));
    expect(valuesOf(result, "throughput", 2)["connect errors"]?.slice(60, 63)).toEqual([null, 0, 3400]);
  });

  it("mark what was found, and say in words what is seen", () => {
    expect(chart(result, "latency").marks?.at(-1)).toEqual({ panel: 2, x: 62, label: "cliff at 64 users" });
    // Where throughput grows ever more slowly, that is where it comes within 10 % of its most.
    const { reached, second } = result.verdict.findings.find(({ code }) => code === "KNEE")?.args ?? {};
    expect(chart(result, "latency").marks).toContainEqual({
      panel: 0,
      x: second,
      label: `knee at ${Math.round(Number(reached))} users`,
    });
    expect(chart(result, "latency").alt).toMatch(/ gRPC, p50: highest \d+ at \d+\..* Marked: .*cliff at 64 users\.$/);
    expect(chart(result, "throughput").alt).toMatch(/^Shows requests\/s and users by second\. http, ok: /);
  });

  it("have failures apart where these are few beside the ok responses", () => {
    const leaky = aRampResult({
      users: 10,
      ramp: { from: 1, riseMs: 9000, steps: null },
      durationMs: 10_000,
      targets: { leaky: (_, second) => ({ ok: 1000, failed: second >= 6 ? 20 : 0, failure: "resets" }) },
    });
    const resets = valuesOf(leaky, "errors")["resets"] ?? [];
    expect(resets.map((rate) => (rate ?? 0) > 0)).toEqual(Array.from({ length: 10 }, (_, second) => second >= 6));
  });
});

it("words from outside hold nothing in a chart that turns text around or breaks a line, and ticks stay those of their points", () => {
  const charts = chartDefinitions(withWords((place) => `${place}\u202Eevil\nname\u2066`));
  const words = JSON.stringify(charts.map((one) => ({ ...one, note: "" })));
  expect(words).toContain("first evil name");
  expect(JSON.stringify(charts)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  expect(words).not.toContain(String.raw`\n`);
  expect(charts.flatMap(({ note = "" }) => note.split("\n")).filter((line) => line.startsWith("name"))).toEqual([]);
  for (const { x, series } of charts.filter((one) => one.x.scale === "category"))
    for (const { points } of series) for (const point of points) expect(x.ticks).toContain(point.x);
});

describe("a figure that a finding bounds", () => {
  const result = readStoredResult(inRepository("reports/sample-sweep"));
  const busy = ["cluster of four", "four behind a balancer"];
  const NOTE = "hollow: in doubt (see the table)";

  it.each(["throughput", "latency", "throughput-latency"])(
    "is a hollow point in the chart %s, as it has a mark in the table",
    (id) => {
      const definition = chart(result, id);
      expect(definition.note).toContain(NOTE);
      // Above one connection the machine was busy where the target has several processes.
      for (const { name, points } of definition.series) {
        const isBusy = busy.some((target) => name.startsWith(target));
        const isHollow = points.map(({ isBounded = false }) => isBounded);
        expect(isHollow, name).toEqual(points.map((_, at) => at > 0 && isBusy));
      }
      const { datasets } = chartConfig(definition).data;
      const fills = datasets.map((one) => (one as { pointBackgroundColor?: readonly string[] }).pointBackgroundColor);
      expect(fills.flat().filter((fill) => fill === PICTURE.background)).toHaveLength(datasets.length * (10 / 3));
    },
  );

  it("is a hollow bar at a single load", () => {
    const definition = chart(selectPart(result, { connections: 1000 }), "throughput");
    expect(definition.note).toContain(NOTE);
    const { datasets } = chartConfig(definition).data;
    const hollow = datasets.filter(({ backgroundColor }) => [backgroundColor].flat().includes(PICTURE.background));
    expect(hollow.map(({ label }) => label)).toEqual(busy);
  });
});
