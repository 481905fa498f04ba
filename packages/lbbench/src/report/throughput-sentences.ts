import type { OverallComparison } from "../judge/compare-overall.js";
import type { LevelJudgement, MarginComparison, TargetJudgement } from "../judge/compare-targets.js";
import { isWithinNoise, NEGLIGIBLE } from "../judge/judge-margin.js";
import type { Level } from "../model/level.js";
import { FEWEST_FOR_SPREAD } from "../stats/spread.js";
import { countOf } from "../stats/count-of.js";
import { groupBy } from "../stats/group-by.js";
import { loadValue } from "../stats/load.js";
import { perSecond } from "../stats/ramp-seconds.js";
import { type Cell, medianLatency, medianOf, type TargetRamp } from "./cells.js";
import { describeDraw, describeKept } from "./compare-words.js";
import { describeAmount, describeLoad, describePlaces, distinctAmounts } from "./describe-level.js";
import { formatChange, formatCount, formatPercent, formatRate, formatTime } from "./format-number.js";
import type { ReportModel } from "./report-model.js";
import { plainLine } from "./plain-line.js";
import { alignRows, renderSparkline, shortenToWidth, textWidth, widthOf } from "./text-layout.js";

/** How two targets compare in what tells which is faster. */
export interface SpeedAtLevel {
  readonly level: Level;
  readonly metric: "throughput" | "p50";
  readonly comparison: MarginComparison;
}

/** `balanced is slower than single: 79 % less throughput over all 6 levels (p = 0.03).`; plain text. */
export function describeOverall(
  { reference, other }: Pick<TargetJudgement, "reference" | "other">,
  { metric, change, isAtLeast, pValue, verdict, levels, of }: OverallComparison,
): string {
  const size = `${isAtLeast ? "at least " : ""}${roundPercent(Math.abs(change))} %`;
  const [more, less] = metric === "throughput" ? ["more", "less"] : ["higher", "lower"];
  const all = ["", "all trials", "both levels"][of] ?? `all ${formatCount(of)} levels`;
  const where = levels === of ? all : `${formatCount(levels)} of ${formatCount(of)} levels`;
  const p = pValue < 0.001 ? "p < 0.001" : `p = ${Number(pValue.toPrecision(1))}`;
  return `${other} is ${verdict} than ${reference}: ${size} ${change > 0 ? more : less} ${metric} over ${where} (${p}).`;
}

/** Whole from 10 on: `79`, `4.2`. */
function roundPercent(share: number): string {
  return share < 0.1 ? formatPercent(share) : formatCount(share * 100);
}

/** Says why no single level is told, where all of them together are; plain text. */
export function describeLack(levels: readonly SpeedAtLevel[]): string {
  const needed = Math.max(0, ...levels.map(({ comparison: { trialsNeeded = 0 } }) => trialsNeeded));
  return needed === 0
    ? "No single level shows it by itself."
    : `A test at each level needs --trials ${Math.max(needed, FEWEST_FOR_SPREAD)}.`;
}

/** Says at which of the levels it is faster, or slower, and by how much; empty where it is at none. Plain text. */
export function describeSide(levels: readonly SpeedAtLevel[], verdict: "faster" | "slower"): string {
  const those = levels.filter(({ comparison }) => comparison.verdict === verdict);
  const [first] = those;
  if (first === undefined) {
    return "";
  }
  const isUp = (first.metric === "throughput") === (verdict === "faster");
  const isBound = those.some(({ comparison }) => comparison.atLeast !== undefined);
  const changes = those.flatMap(({ comparison: { atLeast, change } }) => atLeast ?? change ?? []);
  const sizes = changes.map(Math.abs).map((size) => (isUp ? size : -size));
  const [interval, ...more] = those.map(({ comparison }) => comparison.interval);
  const between =
    interval && more.length === 0 ? `, 95 % interval ${describeRange([interval.low, interval.high])}` : "";
  const kept = describeKept(those.map(({ comparison }) => comparison)).map((trials) => `, ${trials}`);
  return `${isUp ? "higher" : "lower"} ${first.metric} at ${listLevels(those, levels)} (${isBound ? "at least " : ""}${describeRange(sizes)}${between}${kept.join("")})`;
}

/** Says at which of the levels no difference can be claimed, why, and what was measured there; empty where there are none. Plain text. */
export function describeDraws(levels: readonly SpeedAtLevel[]): string {
  const draws = levels.filter(({ comparison }) => comparison.verdict === "~");
  const byReason = groupBy(draws, ({ comparison }) => describeDraw(comparison));
  const parts = [...byReason].map(([reason, those]) => {
    const where = those.length === levels.length && levels.length > 1 ? "any level" : listLevels(those, levels);
    return `at ${where} (${reason})`;
  });
  if (parts.length === 0) {
    return "";
  }
  const measured = describeMeasured(draws, levels);
  return `${measured === "" ? "" : `${measured}, but `}no difference can be claimed (~) ${parts.join(", ")}`;
}

