import type { Result } from "../../model/result.js";
import { loadValue } from "../../stats/load.js";
import { type Cell, countFinished, countRefused, type Expectations, refusalStatuses } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatPercent } from "../format-number.js";
import { plainLine } from "../plain-line.js";
import type { ChartDefinition, ChartSeries } from "./chart-definition.js";
import { chartSubtitle, gapNote, joinNotes } from "./chart-words.js";
import { collectCurves, type Curve, curvePanels, loadAxis, loadName } from "./curves.js";

/**
 * Returns the share of requests that were refused against load, a line per target as in the chart of throughput, so that it shows who
 * begins to refuse first and who refuses the most; none of fewer than 3, whose goodput shows as much, and where nobody refused.
 */
export function refusedChart(result: Result): readonly ChartDefinition[] {
  const { scenario } = result;
  const curves = collectCurves(result);
  const cells = curves.flatMap((curve) => curve.cells);
  const isAny = cells.some((cell) => (refusedShare(cell, scenario) ?? 0) > 0);
  if (curves.length < FEWEST_CURVES || !isAny) return [];
  const { axis, shape, place } = loadAxis(curves);
  const { panels, places } = curvePanels(curves);
  const statuses = refusalStatuses(
    cells.flatMap(({ measurements }) => measurements),
    scenario,
  );
  return [
    {
      id: "refused",
      title: `Refused requests against ${loadName(curves)}`,
      subtitle: chartSubtitle(result, "share of the requests that came to an end, lower is better", false),
      ...joinNotes(
        `refused: answered with ${statuses.map(plainLine).join(" or ")}`,
        gapNote(curves, ({ measurements }) => measurements.length > 0).note,
      ),
      alt: `Refused requests in percent of those that came to an end. ${curves.map((curve) => describeCurve(curve, scenario)).join(" ")}`,
      x: axis,
      y: { label: "refused requests (%)", scale: "linear" },
      panels,
      series: curves.map(({ name, colorIndex, cells: ofCurve }, index): ChartSeries => ({
        shape,
        dash: "solid",
        ...(places[index] ?? { name, colorIndex, panel: 0 }),
        points: ofCurve.map((cell) => ({
          x: place(loadValue(cell.level)),
          y: toPercent(refusedShare(cell, scenario)),
        })),
      })),
    },
  ];
}

const FEWEST_CURVES = 3;

/** Over all trials; `null` where nothing was measured. */
function refusedShare(cell: Cell, scenario: Expectations): number | null {
  const finished = countFinished(cell);
  const refused = cell.measurements.reduce((sum, measurement) => sum + countRefused(measurement, scenario), 0);
  return finished === 0 ? null : refused / finished;
}

function toPercent(share: number | null): number | null {
  return share === null ? null : share * 100;
}

function describeCurve({ name, cells }: Curve, scenario: Expectations): string {
  const refusing = cells.flatMap((cell) => {
    const share = refusedShare(cell, scenario);
    return share === null || share === 0 ? [] : [{ share, level: cell.level }];
  });
  const [first] = refusing;
  if (first === undefined) {
    return cells.some(({ measurements }) => measurements.length > 0) ? `${name}: none.` : `${name}: no measurement.`;
  }
  const most = refusing.reduce((worst, one) => (one.share > worst.share ? one : worst), first);
  return `${name}: first with ${describeLoad(first.level)}, at most ${formatPercent(most.share)} % with ${describeLoad(most.level)}.`;
}
