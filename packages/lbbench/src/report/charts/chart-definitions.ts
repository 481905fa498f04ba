import { compareByScenario, type ReferenceComparison } from "../../judge/compare-targets.js";
import type { Result } from "../../model/result.js";
import { formatCount } from "../format-number.js";
import { plainLine } from "../plain-line.js";
import type { ChartAxis, ChartDefinition, ChartPoint } from "./chart-definition.js";
import { backendSharesChart } from "./backend-shares-chart.js";
import { joinNotes, tinyPiecesNote } from "./chart-words.js";
import { comparisonChart } from "./comparison-chart.js";
import { cpuChart, eventLoopChart, memoryChart } from "./process-charts.js";
import { errorsChart } from "./errors-chart.js";
import { goodputChart } from "./goodput-chart.js";
import { gridCharts } from "./grid-charts.js";
import { latencyChart } from "./latency-chart.js";
import { latencyDistributionChart } from "./latency-distribution-chart.js";
import { matrixCharts } from "./matrix-charts.js";
import { overTimeCharts } from "./over-time-charts.js";
import { refusedChart } from "./refused-chart.js";
import { rampErrorsChart, rampLatencyChart, rampThroughputChart } from "./ramp-charts.js";
import { throughputChart } from "./throughput-chart.js";
import { throughputLatencyChart } from "./throughput-latency-chart.js";

const CHARTS: readonly ((result: Result, comparison: ReferenceComparison) => readonly ChartDefinition[])[] = [
  throughputChart,
  comparisonChart,
  gridCharts,
  latencyChart,
  latencyDistributionChart,
  throughputLatencyChart,
  overTimeCharts,
  goodputChart,
  refusedChart,
  errorsChart,
  cpuChart,
  eventLoopChart,
  memoryChart,
  backendSharesChart,
];

/**
 * What a load that rises has in their place: against load it is a single point, and a distribution over its seconds would mix those
 * of few users with those of many.
 */
const RAMP_CHARTS: typeof CHARTS = [rampLatencyChart, rampThroughputChart, rampErrorsChart];

/** What a matrix has in their place, whose curves are too many for them. */
const IN_A_MATRIX: ReadonlyMap<(typeof CHARTS)[number], string> = new Map([
  [throughputChart, "matrix-throughput"],
  [latencyChart, "matrix-latency"],
  [cpuChart, "matrix-cpu"],
]);

/**
 * Returns the charts of a result that have something to show, as data; every format draws these and no others. A report model has them
 * already.
 */
export function chartDefinitions(
  result: Result,
  comparison: ReferenceComparison = compareByScenario(result),
): readonly ChartDefinition[] {
  const ofMatrix = matrixCharts(result);
  const isDrawn = (id: string | undefined): boolean => ofMatrix.some((chart) => chart.id === id);
  const isRepeated = (chart: (typeof CHARTS)[number]): boolean =>
    isDrawn(IN_A_MATRIX.get(chart)) && !(chart === throughputChart && hasLaw(result));
  const charts = result.scenario.ramp === null ? CHARTS.filter((chart) => !isRepeated(chart)) : RAMP_CHARTS;
  return [...ofMatrix, ...charts.flatMap((chart) => chart(result, comparison))]
    .map(limitPanels)
    .map(explainOutliers)
    .map(dropEmptySeries)
    .map(cleanChart)
    .map(explainTinyPieces);
}

/** A law is of throughput against load, so it has no place in a chart against numbers of requests. */
function hasLaw({ verdict }: Result): boolean {
  return verdict.findings.some(({ code }) => code === "SCALABILITY");
}

function explainOutliers(definition: ChartDefinition): ChartDefinition {
  const hasOutliers = definition.series.some(({ points }) => points.some(({ outliers }) => outliers !== undefined));
  return hasOutliers ? { ...definition, ...joinNotes(definition.note, OUTLIERS) } : definition;
}

function explainTinyPieces(definition: ChartDefinition): ChartDefinition {
  return { ...definition, ...joinNotes(definition.note, tinyPiecesNote(definition).note) };
}

/** A name in the legend without a point anywhere would be looked for in vain. */
function dropEmptySeries(definition: ChartDefinition): ChartDefinition {
  const { series } = definition;
  const drawn = new Set(series.filter(({ points }) => points.some(({ y }) => y !== null)).map(({ name }) => name));
  return { ...definition, series: series.filter(({ name }) => drawn.has(name)) };
}

const OUTLIERS = "circles: outliers, single trials far from the others, which the median and its interval contain";

/** More panels than this make a picture that nobody looks through, and that some programs cannot show. */
const MOST_PANELS = 12;

/** Returns a chart with its first 12 panels, which says how many there are; one with fewer as it is. */
function limitPanels(definition: ChartDefinition): ChartDefinition {
  const { panels, series, marks, rules, note } = definition;
  if (panels.length <= MOST_PANELS) return definition;
  const isKept = ({ panel }: { readonly panel: number }): boolean => panel < MOST_PANELS;
  const left = `the first ${MOST_PANELS} of ${formatCount(panels.length)} panels; the tables have all of them`;
  return {
    ...definition,
    panels: panels.slice(0, MOST_PANELS),
    series: series.filter(isKept),
    ...(marks === undefined ? {} : { marks: marks.filter(isKept) }),
    ...(rules === undefined ? {} : { rules: rules.filter(isKept) }),
    note: note === undefined ? left : `${note}\n${left}`,
  };
}

/** Returns a chart without characters that would break its lines or turn text around, wherever names from outside may stand. */
function cleanChart(definition: ChartDefinition): ChartDefinition {
  const { title, subtitle, note, alt, x, y, right, panels, series, marks, rules } = definition;
  return {
    ...definition,
    title: plainLine(title),
    subtitle: plainLine(subtitle),
    ...(note === undefined ? {} : { note: note.split("\n").map(plainLine).join("\n") }),
    alt: plainLine(alt),
    x: cleanAxis(x),
    y: cleanAxis(y),
    ...(right === undefined ? {} : { right: cleanAxis(right) }),
    panels: panels.map(plainLine),
    series: series.map((one) => ({ ...one, name: plainLine(one.name), points: one.points.map(cleanPoint) })),
    ...(marks === undefined ? {} : { marks: marks.map((mark) => ({ ...mark, label: plainLine(mark.label) })) }),
    ...(rules === undefined ? {} : { rules: rules.map((rule) => ({ ...rule, label: plainLine(rule.label) })) }),
  };
}

function cleanAxis(axis: ChartAxis): ChartAxis {
  const { label, ticks, labels } = axis;
  return {
    ...axis,
    label: plainLine(label),
    ...(ticks === undefined ? {} : { ticks: ticks.map(cleanPlace) }),
    ...(labels === undefined ? {} : { labels: labels.map(plainLine) }),
  };
}

function cleanPoint(point: ChartPoint): ChartPoint {
  const { x, label, tag } = point;
  if (typeof x === "number" && label === undefined && tag === undefined) return point;
  return {
    ...point,
    x: cleanPlace(x),
    ...(label === undefined ? {} : { label: plainLine(label) }),
    ...(tag === undefined ? {} : { tag: plainLine(tag) }),
  };
}

function cleanPlace<T extends number | string>(place: T): T | string {
  return typeof place === "string" ? plainLine(place) : place;
}
