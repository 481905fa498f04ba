import type { ChartDataset } from "chart.js";
import type { ChartDefinition, ChartPoint, ChartSeries, LineDash } from "./chart-definition.js";
import { colorAt, markerAt } from "./palette.js";
import { PICTURE } from "./picture-style.js";
import { shortenName } from "../shorten-name.js";

/** A point as chart.js reads it; it keeps the ends of the whisker and the outliers for the plugins that draw them. */
export interface DrawnPoint {
  readonly x: number | string;
  readonly y: number | null;
  readonly low?: number;
  readonly high?: number;
  readonly outliers?: readonly number[];
}

/** A series as chart.js reads it. */
export type DrawnDataset = ChartDataset<"line" | "bar", DrawnPoint[]>;

/** Characters of a series' name that a picture has room for. */
export const LONGEST_SERIES_NAME = 44;

/** Larger than any point. */
const MARK_RADIUS = 16;

const DASHES: ReadonlyMap<LineDash, readonly number[]> = new Map([
  ["solid", []],
  ["dashed", [14, 9]],
  ["dotted", [4, 7]],
]);

/** Returns a definition's series as chart.js datasets, each on the axis of its panel. */
export function chartDatasets({ series, x }: ChartDefinition): DrawnDataset[] {
  return series.map((one) => {
    if (one.shape === "bar") return barDataset(one);
    return one.shape === "area" ? areaDataset(one, x.scale) : lineDataset(one, x.scale);
  });
}

/** Returns the lengths of strokes and gaps of a dash, in pixels; empty for a solid line. */
export function lineDash(dash: LineDash): number[] {
  return [...(DASHES.get(dash) ?? [])];
}

/** Returns the id of the value axis of a panel. */
export function panelAxisId(panel: number): string {
  return `y${panel}`;
}

/** Returns the id of the axis on the right of a panel. */
export function rightAxisId(panel: number): string {
  return `right${panel}`;
}

function lineDataset(series: ChartSeries, xScale: string): DrawnDataset {
  const color = colorAt(series.colorIndex);
  return {
    type: "line",
    label: shortenName(series.name, LONGEST_SERIES_NAME),
    yAxisID: panelAxisId(series.panel),
    data: drawnPoints(series.points, xScale),
    borderColor: color,
    backgroundColor: color,
    ...(series.dense === true ? denseLine(series) : { borderWidth: 5, borderDash: lineDash(series.dash) }),
    pointStyle: markerAt(series.colorIndex),
    ...(series.dense === true ? markedPoints(series) : { pointRadius: 8, pointBorderWidth: 4 }),
    spanGaps: false,
    clip: false,
  };
}

/** Points are drawn only where they have no neighbour to be joined with. */
function denseLine({
  dash,
  points,
}: ChartSeries): Pick<ChartDataset<"line">, "borderWidth" | "borderDash" | "pointRadius"> {
  const isAlone = (index: number): boolean =>
    [points[index - 1], points[index + 1]].every((near) => (near?.y ?? null) === null);
  return {
    borderWidth: dash === "dotted" ? 2.5 : 4,
    borderDash: dash === "dotted" ? [3, 5] : lineDash(dash),
    pointRadius: points.map(({ isMarked }, index) => (isMarked === true ? MARK_RADIUS : isAlone(index) ? 5 : 0)),
  };
}

type MarkedStyle = Partial<
  Pick<ChartDataset<"line">, "pointStyle" | "pointBackgroundColor" | "pointBorderWidth" | "order">
>;

/** Large and hollow, so that they are no measured points. */
function markedPoints({ points, colorIndex }: ChartSeries): MarkedStyle {
  if (!points.some(({ isMarked }) => isMarked)) return {};
  return {
    pointStyle: points.map(({ isMarked }) => (isMarked === true ? "rectRot" : markerAt(colorIndex))),
    pointBackgroundColor: PICTURE.background,
    pointBorderWidth: 4,
    // What has a lower order is drawn last.
    order: -1,
  };
}

function areaDataset(series: ChartSeries, xScale: string): DrawnDataset {
  return {
    type: "line",
    label: shortenName(series.name, LONGEST_SERIES_NAME),
    yAxisID: rightAxisId(series.panel),
    data: drawnPoints(series.points, xScale),
    borderColor: PICTURE.areaEdge,
    backgroundColor: PICTURE.area,
    borderWidth: 2,
    pointRadius: 0,
    fill: "origin",
    // What has a higher order is drawn first.
    order: 1,
  };
}

function barDataset(series: ChartSeries): DrawnDataset {
  return {
    type: "bar",
    label: shortenName(series.name, LONGEST_SERIES_NAME),
    yAxisID: panelAxisId(series.panel),
    data: barPoints(series.points),
    backgroundColor: colorAt(series.colorIndex),
    pointStyle: "rect",
    // A few failures among many requests must not vanish.
    minBarLength: 4,
    maxBarThickness: 130,
    categoryPercentage: 0.75,
    // Series without a stack stand side by side, each a stack of its own.
    stack: series.stack ?? series.name,
  };
}

function drawnPoints(points: readonly ChartPoint[], xScale: string): DrawnPoint[] {
  return points.map((point) => (xScale === "category" ? { ...point, x: String(point.x) } : { ...point }));
}

function barPoints(points: readonly ChartPoint[]): DrawnPoint[] {
  // Without this, nothing would get the bar that is drawn for next to nothing.
  return drawnPoints(points, "category").map((point) => (point.y === 0 ? { ...point, y: null } : point));
}
