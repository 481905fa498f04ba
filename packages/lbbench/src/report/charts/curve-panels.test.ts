import { expect, test } from "vitest";
import { aResult, aScenario } from "../../test-support/fixtures.js";
import { aSweep } from "../test-support/sample-results.js";
import { curvePanels } from "./curve-panels.js";
import { collectCurves } from "./curves.js";

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `t${index + 1}`);

test("up to 8 targets share a panel, each with its colour", () => {
  const { panels, places } = curvePanels(collectCurves(aSweep({ targets: numbered(8) })));
  expect(panels).toEqual([""]);
  expect(places.map(({ panel, colorIndex }) => [panel, colorIndex])).toEqual(numbered(8).map((_, index) => [0, index]));
});

test("more targets are spread evenly", () => {
  const { panels, places } = curvePanels(collectCurves(aSweep({ targets: numbered(14) })));
  expect(panels).toEqual(["1 to 5 of 14", "6 to 10 of 14", "11 to 14 of 14"]);
  expect(places.map(({ panel }) => panel)).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2]);
  expect(new Set(places.map(({ colorIndex }) => colorIndex)).size).toBe(14);
});

test("of a grid each choice of the other options has a panel, with the same colours in each", () => {
  const grid = [8, 16, 32].flatMap((pool) => ["a", "b", "c"].map((policy) => `pool pool=${pool} policy=${policy}`));
  const { panels, places } = curvePanels(collectCurves(aSweep({ targets: ["simple", ...grid] })));
  expect(panels).toEqual(["simple", "pool pool=8", "pool pool=16", "pool pool=32"]);
  expect(places.slice(0, 5)).toEqual([
    { panel: 0, name: "as named above the panel", colorIndex: 0 },
    { panel: 1, name: "policy=a", colorIndex: 1 },
    { panel: 1, name: "policy=b", colorIndex: 2 },
    { panel: 1, name: "policy=c", colorIndex: 3 },
    { panel: 2, name: "policy=a", colorIndex: 1 },
  ]);
});

test("of a matrix each target has a panel, with the same colours for the same number of requests", () => {
  const levels = [100, 1000].flatMap((requests) => [1, 10].map((connections) => ({ connections, requests })));
  const targets = ["node", "go"].map((name) => ({ name, server: "url", options: {} }));
  const { panels, places } = curvePanels(collectCurves(aResult({ scenario: aScenario({ levels, targets }) })));
  expect(panels).toEqual(["node", "go"]);
  expect(places).toEqual([
    { panel: 0, name: "100 requests", colorIndex: 0 },
    { panel: 0, name: "1,000 requests", colorIndex: 1 },
    { panel: 1, name: "100 requests", colorIndex: 0 },
    { panel: 1, name: "1,000 requests", colorIndex: 1 },
  ]);
});
