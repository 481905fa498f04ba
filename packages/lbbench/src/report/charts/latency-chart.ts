import type { Result } from "../../model/result.js";
import type { Cell } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatTime } from "../format-number.js";
import { chooseScale, namedAxis } from "./axes.js";
import {
  collectCurves,
  type Curve,
  curvePanels,
  type CurvePanels,
  loadAxis,
  loadName,
  loadsOf,
  trialPoint,
} from "./curves.js";
import type { ChartAxis, ChartDefinition, ChartMark, ChartSeries, LineDash } from "./chart-definition.js";
import { chartSubtitle, gapNote, joinNotes } from "./chart-words.js";
import { loadValue } from "../../stats/load.js";
import { loadPoint, searchMarks } from "./search-marks.js";

type Percentile = "p50" | "p90" | "p99";

const PERCENTILES: readonly { readonly key: Percentile; readonly dash: LineDash }[] = [
  { key: "p50", dash: "solid" },
  { key: "p90", dash: "dashed" },
  { key: "p99", dash: "dotted" },
];

/** More lines than three times this cannot be told apart in one panel. */
const MOST_CURVES_IN_ONE_PANEL = 2;

/** With many targets, each of these has a chart of its own. */
const MAIN_PERCENTILES = [
  { key: "p50", id: "latency", title: "Median latency" },
  { key: "p99", id: "latency-p99", title: "p99 of latency" },
] as const;

/**
 * Returns p50, p90 and p99 of the latency of ok responses against load: in one panel for one or two targets, in
 * a panel per percentile for more, in a chart for p50 and one for p99 for very many; as bars for a single level; none when
 * nothing was answered.
 */
export function latencyChart(result: Result): readonly ChartDefinition[] {
  const curves = collectCurves(result);
  const values = curves.flatMap(({ cells }) =>
    cells.flatMap((cell) => PERCENTILES.flatMap(({ key }) => latencies(cell, key))),
  );
  if (values.length === 0) {
    return [];
  }
  const isSingleLevel = loadsOf(curves).length === 1;
  const panelled = curvePanels(curves);
  if (panelled.panels.length > 1) {
    return MAIN_PERCENTILES.map((percentile) => manyCurves(result, curves, panelled, percentile));
  }
  const scale = isSingleLevel ? "linear" : chooseScale(values);
  const found = isSingleLevel ? {} : searchMarks(result, curves, []);
  return [
    {
      id: "latency",
      title: `Latency percentiles against ${loadName(curves)}`,
      subtitle: chartSubtitle(result, "ok responses, lower is better", true),
      alt: `Latency of ok responses in milliseconds. ${curves.map(describeEnds).join(" ")}`,
      y: namedAxis("latency (ms)", scale),
      ...(isSingleLevel ? singleLevel(curves) : severalLevels(result, curves)),
      ...joinNotes(found.note, gapNote(curves, (cell) => latencies(cell, "p50").length > 0).note),
    },
  ];
}

function manyCurves(
  result: Result,
  curves: readonly Curve[],
  { panels, places }: CurvePanels,
  { key, id, title }: (typeof MAIN_PERCENTILES)[number],
): ChartDefinition {
  const { axis, shape, place } = loadAxis(curves);
  const { note, ...found } = shape === "line" ? searchMarks(result, curves, places) : {};
  const values = curves.flatMap(({ cells }) => cells.flatMap((cell) => latencies(cell, key)));
  const scale = shape === "bar" ? "linear" : chooseScale(values);
  return {
    id,
    title: `${title} against ${loadName(curves)}`,
    subtitle: chartSubtitle(result, "ok responses, lower is better", true),
    ...joinNotes(note, gapNote(curves, (cell) => latencies(cell, key).length > 0).note),
    alt: `Latency of ok responses in milliseconds. ${curves.map(describeEnds).join(" ")}`,
    x: axis,
    y: namedAxis(`${key} (ms)`, scale),
    panels,
    series: curves.map(({ name, colorIndex, cells }, index) => ({
      shape,
      dash: "solid",
      ...(places[index] ?? { name, colorIndex, panel: 0 }),
      points: cells.map((cell) => loadPoint(result, cell, place(loadValue(cell.level)), latencies(cell, key))),
    })),
    ...found,
  };
}

interface Layout {
  readonly title?: string;
  readonly x: ChartAxis;
  readonly panels: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly marks?: readonly ChartMark[];
}

function severalLevels(result: Result, curves: readonly Curve[]): Layout {
  const { axis, place } = loadAxis(curves);
  const isOnePanel = curves.length <= MOST_CURVES_IN_ONE_PANEL;
  const { marks = [] } = searchMarks(result, curves, []);
  return {
    x: axis,
    panels: isOnePanel ? [""] : PERCENTILES.map(({ key }) => key),
    series: curves.flatMap(({ name, colorIndex, cells }) =>
      PERCENTILES.map(({ key, dash }, panel) => ({
        name: isOnePanel ? `${name}, ${key}` : name,
        shape: "line" as const,
        colorIndex,
        dash: isOnePanel ? dash : ("solid" as const),
        panel: isOnePanel ? 0 : panel,
        points: cells.map((cell) => loadPoint(result, cell, place(loadValue(cell.level)), latencies(cell, key))),
      })),
    ),
    ...(marks.length === 0 ? {} : { marks: isOnePanel ? marks : inEachPanel(marks) }),
  };
}

function inEachPanel(marks: readonly ChartMark[]): readonly ChartMark[] {
  return PERCENTILES.flatMap((_, panel) => marks.map((mark) => ({ ...mark, panel })));
}

function singleLevel(curves: readonly Curve[]): Layout {
  const [level] = curves.flatMap(({ cells }) => cells.map((cell) => cell.level));
  return {
    title: `Latency percentiles at ${level === undefined ? "no load" : describeLoad(level)}`,
    x: { label: "", scale: "category", ticks: PERCENTILES.map(({ key }) => key) },
    panels: [""],
    series: curves.map(({ name, colorIndex, cells }) => ({
      name,
      shape: "bar" as const,
      colorIndex,
      dash: "solid" as const,
      panel: 0,
      points: PERCENTILES.map(({ key }) =>
        trialPoint(
          key,
          cells.flatMap((cell) => latencies(cell, key)),
        ),
      ),
    })),
  };
}

function describeEnds({ name, cells }: Curve): string {
  const last = cells.findLast((cell) => latencies(cell, "p50").length > 0);
  if (last === undefined) {
    return `${name}: no ok response.`;
  }
  const [p50, p99] = (["p50", "p99"] as const).map((key) => formatTime(trialPoint("", latencies(last, key)).y ?? 0));
  return `${name}: p50 ${p50} and p99 ${p99} with ${describeLoad(last.level)}.`;
}

function latencies({ measurements, cutShort }: Cell, key: Percentile): readonly number[] {
  return cutShort ? [] : measurements.flatMap(({ latency }) => latency?.[key] ?? []);
}
