import type { ChartDefinition } from "../../src/report/charts/chart-definition.js";
import { plainLabel, unitOf } from "./axis-words.js";
import { exactNumber } from "./exact-number.js";
import type { Reading } from "./readings.js";

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
  const { low, high, outliers = [] } = point;
  const unit = unitOf(series.shape === "area" && right !== undefined ? right : y);
  const range = low === undefined || high === undefined ? [] : [`${exactNumber(low)} to ${exactNumber(high)}`];
  const far = outliers.length === 0 ? [] : [`outliers ${outliers.map(exactNumber).join(", ")}`];
  const value = point.y === null ? "no measurement" : exactNumber(point.y);
  return { name: series.name, value, unit, details: [...range, ...far] };
}

/** Returns where a point is along x: `connections: 50`, or what the point is of where it says so itself. */
export function describePlace({ point }: Pick<Reading, "point">, { x }: ChartDefinition): string {
  if (point.label !== undefined) return point.label;
  const value = typeof point.x === "number" ? exactNumber(point.x) : point.x;
  const label = plainLabel(x);
  return label === "" ? value : `${label}: ${value}`;
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
