/** What stands around and over a chart in the page: buttons, legend, the words beside a point, and the frame of what is dragged over. */
import type { LegendItem } from "chart.js";
import { drawPointLegend } from "chart.js/helpers";
import { chartLegend } from "../../src/report/charts/chart-config.js";
import type { ChartDefinition } from "../../src/report/charts/chart-definition.js";
import type { ChartStyle } from "../../src/report/charts/picture-style.js";
import { element } from "../element.js";
import type { ChartView, NumericScale } from "./chart-view.js";
import { describePlace, describeReading, type Reading } from "./readings.js";

/** What the buttons above a chart do. */
interface ToolbarActions {
  readonly setScale: (axis: "x" | "y", scale: NumericScale) => void;
  readonly zoom: (factor: number) => void;
  readonly reset: () => void;
}

/** One press brings the chart nearer by so much. */
export const ZOOM_STEP = 1.5;

/** Makes the buttons above a chart: the scale of each axis that has a choice, nearer, further, and all of it again. */
export function createToolbar(title: string, axes: readonly ("x" | "y")[], actions: ToolbarActions) {
  const press = (words: string, about: string, onClick: () => void): HTMLButtonElement => {
    const label = words.length === 1 ? { "aria-label": about } : {};
    const button = element("button", { type: "button", title: about, ...label }, words);
    button.onclick = onClick;
    return button;
  };
  const scales = axes.map((axis) => {
    const isLog = (): boolean => button.getAttribute("aria-pressed") === "true";
    const button = press(`log ${axis}`, `Logarithmic ${axis} axis`, () =>
      actions.setScale(axis, isLog() ? "linear" : "log"),
    );
    return { axis, button };
  });
  const nearer = press("+", "Zoom in", () => actions.zoom(ZOOM_STEP));
  const further = press("−", "Zoom out", () => actions.zoom(1 / ZOOM_STEP));
  const whole = press("reset", "Show all of it again", actions.reset);
  const range = element("span", { class: "chart-range" });
  const buttons = [...scales.map(({ button }) => button), nearer, further, whole];
  const label = { class: "chart-toolbar", role: "group", "aria-label": `View of ${title}` };
  return {
    element: element("div", label, ...buttons, range),
    /** Makes the buttons show a view; `seen` says in words which part of the axes it is. */
    update: (definition: ChartDefinition, { zoom }: ChartView, seen: string): void => {
      for (const { axis, button } of scales) {
        button.setAttribute("aria-pressed", String(definition[axis].scale === "log"));
      }
      const isWhole = zoom.x === undefined && zoom.y === undefined;
      // Not `disabled`, which would drop the focus of who has just pressed it.
      for (const button of [further, whole]) button.setAttribute("aria-disabled", String(isWhole));
      range.textContent = seen;
    },
  };
}

/** What a reader does with an entry of the legend: show or hide it, or see it alone. */
interface LegendActions {
  readonly toggle: (name: string) => void;
  readonly isolate: (name: string) => void;
}

/** Returns a button for each name of a chart, with a piece of its line; pressed means shown. */
export function legendButtons(names: readonly string[], actions: LegendActions): readonly HTMLButtonElement[] {
  const title = "Show or hide; with shift, or twice: only this";
  return names.map((name) => {
    const canvas = element("canvas", { "aria-hidden": "true" });
    const button = element("button", { type: "button", title }, canvas, element("span", {}, name));
    button.onclick = ({ shiftKey }) => (shiftKey ? actions.isolate(name) : actions.toggle(name));
    button.ondblclick = () => actions.isolate(name);
    return button;
  });
}

/** Draws the piece of its line into each button, in the colours of now. */
export function paintLegend(
  buttons: readonly HTMLButtonElement[],
  definition: ChartDefinition,
  style: ChartStyle,
  pixelRatio: number,
): void {
  const { items } = chartLegend(definition, style);
  buttons.forEach((button, index) => {
    const canvas = button.querySelector("canvas");
    const item = items[index];
    if (canvas !== null && item !== undefined) paint(canvas, item, pixelRatio);
  });
}

const SWATCH = { width: 28, height: 14, radius: 5 } as const;

function paint(canvas: HTMLCanvasElement, item: LegendItem, pixelRatio: number): void {
  const { width, height, radius } = SWATCH;
  Object.assign(canvas, { width: width * pixelRatio, height: height * pixelRatio });
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  const context = canvas.getContext("2d");
  if (context === null) return;
  const { pointStyle = "circle", lineWidth = 1, lineDash = [], fillStyle = "", strokeStyle = "" } = item;
  context.scale(pixelRatio, pixelRatio);
  Object.assign(context, { fillStyle, strokeStyle, lineWidth });
  context.setLineDash(lineDash);
  // Only a line is stretched; 0 leaves a marker its shape.
  const length = pointStyle === "line" ? width : 0;
  drawPointLegend(context, { pointStyle, radius, borderWidth: lineWidth }, width / 2, height / 2, length);
}

