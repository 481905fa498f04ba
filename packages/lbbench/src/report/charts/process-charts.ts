import type { Result } from "../../model/result.js";
import type { Role, Usage } from "../../model/usage.js";
import { loadValue } from "../../stats/load.js";
import { type Cell, cpuOf, loopOf, memoryOf, ROLES } from "../cells.js";
import { formatCount, pickByteUnit } from "../format-number.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartSubtitle, untriedNote } from "./chart-words.js";
import { collectCurves, type Curve, loadCategories, panelPerCurve, trialPoint } from "./curves.js";

/** What a chart shows of the processes of every role. */
interface RoleFigure {
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
function roleChart(result: Result, figure: RoleFigure): readonly ChartDefinition[] {
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

/** A figure in units of so much, as the axis has them. */
const inUnits =
  (of: (usage: Usage, role: Role) => number | null, size: number): RoleFigure["value"] =>
  (usage, role) => {
    const value = of(usage, role);
    return value === null ? null : value / size;
  };

const PERCENT = 0.01;

/** Returns the processor time of generator, balancer and backends per level, a panel per target; none without usage. */
export function cpuChart(result: Result): readonly ChartDefinition[] {
  return roleChart(result, {
    id: "cpu",
    title: "CPU by role",
    about: "100 % is one core kept busy",
    alt: "Processor time in percent of one core.",
    label: "CPU (% of one core)",
    value: inUnits(cpuOf, PERCENT),
  });
}

/** Returns the largest resident memory of generator, balancer and backends per level, a panel per target; none without usage. */
export function memoryChart(result: Result): readonly ChartDefinition[] {
  const amounts = result.steps.flatMap(({ usage }) =>
    usage === undefined ? [] : ROLES.flatMap(({ role }) => memoryOf(usage, role) ?? []),
  );
  const { name, bytes } = pickByteUnit(amounts);
  return roleChart(result, {
    id: "memory",
    title: "Memory by role",
    about: "largest, all processes of a role",
    alt: `Resident memory in ${name}.`,
    label: `resident memory (${name})`,
    value: inUnits(memoryOf, bytes),
  });
}

/** From this difference on a loop tells something that processor time does not: of 1, which is one core or all of the time. */
const TELLING_DIFFERENCE = 0.15;

/**
 * Returns how busy the busiest event loop of each role was per level, a panel per target; none where it is the same as processor
 * time. It is more than that in a process that waits for a core, and less than that of many processes together.
 */
export function eventLoopChart(result: Result): readonly ChartDefinition[] {
  const isTelling = result.steps.some(({ usage }) => usage !== undefined && differsFromCpu(usage));
  if (!isTelling) return [];
  return roleChart(result, {
    id: "event-loop",
    title: "Event loop by role",
    about: "busiest of a role; 100 %: never idle",
    alt: "Share of the time in which the busiest event loop of a role did not wait, in percent.",
    label: "event loop (% of time)",
    value: inUnits(loopOf, PERCENT),
  });
}

function differsFromCpu(usage: Usage): boolean {
  return ROLES.some(({ role }) => {
    const [cpu, loop] = [cpuOf(usage, role), loopOf(usage, role)];
    return cpu !== null && loop !== null && Math.abs(cpu - loop) >= TELLING_DIFFERENCE;
  });
}