/**
 * What was measured where nothing can be claimed, at all of those levels: to leave some out would hide the large changes. Nothing
 * where the finding `WITHIN_NOISE` tells all that is worth telling.
 */
function describeMeasured(draws: readonly SpeedAtLevel[], levels: readonly SpeedAtLevel[]): string {
  const [first] = draws;
  const measured = draws.filter(({ comparison }) => comparison.change !== null);
  const isTold = ({ comparison }: SpeedAtLevel): boolean =>
    isWithinNoise(comparison) || Math.abs(changeOf(comparison)) < NEGLIGIBLE;
  if (first === undefined || measured.every(isTold)) return "";
  const sides = [
    { word: "higher", those: measured.filter(({ comparison }) => changeOf(comparison) >= 0) },
    { word: "lower", those: measured.filter(({ comparison }) => changeOf(comparison) < 0) },
  ].filter(({ those }) => those.length > 0);
  const rangeOf = (those: readonly SpeedAtLevel[]): string =>
    describeRange(those.map(({ comparison }) => changeOf(comparison)));
  if (sides.length === 1 && measured.length === draws.length) {
    return `${first.metric} measured ${rangeOf(measured)}`;
  }
  const parts = sides.map(({ word, those }) => `${word} at ${listLevels(those, levels)} (${rangeOf(those)})`);
  return `${first.metric} measured ${parts.join(" and ")}`;
}

function changeOf({ change }: MarginComparison): number {
  return change ?? 0;
}

/** `-4.0 % to -12.1 %`: the smaller change first; where some are up and some down, from the lowest to the highest. */
function describeRange(changes: readonly number[]): string {
  const sorted = changes.toSorted((a, b) => a - b);
  const ordered = sorted.every((change) => change <= 0) ? sorted.toReversed() : sorted;
  const [least = 0, most = 0] = [ordered[0], ordered.at(-1)];
  return formatChange(least) === formatChange(most)
    ? formatChange(least)
    : `${formatChange(least)} to ${formatChange(most)}`;
}

function listLevels(levels: readonly SpeedAtLevel[], all: readonly SpeedAtLevel[]): string {
  return describePlaces(
    levels.map(({ level }) => level),
    all.map(({ level }) => level),
  );
}

/** A gain of throughput below this part of it is not worth another process. */
const WORTH = 0.05;

/** A level of connections at which both targets made throughput. */
interface Gain {
  readonly row: LevelJudgement;
  readonly change: number;
}

/**
 * Says whether another target is worth having in place of the reference: from which load on it makes at least 5 % more throughput, and what
 * it costs with one connection. Plain text; empty where the levels are not at least two of connections, from one on.
 *
 * @param trials of each level; one is said, because nothing can be claimed of it.
 */
export function describeWorth({ reference, other, levels }: TargetJudgement, trials: number): string {
  const gains = levels
    .flatMap((row): readonly Gain[] => {
      const { change } = row.throughput;
      return row.level.connections === undefined || change === null ? [] : [{ row, change }];
    })
    .toSorted((a, b) => (a.row.level.connections ?? 0) - (b.row.level.connections ?? 0));
  const [first, second] = gains;
  if (first?.row.level.connections !== 1 || second === undefined) return "";
  const once = trials === 1 ? ", measured once" : "";
  return `${describeGain(gains, reference, other)}${once}. ${describeCost(first)}`;
}

function describeGain(gains: readonly Gain[], reference: string, other: string): string {
  const from = gains.findLastIndex(({ change }) => change < WORTH) + 1;
  const helped = gains.slice(from);
  const [least] = helped;
  if (least === undefined)
    return `${other} makes no more throughput than ${reference} under the highest load (${range(gains.slice(-1))})`;
  const where = from === 0 ? "at every level" : `from ${describeLoad(least.row.level)} on`;
  return `${other} makes more throughput than ${reference} ${where} (${range(helped)})`;
}

/** What is lost with one connection, where nothing can be shared out. */
function describeCost({ row: { p50 }, change }: Gain): string {
  const longerMs = p50.other === null || p50.reference === null ? 0 : p50.other - p50.reference;
  const latency = longerMs > 0 ? `, p50 ${formatTime(longerMs)} ms longer` : "";
  return change < 0
    ? `With 1 connection: ${range([{ change }])} throughput${latency}.`
    : "With 1 connection it costs nothing.";
}

function range(gains: readonly Pick<Gain, "change">[]): string {
  const changes = gains.map(({ change }) => change);
  const [low, high] = [formatChange(Math.min(...changes)), formatChange(Math.max(...changes))];
  return low === high ? low : `${low} to ${high}`;
}

/** One bar alone would show nothing. */
const FEWEST = 2;
const MOST_BARS = 40;
const SHORTEST_NAME = 8;

