import { describe, expect, it } from "vitest";
import type { ChartDefinition, ChartSeries } from "../charts/chart-definition.js";
import { xyCharts } from "./xy-charts.js";

const POINTS = [1, 50, 1000].map((x, at) => ({ x, y: [90, 400.123_45, 380][at] ?? null }));
const LINE: ChartSeries = { name: "single", shape: "line", colorIndex: 0, dash: "solid", panel: 0, points: POINTS };

const CHART: ChartDefinition = {
  id: "throughput",
  title: "Throughput",
  subtitle: "higher is better",
  alt: "It rises.",
  x: { label: "connections", scale: "log", ticks: [1, 50, 1000] },
  y: { label: "ok/s", scale: "linear" },
  panels: [""],
  series: [LINE],
};
const LOG = { label: "latency", unit: "ms", scale: "log" } as const;
const PERCENTILES = { label: "percentile", scale: "log", ticks: [1, 2, 10], labels: ["0 %", "50 %", "90 %"] } as const;

const pointsOf = (...ys: readonly (number | null)[]): Partial<ChartSeries> => ({
  points: LINE.points.map(({ x }, at) => ({ x, y: ys[at] ?? null })),
});
/** The last lines of each block, which are its axes and what is drawn. */
const drawn = (change: Partial<ChartDefinition>): readonly string[] | undefined =>
  xyCharts({ ...CHART, ...change })?.map(({ code }) => code.split(/\n */).slice(-3).join("; "));

describe("a chart in Mermaid", () => {
  const AXIS = 'x-axis "connections" ["1", "50", "1,000"]';
  const USUAL = `${AXIS}; y-axis "ok/s" 0 --> 500; line [90, 400.1, 380]`;
  const MS = `${AXIS}; y-axis "latency (ms)" 0 --> 500; line [90, 400.1, 380]`;
  const lines = (...others: readonly Partial<ChartSeries>[]) => [{}, ...others].map((one) => ({ ...LINE, ...one }));
  const seconds = { points: Array.from({ length: 60 }, (_, x) => ({ x, y: 7 })) };
  const withGap = { points: Array.from({ length: 100 }, (_, x) => ({ x, y: x < 50 || x >= 70 ? 7 : null })) };
  const dense = { points: [1, 1.26, 2, 5, 10].map((x) => ({ x, y: x * 10 })) };

  it.each<[string, Partial<ChartDefinition>, readonly string[] | undefined]>([
    ["writes levels as words, values to four digits, and an axis from 0 to a round end", {}, [USUAL]],
    [
      "draws lines apart that have no figures at the same places, on the same axis",
      { series: lines(pointsOf(20, 30, null)) },
      [USUAL, 'x-axis "connections" ["1", "50"]; y-axis "ok/s" 0 --> 500; line [20, 30]'],
    ],
    [
      "draws a block for each panel, with its own end where the axis is logarithmic",
      { y: LOG, panels: ["p50", "p99"], series: lines({ panel: 1, ...pointsOf(2, 3, 4) }) },
      [MS, `${AXIS}; y-axis "latency (ms)" 0 --> 4; line [2, 3, 4]`],
    ],
    [
      "takes the points at the ticks where an axis has words of its own",
      { x: PERCENTILES, series: lines(dense).slice(1) },
      ['x-axis "percentile" ["0 %", "50 %", "90 %"]; y-axis "ok/s" 0 --> 100; line [10, 20, 100]'],
    ],
    [
      "says at its place what is marked there",
      {
        marks: [{ panel: 0, x: 50, label: "limit: 50", short: "limit" }],
        series: [{ ...LINE, points: POINTS.map((point) => (point.x > 50 ? { ...point, decision: "broken" } : point)) }],
      },
      [
        USUAL.replace('connections"', 'connections (×: did not hold)"')
          .replace('"50"', '"50 (limit)"')
          .replace("1,000", "1,000 ×"),
      ],
    ],
    [
      "draws one point as a bar, of which a line would show nothing",
      { series: [{ ...LINE, points: POINTS.slice(0, 1) }] },
      ['x-axis "connections" ["1"]; y-axis "ok/s" 0 --> 100; bar [90]'],
    ],
    [
      "draws several lines of one point as bars beside each other",
      { series: lines({ name: "b" }).map((one, at) => ({ ...one, points: [{ x: 50, y: [90, 70][at] ?? null }] })) },
      ['x-axis "connections: 50" ["single", "b"]; y-axis "ok/s" 0 --> 100; bar [90, 70]'],
    ],
    [
      "says at its place what is marked in its panel alone",
      {
        panels: ["a", "b"],
        marks: [{ panel: 1, x: 50, label: "limit: b 50", short: "limit of b" }],
        series: lines({ panel: 1 }),
      },
      [USUAL, USUAL.replace('"50"', '"50 (limit of b)"')],
    ],
    [
      "puts seconds on an axis of numbers",
      { x: { label: "s", scale: "linear" }, series: lines(seconds).slice(1) },
      [expect.stringMatching(/^x-axis "s" 0 --> 59; .*; line \[7, 7/)],
    ],
    [
      "draws many seconds apart where some between them have no figure, so that each stands at its time",
      { x: { label: "s", scale: "linear" }, series: lines(withGap).slice(1) },
      [
        expect.stringMatching(/^x-axis "s" 0 --> 49; /),
        expect.stringMatching(/^x-axis "s" \["70", .*"99"\]; .*; line \[7, 7/),
      ],
    ],
    [
      "does not draw bars of which some are worse than the base of the axis, where Mermaid lets all begin",
      { y: { label: "change (%)", scale: "linear", base: 0 }, series: lines(pointsOf(5, -16, 10)).slice(1) },
      undefined,
    ],
    [
      "draws bars that are no worse than the base from there",
      { y: { label: "times", scale: "log", base: 1 }, series: lines(pointsOf(1, 2, 4)).slice(1) },
      [`${AXIS}; y-axis "times" 1 --> 4; line [1, 2, 4]`],
    ],
  ])("%s", (_, change, blocks) => {
    expect(drawn(change)).toEqual(blocks);
  });

  it("leaves out percentiles that not all lines have", () => {
    const series = [3, 2].map((count) => ({ ...LINE, points: [1, 2, 10].slice(0, count).map((x) => ({ x, y: x })) }));
    expect(drawn({ x: PERCENTILES, series })).toEqual([expect.stringMatching(/line \[1, 2\]; line \[1, 2\]$/)]);
  });

  it("has at most six lines in a block, each in the colour of the square in its legend, and its words once", () => {
    const charts =
      xyCharts({ ...CHART, series: Array.from({ length: 8 }, (_, at) => ({ ...LINE, name: `t${at}` })) }) ?? [];
    expect(charts.map(({ legend }) => legend.length)).toEqual([6, 2]);
    expect(charts[0]?.legend.map(({ square, name }) => square + name).slice(0, 2)).toEqual(["🟦t0", "🟧t1"]);
    expect(charts[0]?.code).toContain('plotColorPalette: "#0969da, #e36209');
    expect(charts.map(({ code }) => code.includes("accDescr: It rises."))).toEqual([true, false]);
  });
});
