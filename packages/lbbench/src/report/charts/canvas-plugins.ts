import type { Chart, Plugin } from "chart.js";
import { type DrawnPoint, panelAxisId } from "./chart-datasets.js";
import type { ChartDefinition } from "./chart-definition.js";
import { shortenCharacters } from "../plain-line.js";
import type { ChartStyle } from "./picture-style.js";

const CAP_HALF_WIDTH = 12;
const WHISKER_LINE = 3;
const OUTLIER_RADIUS = 8;
const OUTLIER_LINE = 3;
const PANEL_TITLE_DISTANCE = 14;

/** Paints the whole picture before anything else, as a PNG without a background is black in dark viewers. */
export function backgroundPlugin({ background }: ChartStyle): Plugin {
  return {
    id: "background",
    beforeDraw: ({ ctx, width, height }) => {
      ctx.save();
      ctx.fillStyle = background;
      ctx.fillRect(0, 0, width, height);
      ctx.restore();
    },
  };
}

/** Draws a line from `low` to `high` at every point that has them: behind the points of lines, over bars. */
export function whiskersPlugin({ whisker, lineScale }: ChartStyle): Plugin {
  return {
    id: "whiskers",
    beforeDatasetDraw: (chart, { index, meta }) => {
      if (meta.type === "line") {
        drawWhiskers(chart, index, String(chart.data.datasets[index]?.borderColor), lineScale);
      }
    },
    afterDatasetDraw: (chart, { index, meta }) => {
      if (meta.type === "bar") {
        drawWhiskers(chart, index, whisker, lineScale);
      }
    },
  };
}

/** Draws a hollow circle for every outlier of a point. */
export function outliersPlugin({ whisker, lineScale }: ChartStyle): Plugin {
  return {
    id: "outliers",
    afterDatasetDraw: (chart, { index, meta }) => {
      const color = meta.type === "bar" ? whisker : String(chart.data.datasets[index]?.borderColor);
      drawOutliers(chart, index, color, lineScale);
    },
  };
}

/** Writes each panel's title above it, and the labels that all axes of a side share along its edge. */
export function panelLabelsPlugin({ panels, y, right }: ChartDefinition, style: ChartStyle): Plugin {
  return {
    id: "panelLabels",
    afterDraw: (chart) => {
      panels.forEach((title, panel) => drawPanelTitle(chart, title, panel, style));
      drawValueLabel(chart, y.label, "left", style);
      if (right !== undefined) drawValueLabel(chart, right.label, "right", style);
    },
  };
}

function drawWhiskers(chart: Chart, index: number, color: string, lineScale: number): void {
  const { ctx } = chart;
  const { data, yScale } = chart.getDatasetMeta(index);
  const points: readonly unknown[] = chart.data.datasets[index]?.data ?? [];
  ctx.save();
  ctx.lineWidth = WHISKER_LINE * lineScale;
  ctx.strokeStyle = color;
  data.forEach((element, at) => {
    const point = points[at];
    if (yScale === undefined || !hasWhisker(point)) {
      return;
    }
    const { x } = element;
    const halfWidth = capHalfWidth(element, CAP_HALF_WIDTH * lineScale);
    const [low, high] = [yScale.getPixelForValue(point.low), yScale.getPixelForValue(point.high)];
    ctx.beginPath();
    for (const end of [low, high]) {
      ctx.moveTo(x - halfWidth, end);
      ctx.lineTo(x + halfWidth, end);
    }
    ctx.moveTo(x, low);
    ctx.lineTo(x, high);
    ctx.stroke();
  });
  ctx.restore();
}

function drawOutliers(chart: Chart, index: number, color: string, lineScale: number): void {
  const { ctx } = chart;
  const { data, yScale } = chart.getDatasetMeta(index);
  const points: readonly unknown[] = chart.data.datasets[index]?.data ?? [];
  ctx.save();
  ctx.lineWidth = OUTLIER_LINE * lineScale;
  ctx.strokeStyle = color;
  data.forEach(({ x }, at) => {
    for (const value of outliersOf(points[at])) {
      ctx.beginPath();
      ctx.arc(x, yScale?.getPixelForValue(value) ?? 0, OUTLIER_RADIUS * lineScale, 0, 2 * Math.PI);
      ctx.stroke();
    }
  });
  ctx.restore();
}

function outliersOf(point: unknown): readonly number[] {
  const isMarked = typeof point === "object" && point !== null && "outliers" in point;
  return isMarked ? ((point as DrawnPoint).outliers ?? []) : [];
}

function capHalfWidth(element: object, widest: number): number {
  const isBar = "width" in element && typeof element.width === "number";
  return isBar ? Math.min(widest, Number(element.width) / 3) : widest;
}

function hasWhisker(point: unknown): point is DrawnPoint & { readonly low: number; readonly high: number } {
  return typeof point === "object" && point !== null && "low" in point && "high" in point;
}

function drawPanelTitle(chart: Chart, title: string, panel: number, style: ChartStyle): void {
  const scale = chart.scales[panelAxisId(panel)];
  if (scale === undefined || title === "") {
    return;
  }
  const { ctx } = chart;
  ctx.save();
  ctx.fillStyle = style.text;
  ctx.font = `bold ${style.labelSize}px ${style.fontFamily}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  const { left } = chart.chartArea;
  ctx.fillText(
    fitText(ctx, title, chart.width - left - style.padding),
    left,
    scale.top - PANEL_TITLE_DISTANCE * style.lineScale,
  );
  ctx.restore();
}

function drawValueLabel(chart: Chart, label: string, side: "left" | "right", style: ChartStyle): void {
  const { ctx, chartArea } = chart;
  ctx.save();
  ctx.fillStyle = side === "left" ? style.text : style.faintText;
  ctx.font = `${style.labelSize}px ${style.fontFamily}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  const fromEdge = style.padding + style.labelSize / 2;
  ctx.translate(side === "left" ? fromEdge : chart.width - fromEdge, (chartArea.top + chartArea.bottom) / 2);
  ctx.rotate(side === "left" ? -Math.PI / 2 : Math.PI / 2);
  ctx.fillText(label, 0, 0);
  ctx.restore();
}

/** What measures text: a canvas with its font set. */
interface Measuring {
  measureText(text: string): { readonly width: number };
}

/** Shortens a text to a width in pixels, the middle replaced by `…`, as names often differ at their ends. */
export function fitText(context: Measuring, text: string, width: number): string {
  const fits = (one: string): boolean => context.measureText(one).width <= width;
  if (fits(text)) return text;
  const characters = Array.from(text);
  const shortened = (length: number): string => shortenCharacters(characters, length);
  let [shortEnough, tooLong] = [1, characters.length];
  while (tooLong - shortEnough > 1) {
    const middle = Math.floor((shortEnough + tooLong) / 2);
    if (fits(shortened(middle))) shortEnough = middle;
    else tooLong = middle;
  }
  return shortened(shortEnough);
}