/** A panel's part of a chart's height, in CSS pixels. */
interface Panel {
  readonly top: number;
  readonly bottom: number;
}

const pixels = (values: Readonly<Record<string, number>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, `${value}px`]));

/** Puts hidden elements over a chart, which screen readers pass by. */
function addOverlays(plot: HTMLElement, ...names: readonly string[]): readonly HTMLElement[] {
  return names.map((name) => {
    const made = element("div", { class: `chart-${name}`, "aria-hidden": "true" });
    made.hidden = true;
    plot.append(made);
    return made;
  });
}

/**
 * Makes the words beside the points that are pointed at, with a ring around each, hidden, inside the element that the chart is drawn in.
 * Those who hear the page are told by its live text.
 */
export function createTooltip(plot: HTMLElement) {
  const overlays = addOverlays(plot, "crosshair", "rings", "tooltip");
  const [line, rings, box] = overlays as readonly [HTMLElement, HTMLElement, HTMLElement];
  const setHidden = (isHidden: boolean): void => {
    for (const one of overlays) one.hidden = isHidden;
  };
  return {
    /** `panel` is where the panel of these points begins and ends. */
    show: (readings: readonly Reading[], definition: ChartDefinition, { top, bottom }: Panel): void => {
      const [first] = readings;
      if (first === undefined) return;
      box.replaceChildren(...tooltipWords(first, readings, definition));
      rings.replaceChildren(
        ...readings.map((reading) => {
          const ring = element("div");
          Object.assign(ring.style, pixels({ left: reading.left, top: reading.top }), { borderColor: reading.color });
          return ring;
        }),
      );
      setHidden(false);
      Object.assign(line.style, pixels({ left: first.left, top, height: bottom - top }));
      placeTooltip(box, plot, readings);
    },
    hide: (): void => setHidden(true),
  };
}

const LONGEST_UNIT = 4;

function tooltipWords(
  first: Reading,
  readings: readonly Reading[],
  definition: ChartDefinition,
): readonly HTMLElement[] {
  const detail = { class: "chart-tooltip-detail" };
  const panel = definition.panels[first.series.panel] ?? "";
  const place = describePlace(first, definition);
  const rows = readings.map((reading) => ({ reading, ...describeReading(reading, definition) }));
  const units = [...new Set(rows.map(({ unit }) => unit))];
  // A long unit is said once for all.
  const [common = ""] = units;
  const isOnce = units.length === 1 && common.length > LONGEST_UNIT;
  return [
    element("p", { class: "chart-tooltip-head" }, panel === "" ? place : `${panel} · ${place}`),
    ...(isOnce ? [element("p", detail, common)] : []),
    ...rows.map(({ reading, name, value, unit, details }) => {
      const swatch = element("span", { class: "chart-swatch" });
      swatch.style.background = reading.color;
      return element(
        "p",
        {},
        swatch,
        element("span", { class: "chart-tooltip-name" }, name),
        " ",
        element("b", {}, isOnce ? value : `${value} ${unit}`),
        ...details.flatMap((one) => [" ", element("span", detail, one)]),
      );
    }),
  ];
}

const DISTANCE = 14;

/** Beside the points where there is room, else below or above them, and never beyond the chart to the side. */
function placeTooltip(box: HTMLElement, plot: HTMLElement, readings: readonly Reading[]): void {
  const tops = readings.map((reading) => reading.top);
  const [left, top, bottom] = [readings[0]?.left ?? 0, Math.min(...tops), Math.max(...tops)];
  const { offsetWidth: width, offsetHeight: height } = box;
  const [atRight, atLeft] = [left + DISTANCE, left - DISTANCE - width];
  const isRight = atRight + width <= plot.clientWidth;
  const isBeside = isRight || atLeft >= 0;
  const below = bottom + DISTANCE + height <= plot.clientHeight ? bottom + DISTANCE : top - DISTANCE - height;
  const besideTop = Math.max(0, Math.min(top - DISTANCE, plot.clientHeight - height));
  const across = isRight ? atRight : atLeft;
  Object.assign(
    box.style,
    pixels({
      left: isBeside ? across : Math.max(0, Math.min(atRight, plot.clientWidth - width)),
      top: isBeside ? besideTop : below,
    }),
  );
}

/** A rectangle in a chart, in CSS pixels from its corner. */
export interface Rectangle {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Makes the frame around what is dragged over, hidden, inside the element that the chart is drawn in. Nothing hides it again. */
export function createSelection(plot: HTMLElement): (piece: Rectangle | undefined) => void {
  const [frame] = addOverlays(plot, "selection");
  return (piece) => {
    if (frame === undefined) return;
    frame.hidden = piece === undefined;
    if (piece === undefined) return;
    const { left, right, top, bottom } = piece;
    Object.assign(frame.style, pixels({ left, width: right - left, top, height: bottom - top }));
  };
}
