import { describe, expect, test } from "vitest";
import type { ChartDefinition, ChartPoint, ChartSeries } from "../charts/chart-definition.js";
import { chartTables } from "./chart-tables.js";
import { renderContent } from "./markup.js";

const series = (name: string, points: readonly ChartPoint[], other: Partial<ChartSeries> = {}): ChartSeries => ({
  name,
  shape: "line",
  colorIndex: 0,
  dash: "solid",
  panel: 0,
  points,
  ...other,
});
const chart = (those: readonly ChartSeries[], other: Partial<ChartDefinition> = {}): ChartDefinition => ({
  id: "x",
  title: "Title",
  subtitle: "",
  alt: "",
  x: { label: "load", scale: "linear" },
  y: { label: "ms", scale: "linear" },
  panels: [""],
  series: those,
  ...other,
});
const points = (...xs: readonly number[]): readonly ChartPoint[] => xs.map((x) => ({ x, y: x / 8 }));
const render = (definition: ChartDefinition): string => renderContent(chartTables(definition));

/** Cells of every row of every table, heads first. */
function rowsOf(definition: ChartDefinition): readonly (readonly string[])[] {
  const rows = render(definition).match(/<tr>.*?<\/tr>/gs) ?? [];
  return rows.map((row) => [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, text = ""]) => text));
}

describe("the figures of a chart", () => {
  test("have a row for each x and a column for each series, with whiskers, outliers and gaps", () => {
    const one = [
      { x: 1, y: 2.5, low: 1, high: 3, outliers: [9] },
      { x: 1000, y: null },
    ];
    expect(rowsOf(chart([series("a", one), series("b", points(1000))]))).toEqual([
      ["load", "a", "b"],
      ["1", "2.50 (1 to 3), outliers 9", "–"],
      ["1,000", "–", "125"],
    ]);
  });

  test("have a row for each point where every series has places of its own", () => {
    const [a, b] = [points(1, 2, 3), points(4, 5, 6)].map((those) =>
      those.map((point) => ({ ...point, label: "here" })),
    );
    const rows = rowsOf(chart([series("a", a ?? []), series("b", b ?? [])]));
    expect(rows[0]).toEqual(["Series", "Point", "load", "ms"]);
    expect(rows).toHaveLength(7);
    expect(rows[4]).toEqual(["b", "here", "4", "0.500"]);
  });

  test("leave out what is computed from them, and say so", () => {
    const html = render(chart([series("a", points(1, 2)), series("law", points(1, 1.5, 2), { dense: true })]));
    expect(html).not.toContain(">law<");
    expect(html).toContain("Not listed, because it is computed from these points: law.");
  });

  test("of seconds hold the lines, although these are dense, and the users behind them", () => {
    const rows = rowsOf(
      chart([series("p50", points(0, 1), { dense: true }), series("users", points(0, 1), { shape: "area" })]),
    );
    expect(rows[0]).toEqual(["load", "p50", "users"]);
  });

  test("of very many are thinned out, the last is kept, and it is said", () => {
    const many = chart([series("a", points(...Array.from({ length: 1000 }, (_, at) => at)))]);
    const rows = rowsOf(many);
    expect(rows.length).toBeLessThanOrEqual(62);
    expect(rows.at(-1)?.[0]).toBe("999");
    expect(render(many)).toContain("Of 1,000 places along the axis every 17th is listed, and the last.");
  });

  test("of very many are those with a tick, by its label, where there are some", () => {
    const all = points(...Array.from({ length: 100 }, (_, at) => at));
    const x = { label: "p", scale: "log", ticks: [2, 10, 50, 90], labels: ["50 %", "90 %", "98 %", "99 %"] } as const;
    expect(rowsOf(chart([series("a", all)], { x })).map(([head]) => head)).toEqual([
      "p",
      "50 %",
      "90 %",
      "98 %",
      "99 %",
      "99",
    ]);
  });

  test("of many series stand in a table for each panel, named after it", () => {
    const many = ["one", "two"].flatMap((_, panel) =>
      ["a", "b", "c", "d"].map((name) => series(name, points(1), { panel })),
    );
    const html = render(chart(many, { panels: ["one", "two <b>"] }));
    expect(html.match(/<table/g)).toHaveLength(2);
    expect(html).toContain("<span>Title, two &lt;b&gt;, ms</span>");
    const few = chart(many.slice(0, 1), { panels: ["one"] });
    expect(rowsOf(few)[0]).toEqual(["load", "one: a"]);
  });

  test("name what is marked", () => {
    const marks = [{ panel: 0, x: 1, label: "knee at 3 users" }];
    expect(render(chart([series("a", points(1))], { marks }))).toContain("Marked: knee at 3 users.");
  });
});
