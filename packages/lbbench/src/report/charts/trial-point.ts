import { summarizeTrials } from "../../stats/trials.js";
import type { ChartPoint } from "./chart-definition.js";

/** Makes a point of the values of all trials: their median, with a whisker for several; a gap when there is none. */
export function trialPoint(x: ChartPoint["x"], values: readonly number[]): ChartPoint {
  if (values.length === 0) {
    return { x, y: null };
  }
  const { median, low, high, n } = summarizeTrials(values);
  return n > 1 ? { x, y: median, low, high } : { x, y: median };
}
