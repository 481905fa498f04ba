import type { Measurement } from "../../model/measurement.js";
import type { Result } from "../../model/result.js";
import type { ToldScenario } from "../../model/scenario.js";
import { loadOf, loadValue } from "../../stats/load.js";
import { failedRequests } from "../../stats/request-counts.js";
import { type Cell, countRefused, refusalStatuses } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatCount, formatRate } from "../format-number.js";
import { plainLine } from "../plain-line.js";
import type { ChartDefinition, ChartPoint, ChartSeries } from "./chart-definition.js";
import { chartSubtitle, gapNote, joinNotes, untriedNote } from "./chart-words.js";
import { collectCurves, type Curve, loadCategories, panelPerCurve } from "./curves.js";

/** What became of requests, as counts of one measurement. */
interface Part {
  readonly name: string;
  readonly colorIndex: number;
  readonly count: (measurement: Measurement, scenario: ToldScenario) => number;
}

const OK: Part = { name: "ok", colorIndex: 2, count: ({ requests }) => requests.ok };
const REFUSED: Part = { name: "refused", colorIndex: 5, count: countRefused };
const UNSENT: Part = { name: "not sent", colorIndex: 4, count: ({ schedule }) => schedule?.unsent ?? 0 };

/** The order in which they stand on one another. */
const PARTS: readonly Part[] = [
  OK,
  REFUSED,
  {
    name: "failed",
    colorIndex: 1,
    count: (measurement, scenario) => failedRequests(measurement.requests) - countRefused(measurement, scenario),
  },
  UNSENT,
];

/**
 * Returns what became of the requests in each second: ok, refused by a status that says so, failed in another way, and, of an open
 * loop, what could not be sent, beside the load that was offered. A panel per target; none where all are ok, or none is.
 */
export function goodputChart(result: Result): readonly ChartDefinition[] {
  const { scenario } = result;
  const curves = collectCurves(result);
  const cells = curves.flatMap((curve) => curve.cells);
  const total = ({ measurements }: Cell, { count }: Part): number =>
    measurements.reduce((sum, measurement) => sum + count(measurement, scenario), 0);
  const parts = PARTS.filter((part) => cells.some((cell) => total(cell, part) > 0));
  // Without ok responses the shares of the chart of errors say it all.
  if (!parts.includes(OK) || parts.length === 1) return [];
  const perSecond = (cell: Cell, part: Part): number | null => {
    const seconds = cell.measurements.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0) / 1000;
    return seconds === 0 ? null : total(cell, part) / seconds;
  };
  const panelled = panelPerCurve(curves.map(({ name }) => name));
  return [
    {
      id: "goodput",
      title: `Goodput${parts.includes(REFUSED) ? ", refusals" : ""} and failures`,
      subtitle: chartSubtitle(result, panelled.about("what became of requests, all trials together"), false),
      ...joinNotes(
        noteOf(cells, parts, scenario),
        gapNote(curves, ({ measurements }) => measurements.length > 0).note,
        untriedNote(curves).note,
      ),
      alt: `Requests per second by what became of them. ${curves.map((curve) => describeEnd(curve, parts, perSecond)).join(" ")}`,
      x: loadCategories(curves),
      y: { label: "requests per second", scale: "linear" },
      panels: panelled.panels,
      series: curves.flatMap((curve, panel) => [
        ...offered(curve, panel),
        ...parts.map((part) => ({
          name: part.name,
          shape: "bar" as const,
          stack: "requests",
          colorIndex: part.colorIndex,
          dash: "solid" as const,
          panel,
          points: curve.cells.map((cell): ChartPoint => ({ x: placeOf(cell), y: perSecond(cell, part) })),
        })),
      ]),
    },
  ];
}

/** Of an open loop: how many requests were to leave in each second. */
function offered({ cells }: Curve, panel: number): readonly ChartSeries[] {
  const points = cells.flatMap((cell): readonly ChartPoint[] =>
    loadOf(cell.level).kind === "rate" ? [{ x: placeOf(cell), y: loadValue(cell.level) }] : [],
  );
  if (points.length === 0) return [];
  return [{ name: "offered", shape: "line", dense: true, colorIndex: 6, dash: "dashed", panel, points }];
}

function placeOf({ level }: Cell): string {
  return formatCount(loadValue(level));
}

/** Says by which statuses requests were refused, and why some were not sent. */
function noteOf(cells: readonly Cell[], parts: readonly Part[], scenario: ToldScenario): string {
  const statuses = refusalStatuses(
    cells.flatMap(({ measurements }) => measurements),
    scenario,
  );
  return [
    ...(parts.includes(REFUSED) ? [`refused: answered with ${statuses.map(plainLine).join(" or ")}`] : []),
    ...(parts.includes(UNSENT) ? ["not sent: due when as many requests as are allowed were in flight"] : []),
  ].join("\n");
}

function describeEnd(
  { name, cells }: Curve,
  parts: readonly Part[],
  perSecond: (cell: Cell, part: Part) => number | null,
): string {
  const last = cells.findLast(({ measurements }) => measurements.length > 0);
  if (last === undefined) return `${name}: no measurement.`;
  const told = parts.flatMap((part) => {
    const value = perSecond(last, part) ?? 0;
    return part === OK || value > 0 ? [`${formatRate(value)} ${part.name}`] : [];
  });
  return `${name}: ${told.join(", ")} with ${describeLoad(last.level)}.`;
}
