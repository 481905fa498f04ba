import type { Result } from "../../model/result.js";
import { pickByteUnit } from "../format-number.js";
import { memoryOf, ROLES } from "../role-usage.js";
import type { ChartDefinition } from "./chart-definition.js";
import { roleChart } from "./role-chart.js";

/** Returns the largest resident memory of generator, balancer and backends per level, a panel per target; none without usage. */
export function memoryChart(result: Result): readonly ChartDefinition[] {
  const amounts = result.steps.flatMap(({ usage }) =>
    usage === undefined ? [] : ROLES.flatMap(({ role }) => memoryOf(usage, role) ?? []),
  );
  const unit = pickByteUnit(amounts);
  return roleChart(result, {
    id: "memory",
    title: "Memory by role",
    about: "largest, all processes of a role",
    alt: `Resident memory in ${unit.name}.`,
    label: `resident memory (${unit.name})`,
    value: (usage, role) => {
      const bytes = memoryOf(usage, role);
      return bytes === null ? null : bytes / unit.bytes;
    },
  });
}
