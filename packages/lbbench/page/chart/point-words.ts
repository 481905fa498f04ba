/** What the page says of a point that is pointed at. */
import { axisLabel } from "../../src/report/charts/axes.js";
import type { ChartAxis, ChartDefinition, ChartPoint, ChartSeries } from "../../src/report/charts/chart-definition.js";
import { DECISION_WORDS } from "../../src/report/describe-search.js";

/** A millisecond to the microsecond, which is finer than any clock of ours. */
const TO_THE_THOUSANDTH = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });
const SIX_DIGITS = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

/** Formats a value with the digits that may be measured: `8,533.129`, below 1 six of them: `0.184`. */
export function exactNumber(value: number): string {
  return (Math.abs(value) < 1 ? SIX_DIGITS : TO_THE_THOUSANDTH).format(value);
}

/** Returns where a point is along x: `connections: 50`, or what the point is of where it says so itself. */
export function describePlace({ x, label }: Pick<ChartPoint, "x" | "label">, axis: ChartAxis): string {
  if (label !== undefined) return label;
  const value = typeof x === "number" ? exactNumber(x) : x;
  return axis.label === "" ? value : `${axisLabel(axis)}: ${value}`;
}

/**
 * Returns the exact figures of a point in lines: the first with its series, behind the panel where there are several, then the ends of the
 * whisker, the outliers, and why it is not to be taken as it stands.
 */
export function describeReading(
  { name, shape, panel }: ChartSeries,
  point: ChartPoint,
  { y, right, panels }: ChartDefinition,
): readonly string[] {
  const { low, high, outliers = [], decision, isBounded } = point;
  const axis = shape === "area" && right !== undefined ? right : y;
  const title = panels[panel] ?? "";
  const value = point.y === null ? "no measurement" : `${exactNumber(point.y)} ${axis.unit ?? axis.label}`;
  return [
    `${title === "" ? "" : `${title} · `}${name} ${value}`,
    ...(low === undefined || high === undefined ? [] : [`${exactNumber(low)} to ${exactNumber(high)}`]),
    ...(outliers.length === 0 ? [] : [`outliers ${outliers.map(exactNumber).join(", ")}`]),
    ...(decision === undefined ? [] : [DECISION_WORDS[decision]]),
    ...(isBounded ? ["a finding bounds it"] : []),
  ];
}
