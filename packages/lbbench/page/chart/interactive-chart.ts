import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartConfiguration,
  Filler,
  Legend,
  type LegendItem,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  type Scale,
  Tooltip,
  type TooltipItem,
} from "chart.js";
import zoomPlugin from "chartjs-plugin-zoom";
import { isPieceOfStack } from "../../src/report/charts/axes.js";
import { chartConfig, chartLegend } from "../../src/report/charts/chart-config.js";
import type { ChartDefinition, ChartPoint } from "../../src/report/charts/chart-definition.js";
import type { ChartStyle } from "../../src/report/charts/picture-style.js";
import { shortenName } from "../../src/report/plain-line.js";
import { isDark, onSchemeChange } from "../color-scheme.js";
import { element } from "../element.js";
import { pageHeight, pageStyle } from "./page-style.js";
import { describePlace, describeReading } from "./point-words.js";

// Only what charts of ours are made of, so that the rest stays out of the page.
Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  Tooltip,
  zoomPlugin,
);

type Axis = "x" | "y";

/** What a reader chose to see of a chart; absent: as the chart is defined. */
interface ChartView {
  /** Names of series that are not drawn. */
  readonly hidden: ReadonlySet<string>;
  readonly scales: { readonly [axis in Axis]?: "linear" | "log" };
  /** The part of the x axis that is seen. */
  readonly x?: { readonly min: number; readonly max: number } | undefined;
}

/** What readers chose, by the id of the chart: a page that gets new content shows it in the same way. */
const CHOSEN = new Map<string, ChartView>();

/** A chart in the page: draws itself into a box, and again whenever its size or the colours of the page change. */
export class InteractiveChart {
  #definition: ChartDefinition;
  readonly #plot = element("div", { class: "chart-plot" });
  readonly #canvas = element("canvas", { role: "img" });
  readonly #scales: readonly (readonly [axis: Axis, button: HTMLButtonElement])[];
  readonly #whole = element("button", { type: "button" }, "reset");
  readonly #ended = new AbortController();
  #drawn: Chart | undefined;
  #width = 0;

