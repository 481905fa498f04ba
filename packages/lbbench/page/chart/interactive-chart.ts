import { Chart, type ChartConfiguration } from "chart.js";
import { panelAxisId } from "../../src/report/charts/axes.js";
import type { ChartDefinition } from "../../src/report/charts/chart-definition.js";
import { element } from "../element.js";
import {
  applyView,
  type ChartView,
  describeZeros,
  describeZoom,
  keepRange,
  onlyName,
  type Range,
  stretchRange,
  switchableAxes,
  toggleName,
  WHOLE_VIEW,
} from "./chart-view.js";
import { createSelection, createToolbar, createTooltip, legendButtons, paintLegend, ZOOM_STEP } from "./controls.js";
import { listenToGestures, pickPiece, type Place } from "./gestures.js";
import { fullRanges, pageConfig, pageHeight, pageStyle, zoomConfig } from "./page-config.js";
import {
  collectReadings,
  type Direction,
  moveReading,
  panelAt,
  type Reading,
  readingsAt,
  speakReading,
} from "./readings.js";

/** What readers chose, by the id of the chart: a page that gets new content shows it in the same way. */
const CHOSEN = new Map<string, ChartView>();

/** Whoever comes back to where a drag began, in pixels, wants none of it. */
const LEAST_WIDTH = 2;

const HINT =
  "Arrow left and right go from point to point, up and down from series to series; plus, minus and zero zoom. " +
  "With the mouse, drag over a part to see it larger.";

const DIRECTIONS: ReadonlyMap<string, Direction> = new Map([
  ["ArrowLeft", "previous"],
  ["ArrowRight", "next"],
  ["Home", "first"],
  ["End", "last"],
  ["ArrowUp", "series above"],
  ["ArrowDown", "series below"],
]);

/** A chart in the page: draws itself into a box, and again whenever what it looks like changes. */
export class InteractiveChart {
  #definition: ChartDefinition;
  readonly #isDark: () => boolean;
  readonly #plot: HTMLElement;
  readonly #canvas = element("canvas", { "aria-hidden": "true" });
  readonly #legend = element("div", { class: "chart-legend", role: "group" });
  readonly #note = element("p", { class: "chart-note" });
  readonly #live = element("p", { class: "unseen", "aria-live": "polite" });
  readonly #toolbar: ReturnType<typeof createToolbar>;
  readonly #tooltip: ReturnType<typeof createTooltip>;
  readonly #selection: ReturnType<typeof createSelection>;
  readonly #resized: ResizeObserver;
  /** Of the series, each once, and the buttons of the legend for them. */
  #names: readonly string[] = [];
  #buttons: readonly HTMLButtonElement[] = [];
  #drawn: Chart | undefined;
  #shown: ChartDefinition;
  #view: ChartView;
  #full: Readonly<Record<"x" | "y", Range>> = { x: { min: 0, max: 1 }, y: { min: 0, max: 1 } };
  #active: Reading | undefined;
  #width = 0;

