import type { Result } from "../../model/result.js";
import { cpuOf } from "../role-usage.js";
import type { ChartDefinition } from "./chart-definition.js";
import { roleChart } from "./role-chart.js";

/** Returns the processor time of generator, balancer and backends per level, a panel per target; none without usage. */
export function cpuChart(result: Result): readonly ChartDefinition[] {
  return roleChart(result, {
    id: "cpu",
    title: "CPU by role",
    about: "100 % is one core kept busy",
    alt: "Processor time in percent of one core.",
    label: "CPU (% of one core)",
    value: (usage, role) => {
      const cpu = cpuOf(usage, role);
      return cpu === null ? null : cpu * 100;
    },
  });
}
