import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  type Plugin,
  PointElement,
  type Scale,
} from "chart.js";
import { panelAxisId } from "../../src/report/charts/axes.js";
import { chartConfig, type DrawnChart } from "../../src/report/charts/chart-config.js";
import type { ChartDefinition } from "../../src/report/charts/chart-definition.js";
import { type ChartStyle, PALETTE, PICTURE } from "../../src/report/charts/picture-style.js";
import { shortenName } from "../../src/report/plain-line.js";
import { type ChartView, type Range, ticksWithin } from "./chart-view.js";

// Only what charts of ours are made of, so that the rest stays out of the page.
Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
);

/** What a chart in the page has beyond its definition. */
interface PageChart {
  readonly style: ChartStyle;
  /** In CSS pixels. */
  readonly width: number;
  /** Pixels of the screen to one of CSS. */
  readonly pixelRatio: number;
}

/** Width of a character of a bold title, as a share of its size. */
const CHARACTER = 0.6;

/** Turns a definition into what chart.js draws in the page: the picture of PNG without its words above and below. */
export function pageConfig(definition: ChartDefinition, { style, width, pixelRatio }: PageChart): DrawnChart {
  const room = Math.floor(width / (style.labelSize * CHARACTER));
  const panels = definition.panels.map((title) => shortenName(title, room));
  const config = chartConfig({ ...definition, panels }, style);
  // These words are HTML around the chart.
  const plugins = { title: { display: false }, subtitle: { display: false }, legend: { display: false } };
  return { ...config, options: { ...config.options, events: [], plugins, devicePixelRatio: pixelRatio } };
}

/** Returns all of the axes of a chart; of categories the first and the last index. */
export function fullRanges(config: DrawnChart, { x: axis }: ChartDefinition): Readonly<Record<"x" | "y", Range>> {
  const scales = scalesOf(config);
  const rangeOf = ({ min = 0, max = 1 }: Partial<Range> = {}): Range => ({ min, max });
  const categories = { min: 0, max: (axis.ticks ?? []).length - 1 };
  return { x: axis.scale === "category" ? categories : rangeOf(scales["x"]), y: rangeOf(scales[panelAxisId(0)]) };
}

type PageScale = Partial<Range> & { readonly afterBuildTicks?: (axis: Scale) => void };

function scalesOf({ options }: DrawnChart): Readonly<Record<string, PageScale>> {
  return (options?.scales ?? {}) as Readonly<Record<string, PageScale>>;
}

/** Pixels of an axis to a tick that is at a round number. */
const PIXELS_TO_A_TICK = { x: 90, y: 45 } as const;

/**
 * Returns a configuration that shows a part of the axes, with those ticks of the whole that are seen, or round numbers where these are
 * too few. Panels are compared by eye, so they keep the same ends.
 */
export function zoomConfig(config: DrawnChart, definition: ChartDefinition, zoom: ChartView["zoom"]): DrawnChart {
  const scales = Object.entries(scalesOf(config)).map(([id, scale]): [string, PageScale] => {
    const axis = id === "x" ? "x" : "y";
    const range = id === "x" || /^y\d/.test(id) ? zoom[axis] : undefined;
    const { scale: kind, labels } = definition[axis];
    if (range === undefined) return [id, scale];
    if (kind === "category") return [id, { ...scale, ...range }];
    const afterBuildTicks = (drawn: Scale): void => {
      scale.afterBuildTicks?.(drawn);
      const inside = drawn.ticks.map(({ value }) => value).filter((tick) => tick >= range.min && tick <= range.max);
      const most = (id === "x" ? drawn.width : drawn.height) / PIXELS_TO_A_TICK[axis];
      const ticks = labels === undefined ? ticksWithin(inside, range, kind, most) : inside;
      drawn.ticks = ticks.map((value) => ({ value }));
    };
    return [id, { ...scale, ...range, afterBuildTicks }];
  });
  const isZoomed = zoom.x !== undefined || zoom.y !== undefined;
  const options = { ...config.options, scales: Object.fromEntries(scales) } as DrawnChart["options"];
  return { ...config, options, plugins: isZoomed ? clip(config.plugins ?? []) : (config.plugins ?? []) };
}

/** As much as a line is thick, so that one along the end of an axis is seen. */
const MARGIN = 2;

/** Keeps what plugins and datasets draw inside the part of the axes that is seen. */
function clip(plugins: readonly Plugin[]): Plugin[] {
  const within = ({ ctx, chartArea: { left, right } }: Chart, top: number, bottom: number): void => {
    ctx.save();
    ctx.beginPath();
    ctx.rect(left - MARGIN, top - MARGIN, right - left + 2 * MARGIN, bottom - top + 2 * MARGIN);
    ctx.clip();
  };
  const first: Plugin = {
    id: "clip",
    beforeDatasetDraw: (chart, { meta }) => {
      const { top, bottom } = meta.yScale ?? chart.chartArea;
      within(chart, top, bottom);
    },
    afterDatasetsDraw: (chart) => within(chart, chart.chartArea.top, chart.chartArea.bottom),
  };
  const last: Plugin = {
    id: "unclip",
    afterDatasetDraw: ({ ctx }) => ctx.restore(),
    afterDatasetsDraw: ({ ctx }) => ctx.restore(),
  };
  return [first, ...plugins, last];
}

/** From this width on, in CSS pixels, a chart has the room of a desktop. */
const WIDE = 560;

const FONT_FAMILY = "system-ui, sans-serif";

type Colors = Pick<
  ChartStyle,
  "background" | "text" | "faintText" | "grid" | "border" | "whisker" | "area" | "areaEdge" | "palette"
>;

const { background, text, faintText, grid, border, whisker, area, areaEdge } = PICTURE;
const LIGHT: Colors = { background, text, faintText, grid, border, whisker, area, areaEdge, palette: PALETTE };

/** The colours of {@link PALETTE} in the same order, lighter where they would sink into the dark; black is white here. */
const DARK_PALETTE = ["#4ba3e3", "#ff8a47", "#2fc79a", "#e59bc4", "#8fd0f7", "#f2b134", "#f0f3f6", "#f7ee7a"] as const;

/** The paper and the ink of the style sheet, in the dark. */
const DARK: Colors = {
  background: "#15181c",
  text: "#e4e7eb",
  faintText: "#a6aeb9",
  grid: "#2a3038",
  border: "#59636f",
  whisker: "#e4e7eb",
  area: "#222931",
  areaEdge: "#414b57",
  palette: DARK_PALETTE,
};

/** Returns how charts look in the page, for a width in CSS pixels; half as large as in a picture, which is twice as fine. */
export function pageStyle(isDark: boolean, width: number): ChartStyle {
  const isWide = width >= WIDE;
  return {
    ...(isDark ? DARK : LIGHT),
    fontFamily: FONT_FAMILY,
    titleSize: 18,
    subtitleSize: 13,
    labelSize: isWide ? 13 : 12,
    tickSize: isWide ? 12 : 11,
    padding: isWide ? 8 : 3,
    lineScale: isWide ? 0.5 : 0.4,
  };
}

const PANEL_HEIGHT = 160;
const FRAME_HEIGHT = 70;
const LOWEST = 280;
const HIGHEST = 440;

/** Returns the height of a chart with so many panels in a width, in CSS pixels. */
export function pageHeight(panels: number, width: number): number {
  const usual = Math.min(HIGHEST, Math.max(LOWEST, Math.round(width / 2)));
  return panels === 1 ? usual : Math.max(usual, FRAME_HEIGHT + panels * PANEL_HEIGHT);
}
