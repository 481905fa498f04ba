import type { Chart as DrawnByChartJs, ChartConfiguration } from "chart.js";
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
  pickRange,
  type Range,
  type Stretch,
  stretchRange,
  switchableAxes,
  toggleName,
  WHOLE_VIEW,
} from "./chart-view.js";
import {
  createSelection,
  createToolbar,
  createTooltip,
  legendButtons,
  paintLegend,
  type Toolbar,
  type Tooltip,
} from "./controls.js";
import { keyActions, listenToGestures, pickPiece, type Place } from "./gestures.js";
import { Chart, pageConfig, pageHeight, pageStyle } from "./page-config.js";
import { collectReadings, panelAt, type Reading, readingsAt, speakReading } from "./readings.js";

/** What readers chose, by the id of the chart: a page that gets new content shows it in the same way. */
const CHOSEN = new Map<string, ChartView>();

/** Whoever comes back to where a drag began, in pixels, wants none of it. */
const LEAST_WIDTH = 2;

const HINT =
  "Arrow left and right go from point to point, up and down from series to series; plus, minus and zero zoom. " +
  "With the mouse, drag over a part to see it larger.";

/** A chart in the page: draws itself into a box, and again whenever what it looks like changes. */
export class InteractiveChart {
  #definition: ChartDefinition;
  readonly #isDark: () => boolean;
  readonly #plot: HTMLElement;
  readonly #canvas = element("canvas", { "aria-hidden": "true" });
  readonly #legend = element("div", { class: "chart-legend", role: "group" });
  readonly #note = element("p", { class: "chart-note" });
  readonly #live = element("p", { class: "unseen", "aria-live": "polite" });
  readonly #toolbar: Toolbar;
  readonly #tooltip: Tooltip;
  readonly #selection: ReturnType<typeof createSelection>;
  readonly #resized: ResizeObserver;
  /** Of the series, each once, and the buttons of the legend for them. */
  #names: readonly string[] = [];
  #buttons: readonly HTMLButtonElement[] = [];
  #drawn: DrawnByChartJs | undefined;
  #shown: ChartDefinition;
  #view: ChartView;
  #full: Readonly<Record<"x" | "y", Range>> = { x: { min: 0, max: 1 }, y: { min: 0, max: 1 } };
  #pinched: Range | undefined;
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
      zoom: (factor) => this.#zoomBy({ from: 0.5, to: 0.5, factor }),
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
    const { panels } = this.#definition;
    const style = pageStyle(this.#isDark(), this.#width);
    const height = pageHeight(panels.length, this.#width);
    this.#shown = applyView(this.#definition, this.#view);
    this.#drawn?.destroy();
    Object.assign(this.#canvas, { width: this.#width, height });
    const pixelRatio = Math.max(1, devicePixelRatio);
    const isZoomed = (): boolean => this.#isZoomed();
    const config = pageConfig(this.#shown, { style, width: this.#width, pixelRatio, isZoomed });
    // What all of the axes is can be read from the chart when it is not zoomed.
    const { zoom } = this.#view;
    this.#view = { ...this.#view, zoom: {} };
    this.#drawn = new Chart(this.#canvas, config as ChartConfiguration);
    this.#full = { x: this.#range("x"), y: this.#range(panelAxisId(0)) };
    const { x, y } = this.#shown;
    this.#zoomTo(keepRange(this.#full.x, zoom.x, x.scale), keepRange(this.#full.y, zoom.y, y.scale));
    paintLegend(this.#buttons, this.#drawn, this.#definition, style, pixelRatio);
    this.#describe();
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

  #describe(): void {
    const { hidden } = this.#view;
    this.#buttons.forEach((button, index) => {
      button.setAttribute("aria-pressed", String(!hidden.has(this.#names[index] ?? "")));
    });
    this.#note.textContent = describeZeros(this.#shown);
    this.#toolbar.update(this.#shown, this.#view, describeZoom(this.#shown, this.#view.zoom));
  }

  #isZoomed(): boolean {
    return this.#view.zoom.x !== undefined || this.#view.zoom.y !== undefined;
  }

  #range(axis: string): Range {
    const { min = 0, max = 1 } = this.#drawn?.scales[axis] ?? {};
    return { min, max };
  }

  #zoomTo(x: Range | undefined, y: Range | undefined): void {
    const zoom = { ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { y }) };
    const isAsBefore = !this.#isZoomed() && x === undefined && y === undefined;
    this.#view = { ...this.#view, zoom };
    CHOSEN.set(this.#definition.id, this.#view);
    const scales = this.#drawn?.options.scales;
    if (isAsBefore || scales === undefined) return;
    Object.assign(scales["x"] ?? {}, x ?? this.#full.x);
    // Panels are compared by eye, so they keep the same ends.
    this.#definition.panels.forEach((_, panel) => Object.assign(scales[panelAxisId(panel)] ?? {}, y ?? this.#full.y));
    this.#drawn?.update("none");
    this.#describe();
  }

  #zoomBy(stretch: Stretch, seen: Range = this.#range("x")): void {
    this.#leave();
    this.#zoomTo(stretchRange(this.#full.x, seen, stretch, this.#shown.x.scale), this.#view.zoom.y);
  }

  #alongX(left: number): number {
    const axis = this.#drawn?.scales["x"];
    return axis === undefined ? 0 : (left - axis.left) / axis.width;
  }

  #pick(from: Place, to: Place, isDone: boolean): void {
    const panel = this.#drawn?.scales[panelAxisId(this.#panelAt(from.top))];
    const area = this.#drawn?.chartArea;
    if (panel === undefined || area === undefined) return;
    this.#leave();
    const piece = pickPiece(from, to, { left: area.left, right: area.right, top: panel.top, bottom: panel.bottom });
    this.#selection(isDone ? undefined : piece);
    if (!isDone || piece.right - piece.left < LEAST_WIDTH) return;
    const { x, y } = this.#shown;
    const up = (place: number): number => (panel.bottom - place) / panel.height;
    const [left, right] = [this.#alongX(piece.left), this.#alongX(piece.right)];
    this.#zoomTo(
      pickRange(this.#full.x, this.#range("x"), left, right, x.scale),
      piece.hasHeight
        ? pickRange(this.#full.y, this.#range(panelAxisId(0)), up(piece.bottom), up(piece.top), y.scale)
        : this.#view.zoom.y,
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
      stretch: ({ from, to, factor }, isFirst) => {
        if (isFirst || this.#pinched === undefined) this.#pinched = this.#range("x");
        this.#zoomBy({ from: this.#alongX(from), to: this.#alongX(to), factor }, this.#pinched);
      },
      wheel: ({ left }, factor) => {
        const at = Math.max(0, Math.min(1, this.#alongX(left)));
        this.#zoomBy({ from: at, to: at, factor });
      },
    });
    const keys = keyActions({
      readings: () => this.#readings(),
      active: () => this.#active,
      activate: (reading) => this.#activate(reading),
      zoom: (factor) => this.#zoomBy({ from: 0.5, to: 0.5, factor }),
      reset: () => this.#show({ zoom: {} }),
      leave: () => this.#leave(),
    });
    this.#plot.addEventListener("keydown", keys);
    this.#plot.addEventListener("blur", () => this.#leave());
  }

  #point(readings: readonly Reading[]): void {
    const panel = this.#drawn?.scales[panelAxisId(readings[0]?.series.panel ?? 0)];
    if (panel !== undefined) this.#tooltip.show(readings, this.#shown, panel);
  }

  #activate(reading: Reading): void {
    this.#active = reading;
    this.#point([reading]);
    this.#live.textContent = speakReading(reading, this.#shown);
  }
}
