import type { RequestCounts } from "../../model/measurement.js";
import type { Result } from "../../model/result.js";
import { countFailed } from "../cells.js";
import type { Cell } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { TOLD_FAILURES } from "../failure-classes.js";
import { formatCount } from "../format-number.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartSubtitle } from "./chart-subtitle.js";
import { loadValue } from "../../stats/load.js";
import { loadCategories } from "./load-axis.js";
import { collectCurves } from "./curves.js";
import type { Curve } from "./curves.js";
import { panelPerCurve } from "./panel-per-curve.js";

/** Returns the share of requests that failed, by class, a panel per target; none when nothing failed. */
export function errorsChart(result: Result): readonly ChartDefinition[] {
  const curves = collectCurves(result);
  const cells = curves.flatMap((curve) => curve.cells);
  if (cells.every((cell) => countFailed(cell) === 0)) {
    return [];
  }
  const classes = TOLD_FAILURES.flatMap((failure, colorIndex) =>
    cells.some((cell) => count(cell, failure.key) > 0) ? [{ ...failure, colorIndex }] : [],
  );
  const panelled = panelPerCurve(curves.map(panelTitle));
  return [
    {
      id: "errors",
      title: "Failed requests by class",
      subtitle: chartSubtitle(result, panelled.about("share of the requests sent, all trials together"), false),
      alt: `Failed requests in percent of those sent. ${curves.map(describeFailures).join(" ")}`,
      x: loadCategories(curves),
      y: { label: "failed requests (% of sent)", scale: "linear" },
      panels: panelled.panels,
      series: curves.flatMap((curve, panel) =>
        classes.map(({ key, label, colorIndex }) => ({
          name: label,
          shape: "bar" as const,
          stack: "failed",
          colorIndex,
          dash: "solid" as const,
          panel,
          points: curve.cells.map((cell) => ({ x: formatCount(loadValue(cell.level)), y: percent(cell, key) })),
        })),
      ),
    },
  ];
}

function panelTitle({ name, cells }: Curve): string {
  if (cells.every(({ measurements }) => measurements.length === 0)) {
    return `${name}: no measurement`;
  }
  return cells.some((cell) => countFailed(cell) > 0) ? name : `${name}: nothing failed`;
}

function describeFailures({ name, cells }: Curve): string {
  const failing = cells.filter((cell) => countFailed(cell) > 0);
  if (failing.length === 0) {
    return cells.every(({ measurements }) => measurements.length === 0) ? `${name}: no measurement.` : `${name}: none.`;
  }
  const levels = failing.map((cell) => `${formatCount(countFailed(cell))} with ${describeLoad(cell.level)}`);
  return `${name}: ${levels.join(", ")}.`;
}

function percent(cell: Cell, key: keyof RequestCounts): number | null {
  const sent = cell.measurements.reduce((sum, { requests }) => sum + requests.sent, 0);
  return sent === 0 ? null : (100 * count(cell, key)) / sent;
}

function count({ measurements }: Cell, key: keyof RequestCounts): number {
  return measurements.reduce((sum, { requests }) => sum + (requests[key] ?? 0), 0);
}
