import type { Result } from "../../model/result.js";
import type { Role } from "../../model/usage.js";
import type { Cell } from "../cells.js";
import { formatCount } from "../format-number.js";
import { cpuOf, ROLES } from "../role-usage.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartSubtitle } from "./chart-subtitle.js";
import { loadValue } from "../../stats/load.js";
import { loadCategories } from "./load-axis.js";
import { collectCurves } from "./curves.js";
import type { Curve } from "./curves.js";
import { panelPerCurve } from "./panel-per-curve.js";
import { trialPoint } from "./trial-point.js";

/** Returns the processor time of generator, balancer and backends per level, a panel per target; none without usage. */
export function cpuChart(result: Result): readonly ChartDefinition[] {
  const curves = collectCurves(result).filter(({ cells }) => cells.some(({ usages }) => usages.length > 0));
  const roles = ROLES.flatMap(({ role, label }, colorIndex) =>
    curves.some(({ cells }) => cells.some((cell) => cpuPercents(cell, role).length > 0))
      ? [{ role, label, colorIndex }]
      : [],
  );
  if (roles.length === 0) {
    return [];
  }
  const panelled = panelPerCurve(curves.map(({ name }) => name));
  return [
    {
      id: "cpu",
      title: "CPU by role",
      subtitle: chartSubtitle(result, panelled.about("100 % is one core kept busy"), true),
      alt: `Processor time in percent of one core. ${curves.map(describeBusiest).join(" ")}`,
      x: loadCategories(curves),
      y: { label: "CPU (% of one core)", scale: "linear" },
      panels: panelled.panels,
      series: curves.flatMap(({ cells }, panel) =>
        roles.map(({ role, label, colorIndex }) => ({
          name: label,
          shape: "bar" as const,
          stack: role,
          colorIndex,
          dash: "solid" as const,
          panel,
          points: cells.map((cell) => trialPoint(formatCount(loadValue(cell.level)), cpuPercents(cell, role))),
        })),
      ),
    },
  ];
}

function describeBusiest({ name, cells }: Curve): string {
  const parts = ROLES.flatMap(({ role, label }) => {
    const values = cells.flatMap((cell) => cpuPercents(cell, role));
    return values.length === 0 ? [] : [`${label} up to ${formatCount(Math.max(...values))}`];
  });
  return `${name}: ${parts.join(", ")}.`;
}

function cpuPercents({ usages }: Cell, role: Role): readonly number[] {
  return usages.flatMap((usage) => {
    const cpu = cpuOf(usage, role);
    return cpu === null ? [] : [cpu * 100];
  });
}