  /** Fills `box` and draws the chart. */
  constructor(box: HTMLElement, definition: ChartDefinition) {
    this.#definition = definition;
    // The figures are in the table beneath, which is read and heard.
    this.#canvas.setAttribute("aria-label", `${definition.title}. ${definition.alt}`);
    this.#plot.append(this.#canvas);
    this.#scales = switchableAxes(definition).map((axis) => {
      const button = element("button", { type: "button", title: `Logarithmic ${axis} axis` }, `log ${axis}`);
      button.onclick = () => {
        const scale = this.#shown()[axis].scale === "log" ? "linear" : "log";
        this.#show({ scales: { ...this.#view.scales, [axis]: scale }, ...(axis === "x" ? { x: undefined } : {}) });
      };
      return [axis, button] as const;
    });
    this.#whole.title = "Show all of it again. Drag over a part to see it larger.";
    this.#whole.onclick = () => this.#show({ x: undefined });
    const label = { class: "chart-toolbar", role: "group", "aria-label": `View of ${definition.title}` };
    box.replaceChildren(element("div", label, ...this.#scales.map(([, button]) => button), this.#whole), this.#plot);
    this.#draw();
    const resized = new ResizeObserver(() => {
      if (this.#plot.clientWidth !== this.#width) this.#draw();
    });
    resized.observe(this.#plot);
    const { signal } = this.#ended;
    signal.addEventListener("abort", () => resized.disconnect());
    onSchemeChange(() => this.#draw(), signal);
  }

  /** Draws another state of the same chart; what the reader chose stays. */
  update(definition: ChartDefinition): void {
    this.#definition = definition;
    this.#draw();
  }

  /** Draws the chart again, in the size and the colours of now. */
  #draw(): void {
    this.#width = this.#plot.clientWidth;
    this.#drawn?.destroy();
    const shown = this.#shown();
    Object.assign(this.#canvas, { width: this.#width, height: pageHeight(shown.panels.length, this.#width) });
    const config = this.#config(shown, pageStyle(isDark(), this.#width));
    this.#drawn = new Chart(this.#canvas, config as ChartConfiguration);
    for (const [axis, button] of this.#scales) button.setAttribute("aria-pressed", String(shown[axis].scale === "log"));
    this.#markZoom();
  }

  /** Stops drawing; what the reader chose stays known. */
  destroy(): void {
    this.#ended.abort();
    this.#drawn?.destroy();
    this.#drawn = undefined;
  }

  get #view(): ChartView {
    return CHOSEN.get(this.#definition.id) ?? { hidden: new Set(), scales: {} };
  }

  #choose(change: Partial<ChartView>): void {
    CHOSEN.set(this.#definition.id, { ...this.#view, ...change });
  }

  #show(change: Partial<ChartView>): void {
    this.#choose(change);
    this.#draw();
  }

  #markZoom(): void {
    // Not `disabled`, which would drop the focus of who has just pressed it.
    this.#whole.setAttribute("aria-disabled", String(this.#view.x === undefined));
  }

  /** The definition as the reader wants to see it: without what is hidden, on the scales that were chosen. */
  #shown(): ChartDefinition {
    const { x, y, series, ...others } = this.#definition;
    const { hidden, scales } = this.#view;
    return {
      ...others,
      x: { ...x, scale: scales.x ?? x.scale },
      y: { ...y, scale: scales.y ?? y.scale },
      series: series.filter(({ name }) => !hidden.has(name)),
    };
  }

  /** The picture of PNG without its title, with what chart.js offers to those who point at it. */
  #config(shown: ChartDefinition, style: ChartStyle): object {
    const room = Math.floor(this.#width / (style.labelSize * CHARACTER));
    const panels = shown.panels.map((title) => shortenName(title, room));
    const { options = {}, ...config } = chartConfig({ ...shown, panels }, style);
    const { x: axis, ...axes } = (options.scales ?? {}) as Record<string, Axes>;
    const { min, max, afterBuildTicks } = axis ?? {};
    const x = {
      ...axis,
      ...this.#view.x,
      // Of a part, the ticks that chart.js finds for it.
      afterBuildTicks: (scale: Scale) => {
        if (this.#view.x === undefined && scale.min === min) afterBuildTicks?.(scale);
      },
    };
    return {
      ...config,
      options: {
        ...options,
        devicePixelRatio: Math.max(1, devicePixelRatio),
        scales: { x: shown.x.scale === "category" ? axis : x, ...axes },
        interaction: { mode: "nearest", axis: "x", intersect: false },
        plugins: {
          title: { display: false },
          subtitle: { display: false },
          legend: this.#legend(style, options.plugins?.legend as { readonly labels: object }),
          tooltip: {
            callbacks: tooltipWords(shown),
            backgroundColor: style.background,
            borderColor: style.border,
            borderWidth: 1,
            titleColor: style.text,
            bodyColor: style.text,
            titleFont: { family: style.fontFamily, size: style.tickSize },
            bodyFont: { family: style.fontFamily, size: style.tickSize },
            boxPadding: 4,
            usePointStyle: true,
          },
          zoom: this.#zoom(shown, { min, max }),
        },
      },
    };
  }

  /** An entry for each name. Pressed, it hides that name or shows it again; with shift it is seen alone, or all are. */
  #legend(style: ChartStyle, { labels }: { readonly labels: object }): object {
    const names = [...new Set(this.#definition.series.map(({ name }) => name))];
    const { items } = chartLegend(this.#definition, style);
    const { hidden } = this.#view;
    return {
      position: "bottom",
      labels: {
        ...labels,
        generateLabels: () => items.map((item, index) => ({ ...item, hidden: hidden.has(names[index] ?? "") })),
      },
      onClick: ({ native }: { readonly native: MouseEvent | null }, { datasetIndex = 0 }: LegendItem) => {
        const pressed = this.#definition.series[datasetIndex]?.name ?? "";
        const others = names.filter((name) => name !== pressed);
        const isAlone = !hidden.has(pressed) && others.every((name) => hidden.has(name));
        const toggled = hidden.has(pressed) ? [...hidden].filter((name) => name !== pressed) : [...hidden, pressed];
        this.#show({ hidden: new Set(native?.shiftKey ? (isAlone ? [] : others) : toggled) });
      },
    };
  }

  /** A drag, two fingers, or the wheel with ctrl (which is what touchpads send for a pinch): plain scrolling stays with the page. */
  #zoom({ x: { scale } }: ChartDefinition, limits: object): object {
    const isOn = scale !== "category";
    return {
      limits: { x: limits },
      zoom: {
        mode: "x",
        drag: { enabled: isOn },
        pinch: { enabled: isOn },
        wheel: { enabled: isOn, modifierKey: "ctrl" },
        onZoomComplete: ({ chart }: { readonly chart: Chart }) => {
          const { min = 0, max = 0 } = chart.scales["x"] ?? {};
          this.#choose({ x: { min, max } });
          this.#markZoom();
        },
      },
    };
  }
}

/** Width of a character of a bold title, as a share of its size. */
const CHARACTER = 0.6;

interface Axes {
  readonly min?: number;
  readonly max?: number;
  readonly afterBuildTicks?: (scale: Scale) => void;
}

/** Says which axes of a chart can be both linear and logarithmic. */
export function switchableAxes({ x, y: { base }, series }: ChartDefinition): readonly Axis[] {
  const points = series.flatMap((one) => one.points);
  const places = [...points.map((point) => point.x), ...(x.ticks ?? [])];
  // An axis with words of its own at its ticks shows something else than the numbers it is drawn by.
  const isPlain = x.scale !== "category" && x.labels === undefined;
  const hasX = isPlain && places.every((place) => typeof place === "number" && place > 0);
  // Pieces of a stack have no height of their own on a logarithmic axis, nor has 0, and bars that begin at a value may go below it.
  const hasY =
    base === undefined &&
    !series.some((one) => isPieceOfStack(one, series)) &&
    points.some(({ y }) => y !== null) &&
    points.every(({ y, low = Infinity }) => y === null || Math.min(y, low) > 0);
  return [...(hasX ? (["x"] as const) : []), ...(hasY ? (["y"] as const) : [])];
}

function tooltipWords(shown: ChartDefinition) {
  // Bars of no height are drawn as if they were not there.
  const pointOf = ({ datasetIndex, dataIndex, raw }: TooltipItem<"line">): ChartPoint =>
    shown.series[datasetIndex]?.points[dataIndex] ?? (raw as ChartPoint);
  return {
    title: ([first]: readonly TooltipItem<"line">[]) =>
      first === undefined ? "" : describePlace(pointOf(first), shown.x),
    label: (item: TooltipItem<"line">) => {
      const series = shown.series[item.datasetIndex];
      return series === undefined ? "" : [...describeReading(series, pointOf(item), shown)];
    },
  };
}
