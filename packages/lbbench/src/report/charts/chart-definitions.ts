import type { Result } from "../../model/result.js";
import type { ChartDefinition } from "./chart-definition.js";
import { cpuChart } from "./cpu-chart.js";
import { errorsChart } from "./errors-chart.js";
import { latencyChart } from "./latency-chart.js";
import { throughputChart } from "./throughput-chart.js";

const CHARTS: readonly ((result: Result) => readonly ChartDefinition[])[] = [
  throughputChart,
  latencyChart,
  errorsChart,
  cpuChart,
];

/** Returns the charts of a result that have something to show, as data; every format draws these and no others. */
export function chartDefinitions(result: Result): readonly ChartDefinition[] {
  return CHARTS.flatMap((chart) => chart(result));
}
