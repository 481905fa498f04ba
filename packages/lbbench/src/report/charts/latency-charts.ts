/** Latency against something else than load: against its percentile, and against throughput. */
import { groupAscending } from "../../stats/group-by.js";
import { decodeHistogram, mergeHistograms } from "../../stats/histogram.js";
import { loadValue } from "../../stats/load.js";
import { percentileCurve } from "../../stats/percentile-curve.js";
import { type Cell, medianLatency } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { hollowNote, isDoubtful } from "../doubtful-figures.js";
import { throughputOf } from "../figures.js";
import { defined } from "../../stats/defined.js";
import { formatCount } from "../../stats/format-number.js";
import { plainLine } from "../plain-line.js";
import { chooseScale, linearTicks, logTicks } from "./axes.js";
import type { ChartAxis, ChartPoint, ChartRow, RowSeries } from "./chart-definition.js";
import {
  type Curve,
  curvePanels,
  LATENCY,
  loadsOf,
  tellTrials,
  type PlacedCurve,
  type Sweep,
  THROUGHPUT,
} from "./curves.js";

const MOST_PANELS = 3;
const MOST_LEVELS_OF_ONE_TARGET = 5;

const FEWEST_ANSWERS = 10;

/**
 * Returns the latency of ok responses against their percentile, all trials together: a panel per level, or of a single target a line per
 * level; of very many targets the level with the most throughput alone. None without histograms.
 */
export function latencyDistributionChart({ main, part }: Sweep): readonly ChartRow[] {
  const cells = main.flatMap((curve) => curve.cells);
  const { panels, placed } = curvePanels(main);
  const isSpread = panels.length > 1;
  const isOneTarget = main.length === 1;
  const most = isSpread ? 0 : isOneTarget ? MOST_LEVELS_OF_ONE_TARGET : MOST_PANELS;
  const levels = chooseLevels(cells.filter(hasHistogram), most);
  const isByLevel = isOneTarget && levels.length > 1;
  const series = levels.flatMap((level, at) =>
    placed.flatMap((one): readonly RowSeries[] => {
      const points = distributionPoints(one.cells.filter((cell) => loadValue(cell.level) === level.load));
      const looks = isByLevel
        ? { name: level.name, colorIndex: at }
        : { name: one.name, colorIndex: one.colorIndex, panel: isSpread ? one.panel : at };
      return points.length === 0 ? [] : [{ ...looks, dense: true, points }];
    }),
  );
  if (series.length === 0) return [];
  const points = series.flatMap((one) => one.points);
  const unseen = main.flatMap(({ name, cells: own }) =>
    own.some(hasLatency) && !own.some(hasHistogram) ? [plainLine(name)] : [],
  );
  const all = loadsOf(cells).length;
  return [
    {
      id: "latency-distribution",
      title: ["Latency distribution", levels.length === 1 ? ` at ${levels[0]?.name}` : "", part && ` ${part}`].join(""),
      about: [
        isByLevel ? (main[0]?.name ?? "") : "",
        `ok responses, ${LATENCY.better}`,
        levels.length < all ? `${formatCount(levels.length)} of ${formatCount(all)} levels` : "",
        // The median of trials that are taken together is not the median of their medians, which tables have.
        tellTrials(cells, "over", " together"),
      ],
      notes: unseen.length === 0 ? [] : [`left out, for want of a histogram: ${unseen.join(", ")}`],
      x: percentileAxis(Math.max(...points.map(({ x }) => Number(x)))),
      y: { ...LATENCY.axis, scale: chooseScale(points.map(({ y }) => y ?? 0)) },
      panels: levels.length > 1 && !isByLevel ? levels.map(({ name }) => name) : panels,
      series,
    },
  ];
}

/** Histograms of all trials are merged, percentiles never averaged. */
function distributionPoints(cells: readonly Cell[]): readonly ChartPoint[] {
  const histograms = cells
    .filter(hasHistogram)
    .flatMap(({ measurements }) => measurements.flatMap(({ histogram }) => histogram ?? []));
  const merged = mergeHistograms(histograms.map(decodeHistogram));
  if (merged.totalCount < FEWEST_ANSWERS) return [];
  return percentileCurve(merged).map(({ oneIn, ms }) => ({ x: oneIn, y: ms, label: percentileName(oneIn) }));
}

/** Says whether ok responses of a cell have a latency, in steps that were not cut short. */
function hasLatency({ measurements, cutShort }: Cell): boolean {
  return !cutShort && measurements.some(({ latency }) => latency !== undefined);
}

/** Says whether it is known of a cell how its latencies are distributed. */
function hasHistogram(cell: Cell): boolean {
  return hasLatency(cell) && cell.measurements.some(({ histogram }) => histogram !== undefined);
}

/**
 * Chooses levels at which the most targets can be compared, rising: all up to `most`, else the lowest, the highest and the one with the
 * most throughput; up to 0 that one alone. Where not all are chosen, their names say why: `50 connections (most throughput)`.
 */
