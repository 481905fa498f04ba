import type { Chart } from "chart.js";
import { expect, it } from "vitest";
import { aFaultyResult } from "../test-support/fault-results.js";
import { canvasPlugins } from "./canvas-plugins.js";
import { chartDefinitions } from "./chart-definitions.js";
import { PICTURE } from "./picture-style.js";

const CHARACTER = 12;
const PANEL = 200;
const PER_SECOND = 60;

/** Draws the guides of a chart and returns its vertical lines, and the words with their places. */
function drawGuides(definition: ReturnType<typeof chartDefinitions>[number]) {
  const lines: { x: number; from: number; to: number }[] = [];
  const words: { text: string; left: number; right: number; top: number; bottom: number }[] = [];
  let start = { x: 0, y: 0 };
  const told = {
    measureText: (text: string) => ({ width: text.length * CHARACTER }),
    moveTo: (x: number, y: number) => (start = { x, y }),
    lineTo: (x: number, y: number) => x === start.x && lines.push({ x, from: start.y, to: y }),
    fillText: (text: string, left: number, top: number) =>
      words.push({ text, left, right: left + text.length * CHARACTER, top, bottom: top + PICTURE.tickSize }),
  };
  const ctx = new Proxy(told, { get: (all, name) => Reflect.get(all, name) ?? (() => undefined), set: () => true });
  const panels = (definition.panels ?? []).map(
    (_, at) => [`y${at}`, { top: at * PANEL, bottom: at * PANEL + PANEL - 20, getPixelForValue: () => 0 }] as const,
  );
  const x = { getPixelForValue: (second: number) => second * PER_SECOND };
  const chart = { ctx, chartArea: { left: 0, right: 900 }, scales: { x, ...Object.fromEntries(panels) } };
  const guides = canvasPlugins(definition, { ...PICTURE, palette: [] }).find(({ id }) => id === "guides");
  guides?.afterDatasetsDraw?.(chart as unknown as Chart, {}, {}, false);
  return { lines, words };
}

it("no mark runs through words, and no words touch others", () => {
  const faults = [3000, 4000, 6000, 7000].map((at, index) => [index % 2 === 0 ? "pause" : "resume", at] as const);
  const [chart] = chartDefinitions(aFaultyResult({ faults }));
  if (chart === undefined) throw new Error("there is no chart");
  const { lines, words } = drawGuides(chart);
  expect(words).toHaveLength(12);
  expect(new Set(lines.map(({ x }) => x)).size).toBe(4);
  const struck = words.filter(({ left, right, top, bottom }) =>
    lines.some(({ x, from, to }) => x > left && x < right && from < bottom && to > top),
  );
  expect(struck).toEqual([]);
  const touched = words.filter((one) =>
    words.some(
      (other) =>
        other !== one &&
        other.left < one.right + CHARACTER &&
        one.left < other.right + CHARACTER &&
        other.top < one.bottom &&
        one.top < other.bottom,
    ),
  );
  expect(touched).toEqual([]);
});
