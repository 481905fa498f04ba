import type { Result } from "../../model/result.js";
import type { ChartDefinition } from "./chart-definition.js";
import { cpuChart } from "./cpu-chart.js";
import { errorsChart } from "./errors-chart.js";
import { latencyChart } from "./latency-chart.js";
import { rampLatencyChart } from "./ramp-latency-chart.js";
import { rampThroughputChart } from "./ramp-throughput-chart.js";
import { throughputChart } from "./throughput-chart.js";

const CHARTS: readonly ((result: Result) => readonly ChartDefinition[])[] = [
  throughputChart,
  latencyChart,
  errorsChart,
  cpuChart,
];

/** What a load that rises has in their place: against load it is a single point. */
const RAMP_CHARTS: typeof CHARTS = [rampLatencyChart, rampThroughputChart];

/** Returns the charts of a result that have something to show, as data; every format draws these and no others. */
export function chartDefinitions(result: Result): readonly ChartDefinition[] {
  const charts = result.scenario.ramp === null ? CHARTS : RAMP_CHARTS;
  return charts.flatMap((chart) => chart(result)).map(explainOutliers);
}

function explainOutliers(definition: ChartDefinition): ChartDefinition {
  const hasOutliers = definition.series.some(({ points }) => points.some(({ outliers }) => outliers !== undefined));
  const lines = [...(definition.note === undefined ? [] : [definition.note]), OUTLIERS];
  return hasOutliers ? { ...definition, note: lines.join("\n") } : definition;
}

const OUTLIERS = "circles: outliers, single trials far from the others, which the median and its interval contain";
