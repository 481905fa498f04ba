import type { Level } from "../../model/level.js";
import type { Result } from "../../model/result.js";
import { median } from "../../stats/descriptive.js";
import { groupBy } from "../../stats/group-by.js";
import { decodeHistogram, mergeHistograms } from "../../stats/histogram.js";
import { loadValue } from "../../stats/load.js";
import { percentileCurve, type PercentilePoint } from "../../stats/percentile-curve.js";
import type { Cell } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatCount, formatTime } from "../format-number.js";
import { plainLine } from "../plain-line.js";
import { chooseScale, namedAxis } from "./axes.js";
import type { ChartAxis, ChartDefinition, ChartSeries } from "./chart-definition.js";
import { chartSubtitle } from "./chart-words.js";
import { type Curve, curvePanels, type CurvePlace, loadsOf, mainCurves } from "./curves.js";

/** More panels than these would be a wall, more lines of one target would lie on each other. */
const MOST_PANELS = 3;
const MOST_LEVELS_OF_ONE_TARGET = 5;

/** Of more distributions, the text tells those of the highest level alone. */
const MOST_TOLD = 6;

/**
 * Returns the latency of ok responses against their percentile, at chosen levels, all trials together: a panel per level with a line
 * per target, for a single target a line per level, for very many the level with the most throughput. None without histograms.
 */
export function latencyDistributionChart(result: Result): readonly ChartDefinition[] {
  const { curves, part } = mainCurves(result);
  const { levels, panels, place } = layOut(curves);
  const drawn = levels.flatMap((level) => latencyDistributions(level, curves));
  if (drawn.length === 0) return [];
  const scale = chooseScale(drawn.flatMap(({ points }) => points.map(({ ms }) => ms)));
  const told = drawn.length > MOST_TOLD ? levels.slice(-1) : levels;
  return [
    {
      id: "latency-distribution",
      title: ["Latency distribution", levels.length === 1 ? `at ${levels[0]?.name}` : "", part]
        .filter((text) => text !== "")
        .join(" "),
      subtitle: chartSubtitle(result, describeChoice(curves, levels), false),
      ...noteOf(curves),
      alt: `${["Latency of ok responses in milliseconds by percentile", part, describeTrials(curves)].filter((text) => text !== "").join(", ")}. ${told.map((level) => describeLevel(level, drawn)).join(" ")}`,
      x: percentileAxis(Math.max(...drawn.map(({ points }) => points.at(-1)?.oneIn ?? 1))),
      y: namedAxis("latency (ms)", scale),
      panels,
      series: drawn.map((one): ChartSeries => ({
        ...place(one),
        shape: "line",
        dense: true,
        dash: "solid",
        points: one.points.map(({ oneIn, ms }) => ({ x: oneIn, y: ms, label: percentileName(oneIn) })),
      })),
    },
  ];
}

/** Which levels are drawn, in which panels, and where each distribution is. */
interface Layout {
  readonly levels: readonly ChosenLevel[];
  readonly panels: readonly string[];
  readonly place: (distribution: LatencyDistribution) => CurvePlace;
}

function layOut(curves: readonly Curve[]): Layout {
  const usable = curves.flatMap(({ cells }) => cells.filter(hasHistogram));
  const spread = curvePanels(curves);
  if (spread.panels.length > 1) {
    const levels = chooseLevels(usable, 0).filter(({ isBest }) => isBest);
    const places = new Map(curves.map((curve, index) => [curve, spread.places[index]]));
    return { levels, panels: spread.panels, place: ({ curve }) => places.get(curve) ?? { ...curve, panel: 0 } };
  }
  const isOneTarget = curves.length === 1;
  const levels = chooseLevels(usable, isOneTarget ? MOST_LEVELS_OF_ONE_TARGET : MOST_PANELS);
  if (isOneTarget && levels.length > 1) {
    const place = ({ level }: LatencyDistribution): CurvePlace => ({
      panel: 0,
      name: level.name,
      colorIndex: levels.indexOf(level),
    });
    return { levels, panels: [""], place };
  }
  return {
    levels,
    panels: levels.length > 1 ? levels.map(({ name }) => name) : [""],
    place: ({ level, curve }) => ({ panel: levels.indexOf(level), name: curve.name, colorIndex: curve.colorIndex }),
  };
}

function describeChoice(curves: readonly Curve[], levels: readonly ChosenLevel[]): string {
  const all = loadsOf(curves).length;
  return [
    curves.length === 1 && levels.length > 1 ? (curves[0]?.name ?? "") : "",
    "ok responses, lower is better",
    levels.length < all ? `${formatCount(levels.length)} of ${formatCount(all)} levels` : "",
    describeTrials(curves),
  ]
    .filter((text) => text !== "")
    .join(" · ");
}

/** The median of trials that are taken together is not the median of their medians, which tables have. */
function describeTrials(curves: readonly Curve[]): string {
  const trials = Math.max(...curves.flatMap(({ cells }) => cells.map(({ measurements }) => measurements.length)));
  return trials > 1 ? `over ${formatCount(trials)} trials together` : "";
}

/** Targets with latencies that nobody kept one by one. */
function noteOf(curves: readonly Curve[]): Pick<ChartDefinition, "note"> {
  const unseen = curves.filter(({ cells }) => cells.some(hasLatency) && !cells.some(hasHistogram));
  if (unseen.length === 0) return {};
  return { note: `left out, for want of a histogram: ${unseen.map(({ name }) => plainLine(name)).join(", ")}` };
}