/** How the throughput of one target goes over its levels, or over the seconds of its ramp. */
interface Trend {
  readonly name: string;
  /** ok responses per second; `null` where nothing was measured. */
  readonly values: readonly (number | null)[];
  /** Says where a value was, by its index: `at 250`. */
  readonly where: (index: number) => string;
}

/**
 * Returns a caption and a line of bars for each target that has two levels or more, or a ramp of two seconds: its throughput,
 * drawn to one scale for all, and the highest. No lines where there is no such target.
 *
 * @param width columns that the lines keep to, from 20 on.
 */
export function renderTrends({ cells, ramps }: ReportModel, width: number): readonly string[] {
  const isRamp = ramps.length > 0;
  const trends = (isRamp ? rampTrends(ramps) : levelTrends(cells)).filter(({ values }) => values.length >= FEWEST);
  const known = trends.flatMap(({ values }) => values.filter((value) => value !== null));
  if (known.length === 0) return [];
  return [
    isRamp ? "Throughput second by second:" : captionOf(cells),
    ...alignTrends(trends, Math.max(...known), width),
  ];
}

function alignTrends(trends: readonly Trend[], highest: number, width: number): readonly string[] {
  const words = trends.map(describeHighest);
  const wordsWidth = Math.max(...words.map(textWidth));
  const bars = Math.max(...trends.map(({ values }) => Math.min(values.length, MOST_BARS)));
  const isRoomForWords = width - widthOf([bars, wordsWidth]) >= SHORTEST_NAME;
  const barsWidth = Math.min(bars, width - widthOf([0]) - SHORTEST_NAME);
  const others = isRoomForWords ? [bars, wordsWidth] : [barsWidth];
  const longest = Math.max(SHORTEST_NAME, width - widthOf(others));
  return alignRows(
    ["left", "left", "left"],
    trends.map(({ name, values }, index) => [
      shortenToWidth(name, longest),
      renderSparkline(values, highest, isRoomForWords ? bars : barsWidth),
      isRoomForWords ? (words[index] ?? "") : "",
    ]),
  );
}

function describeHighest({ values, where }: Trend): string {
  const highest = Math.max(...values.map((value) => value ?? -1));
  return highest < 0 ? "" : `highest ${formatRate(highest)} ok/s ${where(values.indexOf(highest))}`;
}

function levelTrends(cells: readonly Cell[]): readonly Trend[] {
  const hasAmounts = distinctAmounts(cells.map(({ level }) => level)).length > 1;
  const groups = groupBy(cells, ({ target, level }) => JSON.stringify([target, describeAmount(level)]));
  return [...groups.values()].flatMap((ofGroup) => {
    const [first] = ofGroup;
    if (first === undefined) return [];
    const rising = ofGroup.toSorted((a, b) => loadValue(a.level) - loadValue(b.level));
    const name = plainLine(first.target);
    return {
      name: hasAmounts ? `${name}, ${describeAmount(first.level)}` : name,
      values: rising.map((cell) => medianOf(cell, ({ throughput }) => throughput)),
      where: (index: number) => `at ${formatCount(loadValue(rising[index]?.level ?? first.level))}`,
    };
  });
}

function rampTrends(ramps: readonly TargetRamp[]): readonly Trend[] {
  return ramps.map(({ cell, seconds }) => ({
    name: plainLine(cell.target),
    values: seconds.map((second) => perSecond(second, second.ok)),
    where: (index) => `in second ${formatCount(seconds[index]?.second ?? index)}`,
  }));
}

function captionOf(cells: readonly Cell[]): string {
  const [first, ...others] = cells.map(({ level }) => level).toSorted((a, b) => loadValue(a) - loadValue(b));
  const last = others.at(-1);
  if (first === undefined || last === undefined) return "";
  return `Throughput by level, ${formatCount(loadValue(first))} to ${describeLoad(last)}:`;
}

/** Says what a ramp came to: throughput on average and in its best second, latency of the whole; plain text. */
export function describeRampPeak({ cell, seconds }: TargetRamp): string {
  const throughput = medianOf(cell, (measurement) => measurement.throughput) ?? 0;
  const [first, ...others] = seconds;
  if (throughput === 0 || first === undefined) return `${cell.target}: no request was answered as expected`;
  const best = others.reduce((a, b) => (perSecond(b, b.ok) > perSecond(a, a.ok) ? b : a), first);
  const [p50, p90, p99] = (["p50", "p90", "p99"] as const).map((key) => medianLatency(cell, key));
  const latency = [
    ["p50", p50],
    ["p90", p90],
    ["p99", p99],
  ].flatMap(([name, ms]) => (typeof ms === "number" ? [`${name} ${formatTime(ms)} ms`] : []));
  const peak = `at most ${formatRate(perSecond(best, best.ok))} in one (second ${formatCount(best.second)}, ${countOf(best.users, "user")})`;
  const course = `${cell.target}: ${formatRate(throughput)} ok responses per second on average, ${peak}`;
  return latency.length === 0 ? course : `${course}; ${latency.join(", ")}`;
}
