import type { ChartDefinition } from "../../src/report/charts/chart-definition.js";
import { element } from "../element.js";
import { describePlace, describeReading, type Reading } from "./readings.js";

const DISTANCE = 14;
const LONGEST_UNIT = 4;

/** The words beside the points that are pointed at, and a ring around each. */
export interface Tooltip {
  /** `panel` is where the panel of these points begins and ends. */
  show(readings: readonly Reading[], definition: ChartDefinition, panel: Panel): void;
  hide(): void;
}

/** A panel's part of a chart's height, in CSS pixels. */
export interface Panel {
  readonly top: number;
  readonly bottom: number;
}

/** Makes the tooltip of a chart, hidden, inside the element that the chart is drawn in. */
export function createTooltip(plot: HTMLElement): Tooltip {
  // Those who hear the page are told by its live text.
  const box = element("div", { class: "chart-tooltip", "aria-hidden": "true" });
  const line = element("div", { class: "chart-crosshair", "aria-hidden": "true" });
  const rings = element("div", { class: "chart-rings", "aria-hidden": "true" });
  box.hidden = line.hidden = rings.hidden = true;
  plot.append(line, rings, box);
  return {
    show: (readings, definition, { top, bottom }) => {
      const [first] = readings;
      if (first === undefined) return;
      box.replaceChildren(...words(readings, definition));
      rings.replaceChildren(...readings.map(ring));
      box.hidden = line.hidden = rings.hidden = false;
      Object.assign(line.style, { left: `${first.left}px`, top: `${top}px`, height: `${bottom - top}px` });
      place(box, plot, readings);
    },
    hide: () => {
      box.hidden = line.hidden = rings.hidden = true;
    },
  };
}

function words(readings: readonly Reading[], definition: ChartDefinition): readonly HTMLElement[] {
  const [first] = readings;
  const panel = definition.panels[first?.series.panel ?? 0] ?? "";
  const place = first === undefined ? "" : describePlace(first, definition);
  const head = element("p", { class: "chart-tooltip-head" }, panel === "" ? place : `${panel} · ${place}`);
  const units = [...new Set(readings.map((reading) => describeReading(reading, definition).unit))];
  // A long unit is said once for all.
  const [common = ""] = units;
  const isOnce = units.length === 1 && common.length > LONGEST_UNIT;
  return [
    head,
    ...(isOnce ? [element("p", { class: "chart-tooltip-detail" }, common)] : []),
    ...readings.map((reading) => row(reading, definition, !isOnce)),
  ];
}

function row(reading: Reading, definition: ChartDefinition, hasUnit: boolean): HTMLElement {
  const { name, value, unit, details } = describeReading(reading, definition);
  const swatch = element("span", { class: "chart-swatch" });
  swatch.style.background = reading.color;
  return element(
    "p",
    {},
    swatch,
    element("span", { class: "chart-tooltip-name" }, name),
    " ",
    element("b", {}, hasUnit ? `${value} ${unit}` : value),
    ...details.flatMap((detail) => [" ", element("span", { class: "chart-tooltip-detail" }, detail)]),
  );
}

function ring({ left, top, color }: Reading): HTMLElement {
  const made = element("div");
  Object.assign(made.style, { left: `${left}px`, top: `${top}px`, borderColor: color });
  return made;
}

/** Beside the points where there is room, else below or above them, and never beyond the chart to the side. */
function place(box: HTMLElement, plot: HTMLElement, readings: readonly Reading[]): void {
  const tops = readings.map((reading) => reading.top);
  const [left, top, bottom] = [readings[0]?.left ?? 0, Math.min(...tops), Math.max(...tops)];
  const { offsetWidth: width, offsetHeight: height } = box;
  const [atRight, atLeft] = [left + DISTANCE, left - DISTANCE - width];
  const isBeside = atRight + width <= plot.clientWidth || atLeft >= 0;
  const beside = atRight + width <= plot.clientWidth ? atRight : atLeft;
  const below = bottom + DISTANCE + height <= plot.clientHeight ? bottom + DISTANCE : top - DISTANCE - height;
  const besideTop = Math.max(0, Math.min(top - DISTANCE, plot.clientHeight - height));
  box.style.left = `${isBeside ? beside : Math.max(0, Math.min(atRight, plot.clientWidth - width))}px`;
  box.style.top = `${isBeside ? besideTop : below}px`;
}
