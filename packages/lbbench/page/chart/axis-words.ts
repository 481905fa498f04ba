import type { ChartAxis, ChartScale } from "../../src/report/charts/chart-definition.js";

const LOG_WORDS = /(?:, log scale(?=\))| \(log scale\))/;

/** Returns an axis with another scale, and says so in its label if it is logarithmic. */
export function withScale(axis: ChartAxis, scale: Exclude<ChartScale, "category">): ChartAxis {
  const plain = plainLabel(axis);
  if (scale === "linear") return { ...axis, scale, label: plain };
  const label = plain.endsWith(")") ? `${plain.slice(0, -1)}, log scale)` : `${plain} (log scale)`;
  return { ...axis, scale, label };
}

/** Returns the label of an axis without what it says of the scale: `latency (ms)`, `connections`. */
export function plainLabel({ label }: ChartAxis): string {
  return label.replace(LOG_WORDS, "");
}

/** Returns the unit that stands in brackets at the end of a label; else the label, which is one: `ok responses per second`. */
export function unitOf(axis: ChartAxis): string {
  const label = plainLabel(axis);
  return /\(([^()]+)\)$/.exec(label)?.[1] ?? label;
}
