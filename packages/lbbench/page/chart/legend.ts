import { drawPointLegend } from "chart.js/helpers";
import type { Chart, LegendItem } from "chart.js";
import type { ChartDefinition } from "../../src/report/charts/chart-definition.js";
import { chartLegend } from "../../src/report/charts/chart-config.js";
import type { ChartStyle } from "../../src/report/charts/picture-style.js";
import { element } from "../element.js";

const SWATCH = { width: 28, height: 14, radius: 5 } as const;

/** What a reader does with an entry: show or hide it, or see it alone. */
export interface LegendActions {
  readonly toggle: (name: string) => void;
  readonly isolate: (name: string) => void;
}

/** Returns a button for each name of a chart, with a piece of its line; pressed means shown. */
export function legendButtons(
  definition: ChartDefinition,
  hidden: ReadonlySet<string>,
  actions: LegendActions,
): readonly HTMLButtonElement[] {
  const names = [...new Set(definition.series.map(({ name }) => name))];
  return names.map((name) => {
    const button = element(
      "button",
      {
        type: "button",
        "aria-pressed": String(!hidden.has(name)),
        title: "Show or hide; with shift, or twice: only this",
      },
      element("canvas", { "aria-hidden": "true" }),
      element("span", {}, name),
    );
    button.onclick = ({ shiftKey }) => (shiftKey ? actions.isolate(name) : actions.toggle(name));
    button.ondblclick = () => actions.isolate(name);
    return button;
  });
}

/** Draws the piece of its line into each button, in the colours of now. */
export function paintLegend(
  buttons: readonly HTMLButtonElement[],
  chart: Chart,
  definition: ChartDefinition,
  style: ChartStyle,
  pixelRatio: number,
): void {
  const { labels } = chartLegend(definition, style);
  const items = labels.generateLabels?.(chart) ?? [];
  buttons.forEach((button, index) => {
    const canvas = button.querySelector("canvas");
    const item = items[index];
    if (canvas !== null && item !== undefined) paint(canvas, item, pixelRatio);
  });
}

function paint(canvas: HTMLCanvasElement, item: LegendItem, pixelRatio: number): void {
  const { width, height, radius } = SWATCH;
  Object.assign(canvas, { width: width * pixelRatio, height: height * pixelRatio });
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.scale(pixelRatio, pixelRatio);
  context.fillStyle = item.fillStyle ?? "";
  context.strokeStyle = item.strokeStyle ?? "";
  context.lineWidth = item.lineWidth ?? 1;
  context.setLineDash(item.lineDash ?? []);
  const { pointStyle = "circle", lineWidth = 1 } = item;
  // Only a line is stretched; 0 leaves a marker its shape.
  const length = pointStyle === "line" ? width : 0;
  drawPointLegend(context, { pointStyle, radius, borderWidth: lineWidth }, width / 2, height / 2, length);
}
