import type { Result } from "../../model/result.js";
import { formatCount, formatTime } from "../format-number.js";
import { plainLine } from "../plain-line.js";
import { chooseScale } from "./axis-scale.js";
import type { ChartDefinition, ChartSeries } from "./chart-definition.js";
import { chartSubtitle } from "./chart-subtitle.js";
import { curvePanels } from "./curve-panels.js";
import type { CurvePlace } from "./curve-panels.js";
import { loadsOf } from "./curves.js";
import type { Curve } from "./curves.js";
import { chooseLevels } from "./distribution-levels.js";
import type { ChosenLevel } from "./distribution-levels.js";
import { hasHistogram, hasLatency, latencyDistributions } from "./latency-distributions.js";
import type { LatencyDistribution } from "./latency-distributions.js";
import { mainCurves } from "./main-curves.js";
import { nines, percentileAxis, percentileName } from "./percentile-axis.js";

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
      y: { label: scale === "log" ? "latency (ms, log scale)" : "latency (ms)", scale },
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
