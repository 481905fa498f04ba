import type { Chart } from "chart.js";
import type { ChartDefinition, ChartPoint, ChartSeries } from "../../src/report/charts/chart-definition.js";
import { panelAxisId } from "../../src/report/charts/chart-datasets.js";

/** A point as it is drawn: where it is in the chart, in CSS pixels, and what it is. */
export interface Reading {
  readonly seriesIndex: number;
  readonly series: ChartSeries;
  readonly point: ChartPoint;
  readonly left: number;
  readonly top: number;
  readonly color: string;
}

/** Distance from the end of an axis up to which a point is still seen. */
const AT_EDGE = 1;

/** Returns the points of a chart that are seen, series by series. */
export function collectReadings(chart: Chart, { series }: ChartDefinition): readonly Reading[] {
  const { left, right } = chart.chartArea;
  return series.flatMap((one, seriesIndex) => {
    const { data, yScale } = chart.getDatasetMeta(seriesIndex);
    const { borderColor, backgroundColor } = chart.data.datasets[seriesIndex] ?? {};
    const drawnIn = one.shape === "bar" ? backgroundColor : borderColor;
    const color = typeof drawnIn === "string" ? drawnIn : "";
    return one.points.flatMap((point, index): readonly Reading[] => {
      const { x = NaN, y = NaN } = data[index] ?? {};
      const isSeen =
        point.y !== null &&
        yScale !== undefined &&
        x >= left - AT_EDGE &&
        x <= right + AT_EDGE &&
        y >= yScale.top - AT_EDGE &&
        y <= yScale.bottom + AT_EDGE;
      return isSeen ? [{ seriesIndex, series: one, point, left: x, top: y, color }] : [];
    });
  });
}

/** Returns the panel that a place in the chart is in or next to. */
export function panelAt(chart: Chart, panels: number, top: number): number {
  const distances = Array.from({ length: panels }, (_, panel) => {
    const axis = chart.scales[panelAxisId(panel)];
    return axis === undefined ? Infinity : Math.max(axis.top - top, top - axis.bottom, 0);
  });
  return distances.indexOf(Math.min(...distances));
}

/**
 * Returns what is nearest to a place in a panel: the points of all series at the x that is nearest; where series have no x in
 * common, the nearest point. Curves that are computed between measured points are no aim, but their marks are.
 */
export function readingsAt(readings: readonly Reading[], panel: number, left: number, top: number): readonly Reading[] {
  const own = readings.filter(({ series }) => series.panel === panel);
  const lines = own.filter(({ series }) => series.shape !== "area");
  const measured = lines.filter(({ series }) => series.dense !== true);
  const marks = lines.filter(({ series, point }) => series.dense === true && point.isMarked === true);
  const aims = measured.length > 0 ? [...measured, ...marks] : lines;
  const isShared = haveSharedPlaces(measured.length > 0 ? measured : lines);
  const distance = (one: Reading): number =>
    isShared ? Math.abs(one.left - left) : Math.hypot(one.left - left, one.top - top);
  const [first, ...others] = aims;
  if (first === undefined) return [];
  const nearest = others.reduce((best, one) => (distance(one) < distance(best) ? one : best), first);
  return isShared ? own.filter(({ point }) => point.x === nearest.point.x) : [nearest];
}

function haveSharedPlaces(readings: readonly Reading[]): boolean {
  const series = new Set(readings.map(({ seriesIndex }) => seriesIndex));
  return series.size === 1 || new Set(readings.map(({ point }) => point.x)).size < readings.length;
}
