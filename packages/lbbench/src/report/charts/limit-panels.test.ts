import { expect, test } from "vitest";
import type { ChartDefinition } from "./chart-definition.js";
import { limitPanels } from "./limit-panels.js";

function aChart(panels: number): ChartDefinition {
  const each = Array.from({ length: panels }, (_, panel) => panel);
  return {
    id: "cpu",
    title: "CPU",
    subtitle: "",
    alt: "",
    x: { label: "connections", scale: "linear", ticks: [1, 2] },
    y: { label: "%", scale: "linear" },
    panels: each.map((panel) => `t${panel}`),
    series: each.map((panel) => ({ name: "a", shape: "line", colorIndex: 0, dash: "solid", panel, points: [] })),
    marks: each.map((panel) => ({ panel, x: 1, label: "" })),
    rules: each.map((panel) => ({ panel, y: 1, label: "" })),
  };
}

test("twelve panels are all drawn", () => {
  const chart = aChart(12);
  expect(limitPanels(chart)).toBe(chart);
});

test("of more the first twelve are drawn with what belongs to them, and it is said that there are more", () => {
  const { panels, series, marks, rules, note } = limitPanels(aChart(1200));
  expect(panels).toHaveLength(12);
  for (const parts of [series, marks, rules])
    expect(parts?.map(({ panel }) => panel)).toEqual(panels.map((_, index) => index));
  expect(note).toBe("the first 12 of 1,200 panels; the tables have all of them");
});
