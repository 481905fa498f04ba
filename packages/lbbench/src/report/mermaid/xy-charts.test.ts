import { describe, expect, it } from "vitest";
import type { ChartDefinition, ChartSeries } from "../charts/chart-definition.js";
import { quoteWords } from "./quote-words.js";
import { xyCharts } from "./xy-charts.js";

const LINE: ChartSeries = {
  name: "single",
  shape: "line",
  colorIndex: 0,
  dash: "solid",
  panel: 0,
  points: [
    { x: 1, y: 90 },
    { x: 50, y: 400.123_45 },
    { x: 1000, y: 380 },
  ],
};

const CHART: ChartDefinition = {
  id: "throughput",
  title: "Throughput",
  subtitle: "higher is better",
  alt: "It rises.",
  x: { label: "connections (log scale)", scale: "log", ticks: [1, 50, 1000] },
  y: { label: "ok/s", scale: "linear" },
  panels: [""],
  series: [LINE],
};

function lines(definition: ChartDefinition): readonly (readonly string[])[] {
  return (xyCharts(definition) ?? []).map(({ code }) => code.split("\n").map((line) => line.trim()));
}

describe("xyCharts", () => {
  it("writes levels as words, values to four digits, and an axis from 0 to a round end", () => {
    expect(lines(CHART)[0]?.slice(-3)).toEqual([
      'x-axis "connections" ["1", "50", "1,000"]',
      'y-axis "ok/s" 0 --> 500',
      "line [90, 400.1, 380]",
    ]);
  });

  it("gives every line the colour of the square in its legend", () => {
    const series = ["a", "b"].map((name) => ({ ...LINE, name }));
    const [chart] = xyCharts({ ...CHART, series }) ?? [];
    expect(chart?.legend).toEqual([
      { square: "🟦", name: "a" },
      { square: "🟧", name: "b" },
    ]);
    expect(chart?.code).toContain('plotColorPalette: "#0969da, #e36209"');
  });

  it("draws lines apart that have no figures at the same places, on the same axis", () => {
    const short = {
      ...LINE,
      name: "short",
      points: [
        { x: 1, y: 20 },
        { x: 50, y: 30 },
        { x: 1000, y: null },
      ],
    };
    const charts = lines({ ...CHART, series: [LINE, short] });
    expect(charts.map((chart) => chart.slice(-3))).toEqual([
      ['x-axis "connections" ["1", "50", "1,000"]', 'y-axis "ok/s" 0 --> 500', "line [90, 400.1, 380]"],
      ['x-axis "connections" ["1", "50"]', 'y-axis "ok/s" 0 --> 500', "line [20, 30]"],
    ]);
  });

  it("draws at most six lines in a block", () => {
    const series = Array.from({ length: 8 }, (_, index) => ({ ...LINE, name: `target ${index}` }));
    expect(xyCharts({ ...CHART, series })?.map(({ legend }) => legend.length)).toEqual([6, 2]);
  });

  it("draws a block for each panel, each with its own end where the chart has a logarithmic axis", () => {
    const series = [
      LINE,
      {
        ...LINE,
        panel: 1,
        points: [
          { x: 1, y: 2 },
          { x: 50, y: 3 },
          { x: 1000, y: 4 },
        ],
      },
    ];
    const panels = ["p50", "p99"];
    const ends = (scale: "linear" | "log") =>
      lines({ ...CHART, panels, series, y: { label: "latency (ms, log scale)", scale } }).map((chart) => chart.at(-2));
    expect(ends("log")).toEqual(['y-axis "latency (ms)" 0 --> 500', 'y-axis "latency (ms)" 0 --> 4']);
    expect(ends("linear")).toEqual(['y-axis "latency (ms)" 0 --> 500', 'y-axis "latency (ms)" 0 --> 500']);
  });

  it("draws lines in different dashes apart where the chart has a logarithmic axis", () => {
    const slow: ChartSeries = {
      ...LINE,
      dash: "dashed",
      points: LINE.points.map(({ x, y }) => ({ x, y: (y ?? 0) * 100 })),
    };
    const y = { label: "latency (ms)", scale: "log" } as const;
    expect(lines({ ...CHART, y, series: [LINE, slow] }).map((chart) => chart.at(-1))).toEqual([
      "line [90, 400.1, 380]",
      "line [9000, 40010, 38000]",
    ]);
  });

  it("leaves out percentiles that not all lines have", () => {
    const x = { label: "percentile", scale: "log", ticks: [1, 2, 10], labels: ["0 %", "50 %", "90 %"] } as const;
    const series = [3, 2].map((count) => ({
      ...LINE,
      points: [1, 2, 10].slice(0, count).map((at) => ({ x: at, y: at })),
    }));
    expect(lines({ ...CHART, x, series }).map((chart) => chart.slice(-2))).toEqual([["line [1, 2]", "line [1, 2]"]]);
  });

  it("tells what is seen once, in the first block", () => {
    const series = [LINE, { ...LINE, panel: 1 }];
    const told = lines({ ...CHART, panels: ["a", "b"], series }).map((chart) => chart.includes("accDescr: It rises."));
    expect(told).toEqual([true, false]);
  });

  it("takes the points at the ticks where an axis has words of its own", () => {
    const x = { label: "percentile", scale: "log", ticks: [1, 2, 10], labels: ["0 %", "50 %", "90 %"] } as const;
    const points = [1, 1.26, 1.995, 5, 10].map((at) => ({ x: at, y: at * 10 }));
    expect(lines({ ...CHART, x, series: [{ ...LINE, points }] })[0]).toEqual(
      expect.arrayContaining(['x-axis "percentile" ["0 %", "50 %", "90 %"]', "line [10, 19.95, 100]"]),
    );
  });

  it("puts seconds on an axis of numbers", () => {
    const points = Array.from({ length: 60 }, (_, second) => ({ x: second, y: second }));
    expect(lines({ ...CHART, x: { label: "s", scale: "linear" }, series: [{ ...LINE, points }] })[0]).toContain(
      'x-axis "s" 0 --> 59',
    );
  });

  it("leaves areas out, and draws a single series of bars as bars", () => {
    const series: readonly ChartSeries[] = [
      { ...LINE, shape: "area", name: "users" },
      { ...LINE, shape: "bar" },
    ];
    expect(lines({ ...CHART, series })[0]?.at(-1)).toBe("bar [90, 400.1, 380]");
  });

  it("cannot draw lines whose points share no places", () => {
    const other = {
      ...LINE,
      points: [
        { x: 7, y: 1 },
        { x: 77, y: 2 },
        { x: 777, y: 3 },
      ],
    };
    expect(xyCharts({ ...CHART, series: [LINE, other] })).toBeUndefined();
  });
});

it("quoteWords leaves nothing that Mermaid reads", () => {
  expect(quoteWords('a"b`c\n#quot; %% <b>{x}\\')).toBe(`"a'b'c quot, % (b)(x)"`);
});
