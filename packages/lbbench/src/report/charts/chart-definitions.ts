import { compareByScenario, type ReferenceComparison } from "../../judge/compare-targets.js";
import type { Result } from "../../model/result.js";
import { formatCount } from "../../stats/format-number.js";
import { plainLine } from "../plain-line.js";
import { backendSharesChart, errorsChart, goodputChart, gridCharts, missedChart, roleCharts } from "./bar-charts.js";
import type { ChartDefinition, ChartRow, ChartSeries } from "./chart-definition.js";
import { altText, tinyPieceNotes } from "./chart-words.js";
import { comparisonChart } from "./comparison-chart.js";
import { readSweep, tellTrials, tellWhiskers, type Sweep } from "./curves.js";
import { latencyCharts, matrixCharts, refusedChart, throughputChart } from "./line-charts.js";
import { latencyDistributionChart, throughputLatencyChart } from "./latency-charts.js";
import { faultCharts, overTimeCharts, policyCharts, rampCharts } from "./time-charts.js";

const CHARTS: readonly ((sweep: Sweep, comparison: ReferenceComparison) => readonly ChartRow[])[] = [
  missedChart,
  policyCharts,
  faultCharts,
  matrixCharts,
  throughputChart,
  comparisonChart,
  gridCharts,
  latencyCharts,
  latencyDistributionChart,
  throughputLatencyChart,
  overTimeCharts,
  goodputChart,
  refusedChart,
  errorsChart,
  roleCharts,
  backendSharesChart,
];

/** Charts that tell the same better: of a matrix, where curves are too many, and of faults, in finer slices. */
const BETTER: ReadonlyMap<string, string> = new Map([
  ...["throughput", "latency", "latency-p99", "cpu"].map((id) => [id, `matrix-${id}`] as const),
  ["throughput-over-time", "faults"],
  ["latency-over-time", "faults-latency"],
]);

/**
 * Returns the charts of a result that have something to show. A load that rises has its own: against load it is a single point, and a
 * distribution over its seconds would mix those of few users with those of many. A report model has the charts already.
 */
export function chartDefinitions(
  result: Result,
  comparison: ReferenceComparison = compareByScenario(result),
): readonly ChartDefinition[] {
  const sweep = readSweep(result);
  const rows = result.scenario.ramp === null ? CHARTS.flatMap((chart) => chart(sweep, comparison)) : rampCharts(result);
  const ids = new Set(rows.map(({ id }) => id));
  const isRepeated = ({ id }: ChartRow): boolean => ids.has(BETTER.get(id) ?? "");
  return rows.filter((row) => !isRepeated(row)).map((row) => defineChart(sweep, row));
}

/** A picture of more panels is too long to read, and some programs cannot show it. */
const MOST_PANELS = 12;

const OUTLIERS = "circles: outliers, single trials far from the others, which the median and its interval contain";

/** Makes a chart of its row: what follows from its points by the same rules for all, and no word that would break its lines. */
function defineChart({ result, cells }: Sweep, row: ChartRow): ChartDefinition {
  const { id, title, x, y, right, notes = [], panels = [""] } = row;
  const isKept = ({ panel }: { readonly panel: number }): boolean => panel < MOST_PANELS;
  const looks = { shape: "line", dash: "solid", colorIndex: 0, panel: 0 } as const;
  const series = row.series.map((one): ChartSeries => ({ ...looks, ...one }));
  const points = series.flatMap((one) => one.points);
  // A name in the legend without a point anywhere would be looked for in vain.
  const drawn = new Set(
    series.filter((one) => isKept(one) && one.points.some((point) => point.y !== null)).map(({ name }) => name),
  );
  const someOf = <Placed extends { readonly panel: number }>(all: readonly Placed[] = []) => {
    const kept = all.filter(isKept);
    return kept.length === 0 ? undefined : kept;
  };
  const hasWhiskers = points.some(({ low }) => low !== undefined);
  const [only = ""] = panels;
  const subtitle = [
    result.scenario.name,
    panels.length === 1 ? only : "",
    ...[row.about].flat(),
    hasWhiskers && row.whiskers === undefined ? tellTrials(cells, "median of") : "",
  ];
  const more = `the first ${MOST_PANELS} of ${formatCount(panels.length)} panels; the tables have all of them`;
  const lines = [
    ...notes,
    ...(panels.length > MOST_PANELS ? [more] : []),
    ...(points.some(({ outliers }) => outliers !== undefined) ? [OUTLIERS] : []),
  ].flatMap((note) => note.split("\n"));
  const clean = cleanWords({
    id,
    title,
    subtitle: subtitle.filter((part) => part !== "").join(" · "),
    whiskers: hasWhiskers ? (row.whiskers ?? tellWhiskers(cells)) : undefined,
    alt: "",
    x,
    y,
    right,
    panels: panels.length === 1 ? [""] : panels.slice(0, MOST_PANELS),
    series: series.filter((one) => isKept(one) && drawn.has(one.name)),
    marks: someOf(row.marks),
    rules: someOf(row.rules),
  });
  const note = [...lines.map(plainLine), ...tinyPieceNotes(clean)].filter((line) => line !== "").join("\n");
  return { ...clean, alt: altText(clean), note: note || undefined };
}

/** Returns data in which no text, wherever names from outside may stand, has characters that would break a line or turn text around. */
function cleanWords<Data>(data: Data): Data;
function cleanWords(data: unknown): unknown {
  if (typeof data === "string") return plainLine(data);
  if (Array.isArray(data)) return data.map(cleanWords);
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, cleanWords(value)]));
}
