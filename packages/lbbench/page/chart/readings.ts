import type { Chart } from "chart.js";
import { panelAxisId } from "../../src/report/charts/axes.js";
import type { ChartDefinition, ChartPoint, ChartSeries } from "../../src/report/charts/chart-definition.js";
import { DECISION_WORDS } from "../../src/report/describe-search.js";
import { exactNumber, unitOf } from "./chart-view.js";

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
 * common, the nearest point. Beside measured points, a dense line is no aim.
 */
export function readingsAt(readings: readonly Reading[], panel: number, left: number, top: number): readonly Reading[] {
  const own = readings.filter(({ series }) => series.panel === panel);
  const lines = own.filter(({ series }) => series.shape !== "area");
  const measured = lines.filter(({ series }) => series.dense !== true);
  const aims = measured.length > 0 ? measured : lines;
  const isOneSeries = aims.every(({ seriesIndex }) => seriesIndex === aims[0]?.seriesIndex);
  const isShared = isOneSeries || new Set(aims.map(({ point }) => point.x)).size < aims.length;
  const found = nearest(aims, (one) => Math.hypot(one.left - left, isShared ? 0 : one.top - top));
  if (found === undefined || !isShared) return found === undefined ? [] : [found];
  return own.filter(({ point }) => point.x === found.point.x);
}

function nearest(readings: readonly Reading[], distance: (one: Reading) => number): Reading | undefined {
  return readings.toSorted((one, other) => distance(one) - distance(other))[0];
}

/** What a point says, each part a line or a cell of its own. */
export interface ReadingWords {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  /** The ends of the whisker and the outliers, where there are any: `0.17 to 0.201`, `outliers 0.4`. */
  readonly details: readonly string[];
}

/** Returns the exact figures of a point in words. */
export function describeReading(
  { series, point }: Pick<Reading, "series" | "point">,
  { y, right }: ChartDefinition,
): ReadingWords {
  const { low, high, outliers = [], decision, isBounded } = point;
  const unit = unitOf(series.shape === "area" && right !== undefined ? right : y);
  const range = low === undefined || high === undefined ? [] : [`${exactNumber(low)} to ${exactNumber(high)}`];
  const far = outliers.length === 0 ? [] : [`outliers ${outliers.map(exactNumber).join(", ")}`];
  const decided = [
    ...(decision === undefined ? [] : [DECISION_WORDS[decision]]),
    ...(isBounded ? ["a finding bounds it"] : []),
  ];
  const value = point.y === null ? "no measurement" : exactNumber(point.y);
  return { name: series.name, value, unit, details: [...range, ...far, ...decided] };
}

/** Returns where a point is along x: `connections: 50`, or what the point is of where it says so itself. */
export function describePlace({ point }: Pick<Reading, "point">, { x }: ChartDefinition): string {
  if (point.label !== undefined) return point.label;
  const value = typeof point.x === "number" ? exactNumber(point.x) : point.x;
  return x.label === "" ? value : `${x.label}: ${value}`;
}

/** Returns a whole sentence for those who hear it. */
export function speakReading(reading: Pick<Reading, "series" | "point">, definition: ChartDefinition): string {
  const { name, value, unit, details } = describeReading(reading, definition);
  const panel = definition.panels[reading.series.panel] ?? "";
  return [
    ...(panel === "" ? [] : [panel]),
    name,
    describePlace(reading, definition),
    [`${value} ${unit}`.trim(), ...details].join(", "),
  ].join("; ");
}

/** Where an arrow leads. */
export type Direction = "previous" | "next" | "first" | "last" | "series above" | "series below";

/** Returns the point that an arrow leads to; the first of all when none was active; the same where it leads nowhere. */
export function moveReading(
  readings: readonly Reading[],
  active: Reading | undefined,
  direction: Direction,
): Reading | undefined {
  const current = readings.find((one) => one.seriesIndex === active?.seriesIndex && one.point === active.point);
  if (current === undefined) return readings[0];
  const own = readings.filter(({ seriesIndex }) => seriesIndex === current.seriesIndex);
  const at = own.indexOf(current);
  const series = [...new Set(readings.map(({ seriesIndex }) => seriesIndex))];
  // The point of the next series that is nearest along x.
  const beside = (by: 1 | -1): Reading | undefined => {
    const wanted = series[series.indexOf(current.seriesIndex) + by];
    const others = readings.filter(({ seriesIndex }) => seriesIndex === wanted);
    return nearest(others, ({ left }) => Math.abs(left - current.left));
  };
  const neighbours: Readonly<Record<Direction, Reading | undefined>> = {
    previous: own[at - 1],
    next: own[at + 1],
    first: own[0],
    last: own.at(-1),
    "series above": beside(-1),
    "series below": beside(1),
  };
  return neighbours[direction] ?? current;
}
