import type { TargetJudgement } from "../../judge/compare-targets.js";
import type { ChartDefinition } from "./chart-definition.js";
import { COMPARED_METRICS } from "./compared-metrics.js";

/** Beyond these changes, a linear axis squeezes the others together. */
const LINEAR_CHANGES = { low: -0.7, high: 1.5 };

/** How a change (a ratio less one) is drawn. */
export interface ChangeAxis {
  readonly y: ChartDefinition["y"];
  readonly at: (change: number) => number;
}

const PERCENT: ChangeAxis = {
  y: { label: "change (%)", scale: "linear", base: 0 },
  at: (change) => 100 * change,
};

const TIMES: ChangeAxis = {
  y: { label: "times the reference (log scale)", scale: "log", base: 1 },
  at: (change) => 1 + change,
};

/** In percent, or as a factor where changes are too far apart for that. */
export function chooseChangeAxis(targets: readonly TargetJudgement[]): ChangeAxis {
  const changes = targets
    .flatMap(({ levels }) => levels.flatMap((level) => COMPARED_METRICS.map((key) => level[key])))
    .flatMap(({ change, interval }) => (interval === null ? [] : [change ?? 0, interval.low, interval.high]));
  return Math.min(...changes) < LINEAR_CHANGES.low || Math.max(...changes) > LINEAR_CHANGES.high ? TIMES : PERCENT;
}
