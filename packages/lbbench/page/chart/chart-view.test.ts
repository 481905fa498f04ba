import { describe, expect, test } from "vitest";
import { chartDefinitions } from "../../src/report/charts/chart-definitions.js";
import type { ChartDefinition } from "../../src/report/charts/chart-definition.js";
import { aSweep, withFailures } from "../../src/report/test-support/sample-results.js";
import { applyView, countZeros, onlyName, switchableAxes, toggleName, WHOLE_VIEW } from "./chart-view.js";

const charts = new Map(
  chartDefinitions(aSweep({ change: (step) => withFailures(step, 0.1) })).map((one) => [one.id, one]),
);

function chart(id: string): ChartDefinition {
  const found = charts.get(id);
  expect(found, id).toBeDefined();
  return found as ChartDefinition;
}

/** The throughput of a sweep, with other places along x. */
function placed(...places: readonly (number | string)[]): ChartDefinition {
  const throughput = chart("throughput");
  const points = places.map((x) => ({ x, y: 1 }));
  return {
    ...throughput,
    x: { ...throughput.x, ticks: places },
    series: throughput.series.map((one) => ({ ...one, points })),
  };
}

describe("a view", () => {
  test("of all of a chart is the chart", () => {
    expect(applyView(chart("throughput"), WHOLE_VIEW)).toEqual(chart("throughput"));
  });

  test("leaves out what is hidden", () => {
    const shown = applyView(chart("throughput"), { ...WHOLE_VIEW, hidden: new Set(["single"]) });
    expect(shown.series.map(({ name }) => name)).not.toContain("single");
    expect(shown.series.map(({ name }) => name)).toContain("balanced");
  });

  test("says of a logarithmic axis that it is one, and of a linear one nothing", () => {
    const { x } = applyView(chart("throughput"), { ...WHOLE_VIEW, scales: { x: "linear", y: "log" } });
    expect(x).toMatchObject({ label: "connections", scale: "linear" });
    const { y } = applyView(chart("latency"), { ...WHOLE_VIEW, scales: { y: "log" } });
    expect(y).toMatchObject({ label: "latency (ms, log scale)", scale: "log" });
  });
});

describe("axes that can be switched", () => {
  test("are both of throughput against connections", () => {
    expect(switchableAxes(chart("throughput"))).toEqual(["x", "y"]);
  });

  test("do not hold categories, or places that have no logarithm", () => {
    expect(switchableAxes(placed("a", "b"))).toEqual(["y"]);
    expect(switchableAxes(placed(0, 1, 2))).toEqual(["y"]);
  });

  test("do not hold places that are called otherwise than they are drawn", () => {
    const named = placed(1, 2);
    expect(switchableAxes({ ...named, x: { ...named.x, labels: ["0 %", "50 %"] } })).toEqual(["y"]);
  });

  test("do not hold values that stand on one another, or that begin elsewhere than at 0", () => {
    expect(switchableAxes(chart("errors"))).toEqual([]);
    const based = { ...chart("throughput"), y: { ...chart("throughput").y, base: 0 } };
    expect(switchableAxes(based)).toEqual(["x"]);
  });

  test("do not hold values of which none has a logarithm", () => {
    const zeros = placed(1, 2);
    const series = zeros.series.map((one) => ({ ...one, points: one.points.map((point) => ({ ...point, y: 0 })) }));
    expect(switchableAxes({ ...zeros, series })).toEqual(["x"]);
  });
});

test("zeros are counted, gaps are not", () => {
  const [first] = placed(1, 2, 3).series;
  const points = [
    { x: 1, y: 0 },
    { x: 2, y: null },
    { x: 3, y: 4 },
  ];
  expect(countZeros({ ...placed(1), series: first === undefined ? [] : [{ ...first, points }] })).toBe(1);
});

describe("the names of a legend", () => {
  test("are hidden and shown again", () => {
    const hidden = toggleName(new Set(), "a");
    expect([...hidden]).toEqual(["a"]);
    expect([...toggleName(hidden, "a")]).toEqual([]);
  });

  test("are seen alone, and with the others again", () => {
    const names = ["a", "b", "c"];
    const alone = onlyName(names, new Set(["a"]), "a");
    expect([...alone]).toEqual(["b", "c"]);
    expect([...onlyName(names, alone, "a")]).toEqual([]);
    expect([...onlyName(names, alone, "b")]).toEqual(["a", "c"]);
  });
});