/** Half of the answers, and as many nines as there are answers for. */
function describeLevel(level: ChosenLevel, drawn: readonly LatencyDistribution[]): string {
  const parts = drawn
    .filter((one) => one.level === level)
    .map(({ curve, points }) => {
      const last = 10 ** nines(points.at(-1)?.oneIn ?? 1);
      return `${curve.name} half within ${timeAt(points, 2)}, ${percentileName(last)} within ${timeAt(points, last)}`;
    });
  return `With ${level.name}: ${parts.length === 0 ? "too few ok responses" : parts.join("; ")}.`;
}

function timeAt(points: LatencyDistribution["points"], place: number): string {
  return formatTime(points.find(({ oneIn }) => oneIn === place)?.ms ?? 0);
}

/** The latencies of one target at one level, of all its trials. */
interface LatencyDistribution {
  readonly level: ChosenLevel;
  readonly curve: Curve;
  readonly points: readonly PercentilePoint[];
}

/** Fewer answers do not support a single nine. */
const FEWEST_ANSWERS = 10;

/** Returns the distributions at a level, of the targets that have one: histograms are merged, percentiles never averaged. */
function latencyDistributions(level: ChosenLevel, curves: readonly Curve[]): readonly LatencyDistribution[] {
  return curves.flatMap((curve) => {
    const cells = curve.cells.filter((cell) => hasHistogram(cell) && loadValue(cell.level) === level.load);
    const histograms = cells.flatMap(({ measurements }) => measurements.flatMap(({ histogram }) => histogram ?? []));
    const merged = mergeHistograms(histograms.map(decodeHistogram));
    return merged.totalCount < FEWEST_ANSWERS ? [] : [{ level, curve, points: percentileCurve(merged) }];
  });
}

/** Says whether ok responses of a cell have a latency, in steps that were not cut short. */
function hasLatency({ measurements, cutShort }: Cell): boolean {
  return !cutShort && measurements.some(({ latency }) => latency !== undefined);
}

/** Says whether it is known of a cell how its latencies are distributed. */
function hasHistogram(cell: Cell): boolean {
  return hasLatency(cell) && cell.measurements.some(({ histogram }) => histogram !== undefined);
}

/** A level whose latencies are drawn one by one. */
interface ChosenLevel {
  readonly load: number;
  /** With why it was chosen, where not all levels are: `50 connections (most throughput)`. */
  readonly name: string;
  /** Whether the most throughput was there, of whatever target. */
  readonly isBest: boolean;
}

/**
 * Chooses the levels whose distributions are worth a look, rising: all of them up to `most`, else the lowest, the one with the most
 * throughput, and the highest. Of those at which the most targets can be compared; none without cells.
 */
function chooseLevels(cells: readonly Cell[], most: number): readonly ChosenLevel[] {
  const groups = [...groupBy(cells, ({ level }) => String(loadValue(level))).values()];
  const widest = Math.max(0, ...groups.map((group) => group.length));
  const levels = groups
    .filter((group) => group.length === widest)
    .flatMap(toCandidate)
    .toSorted((a, b) => a.load - b.load);
  const [lowest, ...higher] = levels;
  if (lowest === undefined) return [];
  const highest = levels.at(-1) ?? lowest;
  const best = higher.reduce((a, b) => (b.throughput > a.throughput ? b : a), lowest);
  const isAll = levels.length <= most;
  return (isAll ? levels : [...new Set([lowest, best, highest])]).map((one) => {
    const reasons = [
      ...(one === lowest ? ["lowest"] : []),
      ...(one === highest ? ["highest"] : []),
      ...(one === best ? ["most throughput"] : []),
    ];
    const name = describeLoad(one.level);
    return { load: one.load, name: isAll ? name : `${name} (${reasons.join(", ")})`, isBest: one === best };
  });
}

interface Candidate {
  readonly load: number;
  readonly level: Level;
  /** The most that a target answers. */
  readonly throughput: number;
}

function toCandidate(group: readonly Cell[]): readonly Candidate[] {
  const throughputs = group.map(({ measurements }) => median(measurements.map(({ throughput }) => throughput)));
  return group
    .slice(0, 1)
    .map(({ level }) => ({ load: loadValue(level), level, throughput: Math.max(...throughputs) }));
}

/** Returns an axis of percentiles on which every further nine is as far as the one before, up to `end` (one in so many). */
export function percentileAxis(end: number): ChartAxis {
  const ticks = [1, 2, ...Array.from({ length: Math.max(0, nines(end)) }, (_, index) => 10 ** (index + 1))];
  return {
    label: "percentile of ok responses (log scale)",
    scale: "log",
    ticks,
    labels: ticks.map(percentileName),
    end,
  };
}

/** Names the percentile that all values but one in `oneIn` do not exceed: `0 %`, `50 %`, `99.9 %`. */
export function percentileName(oneIn: number): string {
  // As many decimals as tell it from its neighbours.
  const decimals = Math.ceil(Math.log10(oneIn));
  return `${Number((100 * (1 - 1 / oneIn)).toFixed(decimals))} %`;
}

/** Returns how many nines the last percentile that ends in nines has: 3 for one in 5 000. */
export function nines(oneIn: number): number {
  return Math.floor(Math.log10(oneIn));
}
