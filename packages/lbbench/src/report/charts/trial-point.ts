import { findOutliers } from "../../stats/bootstrap.js";
import { summarizeTrials } from "../../stats/trials.js";
import type { ChartPoint } from "./chart-definition.js";

/**
 * Makes a point of the values of all trials: their median, with a whisker for several, and the outliers among them; a gap when
 * there is none.
 */
export function trialPoint(x: ChartPoint["x"], values: readonly number[]): ChartPoint {
  if (values.length === 0) {
    return { x, y: null };
  }
  const { median, low, high, n } = summarizeTrials(values);
  const outliers = findOutliers(values).flatMap((index) => values[index] ?? []);
  return {
    x,
    y: median,
    ...(n > 1 ? { low, high } : {}),
    ...(outliers.length > 0 ? { outliers } : {}),
  };
}
