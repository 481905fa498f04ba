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
import { chartConfig, type DrawnChart } from "../../src/report/charts/chart-config.js";
import type { ChartDefinition } from "../../src/report/charts/chart-definition.js";
import type { DrawnScales } from "../../src/report/charts/chart-config.js";
import { type ChartStyle, PALETTE, PICTURE } from "../../src/report/charts/picture-style.js";
import { shortenName } from "../../src/report/plain-line.js";
import { ticksWithin } from "./chart-view.js";

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

export { Chart };

/** What a chart in the page has beyond its definition. */
export interface PageChart {
  readonly style: ChartStyle;
  /** In CSS pixels. */
  readonly width: number;
  /** Pixels of the screen to one of CSS. */
  readonly pixelRatio: number;
  /** Asked whenever the chart is drawn. */
  readonly isZoomed: () => boolean;
}

/** Pixels of an axis to a tick that is at a round number. */
const PIXELS_TO_A_TICK = { x: 90, y: 45 } as const;
/** Width of a character of a bold title, as a share of its size. */
const CHARACTER = 0.6;

/** Turns a definition into what chart.js draws in the page: the picture of PNG without its words above and below, ticks as they fit. */
export function pageConfig(definition: ChartDefinition, page: PageChart): DrawnChart {
  const { style, width, pixelRatio, isZoomed } = page;
  const room = Math.floor(width / (style.labelSize * CHARACTER));
  const panels = definition.panels.map((title) => shortenName(title, room));
  const config = chartConfig({ ...definition, panels }, style);
  const [first, last] = clipPlugins(isZoomed);
  return {
    ...config,
    plugins: [first, ...(config.plugins ?? []), last],
    options: {
      ...config.options,
      events: [],
      // These words are HTML around the chart.
      plugins: { title: { display: false }, subtitle: { display: false }, legend: { display: false } },
      devicePixelRatio: pixelRatio,
      scales: fitTicks((config.options?.scales ?? {}) as DrawnScales, definition, isZoomed),
    },
  };
}

/** Has the axes of a chart that is zoomed show those ticks of the whole that are seen, or round numbers where these are too few. */
function fitTicks(scales: DrawnScales, definition: ChartDefinition, isZoomed: () => boolean): DrawnScales {
  const fitted = Object.entries(scales).map(([id, scale]): [string, DrawnScales[string]] => {
    const isX = id === "x";
    const axis = isX ? definition.x : definition.y;
    const place = scale.afterBuildTicks as ((axis: Scale) => void) | undefined;
    if (place === undefined || axis.scale === "category") return [id, scale];
    const kind = id.startsWith("right") ? "linear" : axis.scale;
    const afterBuildTicks = (drawn: Scale): void => {
      place(drawn);
      if (!isZoomed()) return;
      const whole = drawn.ticks.map(({ value }) => value);
      const inside = whole.filter((tick) => tick >= drawn.min && tick <= drawn.max);
      const most = isX ? drawn.width / PIXELS_TO_A_TICK.x : drawn.height / PIXELS_TO_A_TICK.y;
      const ticks = isX && axis.labels !== undefined ? inside : ticksWithin(inside, drawn, kind, most);
      drawn.ticks = ticks.map((value) => ({ value }));
    };
    return [id, { ...scale, afterBuildTicks } as DrawnScales[string]];
  });
  return Object.fromEntries(fitted);
}

/** As much as a line is thick, so that one along the end of an axis is seen. */
const MARGIN = 2;

/** Returns the first and the last plugin of a chart: what is drawn between them stays inside the part of the axes that is seen. */
export function clipPlugins(isZoomed: () => boolean): readonly [first: Plugin, last: Plugin] {
  const clip = (chart: Chart, top: number, bottom: number): void => {
    const { ctx, chartArea } = chart;
    ctx.save();
    if (!isZoomed()) return;
    ctx.beginPath();
    ctx.rect(
      chartArea.left - MARGIN,
      top - MARGIN,
      chartArea.right - chartArea.left + 2 * MARGIN,
      bottom - top + 2 * MARGIN,
    );
    ctx.clip();
  };
  return [
    {
      id: "clip",
      beforeDatasetDraw: (chart, { meta }) => {
        const { top, bottom } = meta.yScale ?? chart.chartArea;
        clip(chart, top, bottom);
      },
      afterDatasetsDraw: (chart) => clip(chart, chart.chartArea.top, chart.chartArea.bottom),
    },
    {
      id: "unclip",
      afterDatasetDraw: ({ ctx }) => ctx.restore(),
      afterDatasetsDraw: ({ ctx }) => ctx.restore(),
    },
  ];
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