function chooseLevels(cells: readonly Cell[], most: number) {
  const groups = groupAscending(cells, ({ level }) => loadValue(level));
  const widest = Math.max(0, ...groups.map(({ items }) => items.length));
  const levels = groups.filter(({ items }) => items.length === widest);
  const highest = levels.map(({ items }) => Math.max(...items.map(throughputOf)));
  const best = highest.indexOf(Math.max(...highest));
  const isAll = levels.length <= most;
  return levels.flatMap(({ key: load, items }, at) => {
    const why = [
      ...(at === 0 && most > 0 ? ["lowest"] : []),
      ...(at === levels.length - 1 && most > 0 ? ["highest"] : []),
      ...(at === best ? ["most throughput"] : []),
    ];
    const name = `${describeLoad(items[0]?.level ?? {})}${isAll ? "" : ` (${why.join(", ")})`}`;
    return isAll || why.length > 0 ? [{ load, name }] : [];
  });
}

/** Returns an axis of percentiles on which every further nine is as far as the one before, up to `end` (one in so many). */
export function percentileAxis(end: number): ChartAxis {
  const nines = Math.max(0, Math.floor(Math.log10(end)));
  const ticks = [1, 2, ...Array.from({ length: nines }, (_, index) => 10 ** (index + 1))];
  const label = "percentile of ok responses";
  return { label, scale: "log", ticks, labels: ticks.map(percentileName), end };
}

/** Names the percentile that all values but one in `oneIn` do not exceed: `0 %`, `50 %`, `99.9 %`. */
export function percentileName(oneIn: number): string {
  // As many decimals as tell it from its neighbours.
  const decimals = Math.ceil(Math.log10(oneIn));
  return `${Number((100 * (1 - 1 / oneIn)).toFixed(decimals))} %`;
}

const PERCENTILES = ["p50", "p99"] as const;

type Percentile = (typeof PERCENTILES)[number];

const FEWEST_POINTS = 3;

const MOST_STEPS = 8;

/**
 * Returns p50 and p99 of ok responses against throughput, levels joined in order of load: where throughput is at its end, a line turns
 * upwards, and back. None of a search, whose levels lie so close that they are a knot.
 */
export function throughputLatencyChart({ result, main, part, loadName }: Sweep): readonly ChartRow[] {
  const curves = main.filter(({ cells }) => cells.filter(isAnswered).length >= FEWEST_POINTS);
  if (result.scenario.search !== null || curves.length === 0) return [];
  const cells = curves.flatMap((curve) => curve.cells);
  const { panels, placed } = curvePanels(curves);
  const isSpread = panels.length > 1;
  const told = PERCENTILES.filter((key) => cells.some((cell) => isTold(cell, key))).slice(isSpread ? -1 : 0);
  const series = placed.flatMap((one) => told.map((key, at) => courseOf(isSpread ? one : { ...one, panel: at }, key)));
  return [
    {
      id: "throughput-latency",
      title: "Latency against throughput",
      about: ["right and down is better", part, tellTrials(cells, "medians of")],
      notes: [
        `numbers at points: ${loadName} at the beginning, with the most throughput, and in the end`,
        hollowNote(cells, ["throughput_per_s", ...told.map((key) => `latency_${key}_ms`)]),
      ],
      x: throughputAxis(curves),
      y: {
        ...LATENCY.axis,
        scale: chooseScale(series.flatMap(({ points }) => points.flatMap(({ y }) => y ?? []))),
      },
      panels: isSpread ? panels.map((title) => `${title}, ${told.join("")}`) : told,
      series,
    },
  ];
}

/** More tags would hide the lines, and whiskers of points that lie close the course. */
function courseOf({ cells, ...place }: PlacedCurve, key: Percentile): RowSeries {
  const answered = cells.filter((cell) => isTold(cell, key));
  const most = Math.max(...answered.map(throughputOf));
  const tagged = [answered[0], answered.find((cell) => throughputOf(cell) === most), answered.at(-1)];
  const points = cells.map((cell): ChartPoint => {
    const x = throughputOf(cell);
    if (!isTold(cell, key)) return { x, y: null };
    const tag = tagged.includes(cell) ? formatCount(loadValue(cell.level)) : undefined;
    const isBounded = ["throughput_per_s", `latency_${key}_ms`].some((figure) => isDoubtful(cell, figure)) || undefined;
    return { x, y: medianLatency(cell, key), label: describeLoad(cell.level), ...defined({ tag, isBounded }) };
  });
  return { ...place, points };
}

function throughputAxis(curves: readonly Curve[]): ChartAxis {
  const { axis } = THROUGHPUT;
  const values = curves.map(({ cells }) => cells.filter(isAnswered).map(throughputOf));
  const peaks = values.map((ofCurve) => Math.max(...ofCurve));
  const end = Math.max(...peaks);
  // Targets that lie far apart would squeeze the slow ones; levels of one may well lie close together at its beginning.
  if (chooseScale(peaks) === "linear") return { ...axis, scale: "linear", ticks: linearTicks(end, MOST_STEPS).ticks };
  const { ticks } = logTicks(Math.min(...values.flat().filter((value) => value > 0)), end);
  return { ...axis, scale: "log", ticks, end };
}

function isAnswered(cell: Cell): boolean {
  return PERCENTILES.some((key) => isTold(cell, key));
}

function isTold(cell: Cell, key: Percentile): boolean {
  return !cell.cutShort && medianLatency(cell, key) !== null;
}
