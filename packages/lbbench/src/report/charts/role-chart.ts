import type { Result } from "../../model/result.js";
import type { Role, Usage } from "../../model/usage.js";
import { loadValue } from "../../stats/load.js";
import type { Cell } from "../cells.js";
import { formatCount } from "../format-number.js";
import { ROLES } from "../role-usage.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartSubtitle } from "./chart-subtitle.js";
import { collectCurves } from "./curves.js";
import type { Curve } from "./curves.js";
import { untriedNote } from "./gap-note.js";
import { loadCategories } from "./load-axis.js";
import { panelPerCurve } from "./panel-per-curve.js";
import { trialPoint } from "./trial-point.js";

/** What a chart shows of the processes of every role. */
export interface RoleFigure {
  readonly id: string;
  readonly title: string;
  /** For the subtitle: what 100 % is. */
  readonly about: string;
  /** What the alternative text begins with: `Processor time in percent of one core.` */
  readonly alt: string;
  /** Of the value axis, with the unit. */
  readonly label: string;
  /** In the unit of the axis; `null` where it is not known. */
  readonly value: (usage: Usage, role: Role) => number | null;
}

/** Returns a figure of generator, balancer and backends per level, a panel per target; none where no level has it. */
export function roleChart(result: Result, figure: RoleFigure): readonly ChartDefinition[] {
  const curves = collectCurves(result).filter(({ cells }) => cells.some(({ usages }) => usages.length > 0));
  const valuesOf = ({ usages }: Cell, role: Role): readonly number[] =>
    usages.flatMap((usage) => figure.value(usage, role) ?? []);
  const roles = ROLES.flatMap(({ role, label }, colorIndex) =>
    curves.some(({ cells }) => cells.some((cell) => valuesOf(cell, role).length > 0))
      ? [{ role, label, colorIndex }]
      : [],
  );
  if (roles.length === 0) return [];
  const panelled = panelPerCurve(curves.map(({ name }) => name));
  return [
    {
      id: figure.id,
      title: figure.title,
      subtitle: chartSubtitle(result, panelled.about(figure.about), true),
      ...untriedNote(curves),
      alt: `${figure.alt} ${curves.map((curve) => describeMost(curve, valuesOf)).join(" ")}`,
      x: loadCategories(curves),
      y: { label: figure.label, scale: "linear" },
      panels: panelled.panels,
      series: curves.flatMap(({ cells }, panel) =>
        roles.map(({ role, label, colorIndex }) => ({
          name: label,
          shape: "bar" as const,
          stack: role,
          colorIndex,
          dash: "solid" as const,
          panel,
          points: cells.map((cell) => trialPoint(formatCount(loadValue(cell.level)), valuesOf(cell, role))),
        })),
      ),
    },
  ];
}

function describeMost({ name, cells }: Curve, valuesOf: (cell: Cell, role: Role) => readonly number[]): string {
  const parts = ROLES.flatMap(({ role, label }) => {
    const values = cells.flatMap((cell) => valuesOf(cell, role));
    return values.length === 0 ? [] : [`${label} up to ${formatCount(Math.max(...values))}`];
  });
  return `${name}: ${parts.length === 0 ? "not told" : parts.join(", ")}.`;
}
