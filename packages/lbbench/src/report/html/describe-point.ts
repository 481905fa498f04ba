import type { ChartPoint } from "../charts/chart-definition.js";
import { formatCount, formatTime } from "../format-number.js";

const PLACE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });

/** Returns the value of a point, with its whisker and the trials that lie far from it; `–` where there is none. */
export function describePoint(point: ChartPoint | undefined): string {
  if (point === undefined || point.y === null) return "–";
  const { y, low, high, outliers = [] } = point;
  const range = low === undefined || high === undefined ? "" : ` (${formatValue(low)} to ${formatValue(high)})`;
  const far = outliers.length === 0 ? "" : `, outliers ${outliers.map(formatValue).join(", ")}`;
  return `${formatValue(y)}${range}${far}`;
}

/** Returns a place along an axis: a level or a second in full, else to the thousandth. */
export function formatFigure(x: ChartPoint["x"]): string {
  return typeof x === "string" ? x : PLACE.format(x);
}

/** Users and the like are whole; what is measured hardly ever is. */
function formatValue(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : formatTime(value);
}
