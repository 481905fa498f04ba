import type { ChartDataset } from "chart.js";
import type { ChartDefinition, ChartPoint, ChartSeries, LineDash } from "./chart-definition.js";
import { isPieceOfStack, valueTicks } from "./axes.js";
import { colorAt, markerAt } from "./palette.js";
import type { ChartStyle } from "./picture-style.js";
import { shortenName } from "../plain-line.js";

/** A point as chart.js reads it; it keeps the ends of the whisker and the outliers for the plugins that draw them. */
export interface DrawnPoint {
  readonly x: number | string;
  readonly y: number | null;
  readonly low?: number;
  readonly high?: number;
  readonly outliers?: readonly number[];
  readonly label?: string;
  readonly tag?: string;
}

/** A series as chart.js reads it. */
type DrawnDataset = ChartDataset<"line" | "bar", DrawnPoint[]>;

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
export function chartDatasets(definition: ChartDefinition, style: ChartStyle): DrawnDataset[] {
  const { series, x, y } = definition;
  const covering = countCoveringLines(definition);
  return series.map((one, index) => {
    if (one.shape === "bar") return barDataset(one, style, { base: y.base, isPiece: isPieceOfStack(one, series) });
    if (one.shape === "area") return areaDataset(one, x.scale, style);
    return lineDataset(one, x.scale, { style, covering: covering[index] ?? 0 });
  });
}

/** Returns the lengths of strokes and gaps of a dash, in pixels; empty for a solid line. */
export function lineDash(dash: LineDash, { lineScale }: ChartStyle): number[] {
  return (DASHES.get(dash) ?? []).map((length) => length * lineScale);
}

/** Returns the id of the value axis of a panel. */
export function panelAxisId(panel: number): string {
  return `y${panel}`;
}

/** Returns the id of the axis on the right of a panel. */
export function rightAxisId(panel: number): string {
  return `right${panel}`;
}

/** By this much a line is thicker, and its points larger, for each line that covers it, so that its edges are seen. */
const THICKER = { line: 5, point: 3 };

function lineDataset(
  series: ChartSeries,
  xScale: string,
  { style, covering }: { readonly style: ChartStyle; readonly covering: number },
): DrawnDataset {
  const color = colorAt(series.colorIndex, style.palette);
  const { lineScale } = style;
  return {
    type: "line",
    label: shortenName(series.name, LONGEST_SERIES_NAME),
    yAxisID: panelAxisId(series.panel),
    data: drawnPoints(series.points, xScale),
    borderColor: color,
    backgroundColor: color,
    // Where a line turns back, its corner would look out behind the point.
    borderJoinStyle: "round",
    ...(series.dense === true
      ? denseLine(series, style)
      : { borderWidth: (5 + THICKER.line * covering) * lineScale, borderDash: lineDash(series.dash, style) }),
    pointStyle: markerAt(series.colorIndex),
    ...(series.dense === true
      ? markedPoints(series, style)
      : {
          pointRadius: (8 + THICKER.point * covering) * lineScale,
          pointBorderWidth: 4 * lineScale,
          ...decidedPoints(series, (8 + THICKER.point * covering) * lineScale, style),
        }),
    spanGaps: false,
    clip: false,
  };
}

/** Points are drawn only where they have no neighbour to be joined with. */
function denseLine(
  { dash, points }: ChartSeries,
  style: ChartStyle,
): Pick<ChartDataset<"line">, "borderWidth" | "borderDash" | "pointRadius"> {
  const { lineScale } = style;
  const isAlone = (index: number): boolean =>
    [points[index - 1], points[index + 1]].every((near) => (near?.y ?? null) === null);
  return {
    borderWidth: (dash === "dotted" ? 2.5 : 4) * lineScale,
    borderDash: dash === "dotted" ? [3 * lineScale, 5 * lineScale] : lineDash(dash, style),
    pointRadius: points.map(
      ({ isMarked }, index) => (isMarked === true ? MARK_RADIUS : isAlone(index) ? 5 : 0) * lineScale,
    ),
  };
}

type MarkedStyle = Partial<
  Pick<ChartDataset<"line">, "pointStyle" | "pointRadius" | "pointBackgroundColor" | "pointBorderWidth" | "order">
>;

/** Large and hollow, so that they are no measured points. */
function markedPoints({ points, colorIndex }: ChartSeries, style: ChartStyle): MarkedStyle {
  if (!points.some(({ isMarked }) => isMarked)) return {};
  return {
    pointStyle: points.map(({ isMarked }) => (isMarked === true ? "rectRot" : markerAt(colorIndex))),
    pointBackgroundColor: style.background,
    pointBorderWidth: 4 * style.lineScale,
    // What has a lower order is drawn last.
    order: -1,
  };
}