  /** Fills `box` and draws the chart; `isDark` is asked each time. */
  constructor(box: HTMLElement, definition: ChartDefinition, isDark: () => boolean) {
    this.#definition = definition;
    this.#shown = definition;
    this.#isDark = isDark;
    this.#view = CHOSEN.get(definition.id) ?? WHOLE_VIEW;
    const hint = element("p", { class: "unseen", id: `hint-${definition.id}` }, HINT);
    this.#plot = element("div", {
      class: "chart-plot",
      tabindex: "0",
      // An application, because in a picture screen readers keep the arrow keys for themselves.
      role: "application",
      "aria-roledescription": "interactive chart",
      "aria-label": `${definition.title}. ${definition.alt}`,
      "aria-describedby": hint.id,
    });
    this.#plot.append(this.#canvas);
    this.#tooltip = createTooltip(this.#plot);
    this.#selection = createSelection(this.#plot);
    this.#toolbar = createToolbar(definition.title, switchableAxes(definition), {
      setScale: (axis, scale) => {
        const { scales, zoom } = this.#view;
        // A piece of a linear axis is another piece of a logarithmic one.
        const { [axis]: _left, ...others } = zoom;
        this.#show({ scales: { ...scales, [axis]: scale }, zoom: others });
      },
      zoom: (factor) => this.#zoomAtMiddle(factor),
      reset: () => this.#show({ zoom: {} }),
    });
    this.#legend.setAttribute("aria-label", `Series of ${definition.title}`);
    this.#listNames();
    box.replaceChildren(this.#toolbar.element, this.#plot, this.#legend, this.#note, hint, this.#live);
    this.#listen();
    this.draw();
    this.#resized = new ResizeObserver(() => {
      if (this.#plot.clientWidth !== this.#width) this.draw();
    });
    this.#resized.observe(this.#plot);
  }

  /** Draws another state of the same chart; what the reader chose stays. */
  update(definition: ChartDefinition): void {
    this.#definition = definition;
    this.#listNames();
    this.draw();
  }

  /** Puts a button for each name into the legend, where others are there. */
  #listNames(): void {
    const names = [...new Set(this.#definition.series.map(({ name }) => name))];
    if (names.join("\n") === this.#names.join("\n")) return;
    this.#names = names;
    this.#buttons = legendButtons(names, {
      toggle: (name) => this.#show({ hidden: toggleName(this.#view.hidden, name) }),
      isolate: (name) => this.#show({ hidden: onlyName(names, this.#view.hidden, name) }),
    });
    this.#legend.replaceChildren(...this.#buttons);
  }

  /** Draws the chart again, in the size and the colours of now. */
  draw(): void {
    this.#width = this.#plot.clientWidth;
    const style = pageStyle(this.#isDark(), this.#width);
    const pixelRatio = Math.max(1, devicePixelRatio);
    const shown = applyView(this.#definition, this.#view);
    const whole = pageConfig(shown, { style, width: this.#width, pixelRatio });
    this.#shown = shown;
    this.#full = fullRanges(whole, shown);
    const [x, y] = (["x", "y"] as const).map((axis) => keepRange(this.#full[axis], this.#view.zoom[axis]));
    this.#view = { ...this.#view, zoom: { ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { y }) } };
    this.#drawn?.destroy();
    const height = pageHeight(shown.panels.length, this.#width);
    Object.assign(this.#canvas, { width: this.#width, height });
    this.#drawn = new Chart(this.#canvas, zoomConfig(whole, shown, this.#view.zoom) as ChartConfiguration);
    paintLegend(this.#buttons, this.#definition, style, pixelRatio);
    this.#buttons.forEach((button, index) => {
      button.setAttribute("aria-pressed", String(!this.#view.hidden.has(this.#names[index] ?? "")));
    });
    this.#note.textContent = describeZeros(shown);
    this.#toolbar.update(shown, this.#view, describeZoom(shown, this.#view.zoom));
  }

  /** Stops drawing; what the reader chose stays known. */
  destroy(): void {
    this.#resized.disconnect();
    this.#drawn?.destroy();
    this.#drawn = undefined;
  }

  #show(change: Partial<ChartView>): void {
    this.#view = { ...this.#view, ...change };
    this.#leave();
    this.draw();
    CHOSEN.set(this.#definition.id, this.#view);
  }

  #zoomTo(x: Range | undefined, y: Range | undefined): void {
    this.#show({ zoom: { ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { y }) } });
  }

  /** What is at a share of the width moves to another, and everything around it grows by a factor. */
  #stretch(from: number, to: number, factor: number): void {
    const { x, y } = this.#view.zoom;
    this.#zoomTo(stretchRange(this.#full.x, x ?? this.#full.x, { from, to, factor }, this.#shown.x.scale), y);
  }

  #zoomAtMiddle(factor: number): void {
    this.#stretch(0.5, 0.5, factor);
  }

  #alongX(left: number): number {
    const axis = this.#drawn?.scales["x"];
    return axis === undefined ? 0 : Math.max(0, Math.min(1, (left - axis.left) / axis.width));
  }

  #pick(from: Place, to: Place, isDone: boolean): void {
    const panel = this.#drawn?.scales[panelAxisId(this.#panelAt(from.top))];
    const area = this.#drawn?.chartArea;
    if (panel === undefined || area === undefined) return;
    this.#leave();
    const piece = pickPiece(from, to, { left: area.left, right: area.right, top: panel.top, bottom: panel.bottom });
    this.#selection(isDone ? undefined : piece);
    if (!isDone || piece.right - piece.left < LEAST_WIDTH) return;
    const seen = { ...this.#full, ...this.#view.zoom };
    const pick = (axis: "x" | "y", start: number, end: number): Range | undefined => {
      const stretch = { from: (start + end) / 2, to: 0.5, factor: 1 / (end - start) };
      return stretchRange(this.#full[axis], seen[axis], stretch, this.#shown[axis].scale);
    };
    const up = (place: number): number => (panel.bottom - place) / panel.height;
    this.#zoomTo(
      pick("x", this.#alongX(piece.left), this.#alongX(piece.right)),
      piece.hasHeight ? pick("y", up(piece.bottom), up(piece.top)) : this.#view.zoom.y,
    );
  }

  #panelAt(top: number): number {
    return this.#drawn === undefined ? 0 : panelAt(this.#drawn, this.#definition.panels.length, top);
  }

  #readings(): readonly Reading[] {
    return this.#drawn === undefined ? [] : collectReadings(this.#drawn, this.#shown);
  }

  #leave(): void {
    this.#active = undefined;
    this.#tooltip.hide();
  }

  #listen(): void {
    listenToGestures(this.#plot, {
      pointAt: ({ left, top }) => this.#point(readingsAt(this.#readings(), this.#panelAt(top), left, top)),
      leave: () => this.#leave(),
      pick: (from, to, isDone) => this.#pick(from, to, isDone),
      stretch: (from, to, factor) => this.#stretch(this.#alongX(from), this.#alongX(to), factor),
    });
    const actions = new Map<string, () => void>([
      ["+", () => this.#zoomAtMiddle(ZOOM_STEP)],
      ["=", () => this.#zoomAtMiddle(ZOOM_STEP)],
      ["-", () => this.#zoomAtMiddle(1 / ZOOM_STEP)],
      ["0", () => this.#show({ zoom: {} })],
      ["Escape", () => this.#leave()],
      ...[...DIRECTIONS].map(([key, direction]) => [key, () => this.#move(direction)] as const),
    ]);
    this.#plot.addEventListener("keydown", (event) => {
      const action = actions.get(event.key);
      if (action === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      action();
    });
    this.#plot.addEventListener("blur", () => this.#leave());
  }

  #point(readings: readonly Reading[]): void {
    const panel = this.#drawn?.scales[panelAxisId(readings[0]?.series.panel ?? 0)];
    if (panel !== undefined) this.#tooltip.show(readings, this.#shown, panel);
  }

  #move(direction: Direction): void {
    this.#active = moveReading(this.#readings(), this.#active, direction);
    if (this.#active === undefined) return;
    this.#point([this.#active]);
    this.#live.textContent = speakReading(this.#active, this.#shown);
  }
}
