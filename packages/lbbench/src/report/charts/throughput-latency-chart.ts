import type { Result } from "../../model/result.js";
import { loadValue } from "../../stats/load.js";
import { type Cell, medianLatency, medianOf } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatCount, formatRate, formatTime } from "../format-number.js";
import { chooseScale, linearTicks, logTicks, namedAxis } from "./axes.js";
import { type Curve, curvePanels, loadName, mainCurves } from "./curves.js";
import type { ChartAxis, ChartDefinition, ChartPoint, ChartSeries } from "./chart-definition.js";
import { chartSubtitle } from "./chart-words.js";

const PERCENTILES = ["p50", "p99"] as const;

type Percentile = (typeof PERCENTILES)[number];

/** Fewer points are no course that other charts do not show as well. */
const FEWEST_POINTS = 3;

const MOST_STEPS = 8;

/**
 * Returns p50 and p99 of the latency of ok responses against throughput, the levels of a target joined in order of load: where
 * throughput is at its end, a line turns upwards, and back. A panel for each of them, p99 alone for very many; none where no target
 * was answered at three levels, and of a search, whose levels lie so close that they are a knot.
 */
export function throughputLatencyChart(result: Result): readonly ChartDefinition[] {
  if (result.scenario.search !== null) return [];
  const { curves: all, part } = mainCurves(result);
  const curves = all.filter(({ cells }) => cells.filter(isAnswered).length >= FEWEST_POINTS);
  if (curves.length === 0) return [];
  const { panels, series } = layOut(curves);
  const latencies = series.flatMap(({ points }) => points.flatMap(({ y }) => y ?? []));
  const scale = chooseScale(latencies);
  const trials = Math.max(...curves.flatMap(({ cells }) => cells.map(({ measurements }) => measurements.length)));
  const about = ["right and down is better", part, trials > 1 ? `medians of ${formatCount(trials)} trials` : ""];
  return [
    {
      id: "throughput-latency",
      title: "Latency against throughput",
      subtitle: chartSubtitle(result, about.filter((text) => text !== "").join(" · "), false),
      note: `numbers at points: ${loadName(curves)} at the beginning, with the most throughput, and in the end`,
      alt: `Latency of ok responses in milliseconds against throughput in ok responses per second. ${curves.map(describeTurn).join(" ")}`,
      x: throughputAxis(curves),
      y: namedAxis("latency (ms)", scale),
      panels,
      series,
    },
  ];
}

function layOut(curves: readonly Curve[]): Pick<ChartDefinition, "panels" | "series"> {
  const told = PERCENTILES.filter((key) => curves.some(({ cells }) => cells.some((cell) => isTold(cell, key))));
  const { panels, places } = curvePanels(curves);
  if (panels.length > 1) {
    const key = told.at(-1) ?? "p99";
    const series = curves.map((curve, index) => ({ ...lineOf(curve, key), ...places[index] }));
    return { panels: panels.map((title) => `${title}, ${key}`), series };
  }
  return {
    panels: told,
    series: curves.flatMap((curve) => told.map((key, panel) => ({ ...lineOf(curve, key), panel }))),
  };
}

/** The first and the last level, and the one with the most throughput, are named beside their points: more would hide the lines. */
function lineOf({ name, colorIndex, cells }: Curve, key: Percentile): ChartSeries {
  const answered = cells.filter((cell) => isTold(cell, key));
  const tagged = [answered[0], bestOf(answered), answered.at(-1)];
  const points = cells.map((cell) =>
    tagged.includes(cell) ? { ...pointOf(cell, key), tag: formatCount(loadValue(cell.level)) } : pointOf(cell, key),
  );
  return { name, shape: "line", colorIndex, dash: "solid", panel: 0, points };
}

/** Without whiskers, which other charts have: crosses at points that lie close would hide the course. */
function pointOf(cell: Cell, key: Percentile): ChartPoint {
  if (!isTold(cell, key)) return { x: throughputOf(cell), y: null };
  return {
    x: throughputOf(cell),
    y: medianLatency(cell, key),
    label: describeLoad(cell.level),
  };
}

function throughputAxis(curves: readonly Curve[]): ChartAxis {
  const label = "ok responses per second";
  const values = curves.map(({ cells }) => cells.filter(isAnswered).map(throughputOf));
  const peaks = values.map((ofCurve) => Math.max(...ofCurve));
  // Targets that lie far apart would squeeze the slow ones; levels of one may well lie close together at its beginning.
  if (chooseScale(peaks) === "log") {
    const { ticks } = logTicks(Math.min(...values.flat().filter((value) => value > 0)), Math.max(...peaks));
    return { ...namedAxis(label, "log"), ticks, end: Math.max(...peaks) };
  }
  return { label, scale: "linear", ticks: linearTicks(Math.max(...peaks), MOST_STEPS).ticks };
}

function throughputOf(cell: Cell): number {
  return medianOf(cell, ({ throughput }) => throughput) ?? 0;
}

function isAnswered(cell: Cell): boolean {
  return PERCENTILES.some((key) => isTold(cell, key));
}

function isTold(cell: Cell, key: Percentile): boolean {
  return !cell.cutShort && medianLatency(cell, key) !== null;
}

function describeTurn({ name, cells }: Curve): string {
  const answered = cells.filter(isAnswered);
  const [best, last] = [bestOf(answered), answered.at(-1)];
  if (best === undefined || last === undefined) return `${name}: no ok response.`;
  return `${name}: at most ${describePoint(best)}${last === best ? "" : `, in the end ${describePoint(last)}`}.`;
}

function bestOf(cells: readonly Cell[]): Cell | undefined {
  return cells.reduce<Cell | undefined>(
    (a, b) => (a !== undefined && throughputOf(a) >= throughputOf(b) ? a : b),
    undefined,
  );
}

function describePoint(cell: Cell): string {
  const key = isTold(cell, "p99") ? "p99" : "p50";
  return `${formatRate(throughputOf(cell))} at ${key} ${formatTime(medianLatency(cell, key) ?? 0)} with ${describeLoad(cell.level)}`;
}
