import type { RequestCounts } from "../../model/measurement.js";
import type { Result } from "../../model/result.js";
import { type Cell, countFailed, countFinished } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { TOLD_FAILURES } from "../../model/outcomes.js";
import { formatCount, formatPercent } from "../format-number.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartSubtitle, gapNote, joinNotes, untriedNote } from "./chart-words.js";
import { loadValue } from "../../stats/load.js";
import { collectCurves, type Curve, loadCategories, panelPerCurve } from "./curves.js";

/** Returns the share of requests that failed, by class, a panel per target; none when nothing failed. */
export function errorsChart(result: Result): readonly ChartDefinition[] {
  const all = collectCurves(result);
  const curves = all.length > MOST_WITH_FAULTLESS ? all.filter(({ cells }) => cells.some(isNotFaultless)) : all;
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
      subtitle: chartSubtitle(
        result,
        panelled.about("share of the requests that came to an end, all trials together"),
        false,
      ),
      ...joinNotes(
        curves.length < all.length ? `nothing failed of the ${formatCount(all.length - curves.length)} others` : "",
        gapNote(curves.filter(isMeasured), ({ measurements }) => measurements.length > 0).note,
        untriedNote(curves).note,
      ),
      alt: `Failed requests in percent of those that came to an end. ${curves.map(describeFailures).join(" ")}`,
      x: loadCategories(curves),
      y: { label: "failed requests (%)", scale: "linear" },
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

/** Beyond so many curves, those of which nothing failed have no panel. */
const MOST_WITH_FAULTLESS = 6;

/** Of what was not measured, nobody can say that nothing failed. */
function isNotFaultless(cell: Cell): boolean {
  return cell.measurements.length === 0 || countFailed(cell) > 0;
}

function isMeasured({ cells }: Curve): boolean {
  return cells.some(({ measurements }) => measurements.length > 0);
}

function panelTitle(curve: Curve): string {
  const { name, cells } = curve;
  if (!isMeasured(curve)) return `${name}: no measurement`;
  return cells.some((cell) => countFailed(cell) > 0) ? name : `${name}: nothing failed`;
}

function describeFailures(curve: Curve): string {
  const { name, cells } = curve;
  const failing = cells.filter((cell) => countFailed(cell) > 0);
  if (failing.length === 0) {
    return isMeasured(curve) ? `${name}: none.` : `${name}: no measurement.`;
  }
  const levels = failing.map((cell) => {
    const failed = countFailed(cell);
    const share = failed / Math.max(1, countFinished(cell));
    return `${formatPercent(share)} % (${formatCount(failed)}) with ${describeLoad(cell.level)}`;
  });
  return `${name}: ${levels.join(", ")}.`;
}

function percent(cell: Cell, key: keyof RequestCounts): number | null {
  const finished = countFinished(cell);
  return finished === 0 ? null : (100 * count(cell, key)) / finished;
}

function count({ measurements }: Cell, key: keyof RequestCounts): number {
  return measurements.reduce((sum, { requests }) => sum + (requests[key] ?? 0), 0);
}
