import { element } from "../element.js";
import type { ChartView } from "./chart-view.js";
import type { NumericScale } from "./zoom-range.js";
import type { ChartDefinition } from "../../src/report/charts/chart-definition.js";

/** What the buttons above a chart do. */
export interface ToolbarActions {
  readonly setScale: (axis: "x" | "y", scale: NumericScale) => void;
  readonly zoom: (factor: number) => void;
  readonly reset: () => void;
}

/** The buttons above a chart; `update` makes them show a view. */
export interface Toolbar {
  readonly element: HTMLElement;
  readonly update: (definition: ChartDefinition, view: ChartView, seen: string) => void;
}

/** One press brings the chart nearer by so much. */
export const ZOOM_STEP = 1.5;

/** Makes the buttons above a chart: the scale of each axis that has a choice, nearer, further, and all of it again. */
export function createToolbar(title: string, axes: readonly ("x" | "y")[], actions: ToolbarActions): Toolbar {
  const scales = axes.map((axis) => ({ axis, button: press(`log ${axis}`, `Logarithmic ${axis} axis`) }));
  const nearer = press("+", "Zoom in", () => actions.zoom(ZOOM_STEP));
  const further = press("−", "Zoom out", () => actions.zoom(1 / ZOOM_STEP));
  const whole = press("reset", "Show all of it again", actions.reset);
  const range = element("span", { class: "chart-range" });
  for (const { axis, button } of scales) {
    button.onclick = () => actions.setScale(axis, button.getAttribute("aria-pressed") === "true" ? "linear" : "log");
  }
  const bar = element(
    "div",
    { class: "chart-toolbar", role: "group", "aria-label": `View of ${title}` },
    ...scales.map(({ button }) => button),
    nearer,
    further,
    whole,
    range,
  );
  return {
    element: bar,
    update: (definition, { zoom }, seen) => {
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

function press(words: string, about: string, onClick?: () => void): HTMLButtonElement {
  const isSymbol = words.length === 1;
  const button = element(
    "button",
    { type: "button", title: about, ...(isSymbol ? { "aria-label": about } : {}) },
    words,
  );
  if (onClick !== undefined) button.onclick = onClick;
  return button;
}
