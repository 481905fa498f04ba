import type { MarginComparison, TargetJudgement } from "../judge/compare-targets.js";
import { isWithinNoise, NEGLIGIBLE } from "../judge/judge-margin.js";
import type { OverallComparison } from "../judge/compare-overall.js";
import type { Level } from "../model/level.js";
import { FEWEST_FOR_SPREAD } from "../stats/bootstrap.js";
import { groupBy } from "../stats/group-by.js";
import { describeDraw, describeKept } from "./compare-words.js";
import { describePlaces } from "./describe-level.js";
import { formatChange, formatCount, formatPercent } from "./format-number.js";

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