/** A cross where a level did not hold, and a hollow point where that is not clear; those that held are as any other. */
function decidedPoints({ points, colorIndex }: ChartSeries, radius: number, style: ChartStyle): MarkedStyle {
  if (points.every(({ decision }) => decision === undefined)) return {};
  const color = colorAt(colorIndex, style.palette);
  return {
    // A cross has no area to be seen by.
    pointRadius: points.map(({ decision }) => (decision === "broken" ? 1.5 * radius : radius)),
    pointStyle: points.map(({ decision }) => (decision === "broken" ? "crossRot" : markerAt(colorIndex))),
    pointBackgroundColor: points.map(({ decision }) => (decision === "unclear" ? style.background : color)),
  };
}

function areaDataset(series: ChartSeries, xScale: string, style: ChartStyle): DrawnDataset {
  return {
    type: "line",
    label: shortenName(series.name, LONGEST_SERIES_NAME),
    yAxisID: rightAxisId(series.panel),
    data: drawnPoints(series.points, xScale),
    borderColor: style.areaEdge,
    backgroundColor: style.area,
    borderWidth: 2 * style.lineScale,
    pointRadius: 0,
    fill: "origin",
    // What has a higher order is drawn first.
    order: 1,
  };
}

interface BarPlace {
  readonly base: number | undefined;
  readonly isPiece: boolean;
}

function barDataset(series: ChartSeries, style: ChartStyle, { base, isPiece }: BarPlace): DrawnDataset {
  return {
    type: "bar",
    label: shortenName(series.name, LONGEST_SERIES_NAME),
    yAxisID: panelAxisId(series.panel),
    data: barPoints(series.points, base),
    ...(base === undefined ? {} : { base }),
    backgroundColor: colorAt(series.colorIndex, style.palette),
    pointStyle: "rect",
    // A low bar must not vanish; but pieces that are all made longer would add up to a stack that nothing measured.
    ...(isPiece ? {} : { minBarLength: 4 * style.lineScale }),
    maxBarThickness: 130 * style.lineScale,
    categoryPercentage: 0.75,
    // Series without a stack stand side by side, each a stack of its own.
    stack: series.stack ?? series.name,
  };
}

function drawnPoints(points: readonly ChartPoint[], xScale: string): DrawnPoint[] {
  return points.map((point) => (xScale === "category" ? { ...point, x: String(point.x) } : { ...point }));
}

function barPoints(points: readonly ChartPoint[], base = 0): DrawnPoint[] {
  // Without this, nothing would get the bar that is drawn for next to nothing.
  return drawnPoints(points, "category").map((point) => (point.y === base ? { ...point, y: null } : point));
}

/** Two points that are closer than this share of the axis lie on one another. */
const CLOSE = 0.012;

/** A line is hidden when no more than this share of its points shows; else it is seen where it comes from and goes to. */
const FEW_SHOW = 0.25;

/** More lines on one another cannot be told apart however thick they are. */
const MOST = 5;

/**
 * Counts for each series by how many others, drawn after it, its line is covered for most of its way, at most 5. What is
 * listed first is drawn last. Of bars, areas and dense lines it is 0.
 */
function countCoveringLines(definition: ChartDefinition): readonly number[] {
  const { series, y } = definition;
  const { min, max } = valueTicks(definition);
  const place = (value: number): number => (y.scale === "log" ? Math.log(value) : value);
  const nearby = (place(max) - place(min)) * CLOSE;
  const isClose = (a: number, b: number): boolean => Math.abs(place(a) - place(b)) <= nearby;
  const earlier: ChartSeries[] = [];
  return series.map((one) => {
    if (one.shape !== "line" || one.dense === true) return 0;
    const covering = earlier.filter(
      ({ panel, points }) => panel === one.panel && isCovered(one.points, points, isClose),
    );
    earlier.push(one);
    return Math.min(MOST, covering.length);
  });
}

function isCovered(
  points: readonly ChartPoint[],
  others: readonly ChartPoint[],
  isClose: (a: number, b: number) => boolean,
): boolean {
  const valueAt = new Map(others.map(({ x, y }) => [x, y]));
  const drawn = points.flatMap(({ x, y }) => (y === null ? [] : [{ x, y }]));
  const shown = drawn.filter(({ x, y }) => {
    const other = valueAt.get(x) ?? null;
    return other === null || !isClose(y, other);
  });
  return drawn.length > 0 && shown.length <= FEW_SHOW * drawn.length;
}
