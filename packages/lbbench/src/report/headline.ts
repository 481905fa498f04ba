import type { Result } from "../model/result.js";
import type { MarginComparison } from "../judge/compare-by-margin.js";
import type { TargetJudgement } from "../judge/compare-levels.js";
import { speedMetric } from "../judge/speed-metric.js";
import { isWithinNoise, NEGLIGIBLE } from "../judge/within-noise.js";
import type { Level } from "../model/level.js";
import { groupBy } from "../stats/group-by.js";
import { medianLatency, medianOf } from "./cell-figures.js";
import { cellsByTarget, collectCells } from "./cells.js";
import type { Cell } from "./cells.js";
import { describeDraw } from "./compare-words.js";
import { describeMarginOutcome } from "./margin-outcome.js";
import { compareOf } from "./reference-comparison.js";
import { describeLoad, describeLoads } from "./describe-level.js";
import { describeRampPeak } from "./describe-ramp-peak.js";
import { collectRamps } from "./ramps.js";
import { describeSearchVerdict } from "./describe-search.js";
import { formatChange, formatCount, formatRate, formatTime } from "./format-number.js";

/** Says in a sentence what the verdict means; plain text. */
export function describeVerdict(result: Result): string {
  const { verdict, scenario, complete } = result;
  if (result.search !== undefined) return describeSearchVerdict(result);
  const count = scenario.thresholds.length;
  const compared = describeMarginOutcome(result);
  const soFar = "run was not finished: what follows is what was measured until then.";
  const stopped = complete ? "" : ` The ${soFar}`;
  switch (verdict.status) {
    case "pass":
      return complete
        ? `${join(describeMet(count), compared)} Nothing was found that makes the numbers unusable.`
        : `Nothing was found that makes the numbers unusable, but the ${soFar}`;
    case "fail": {
      const isMissed = verdict.findings.some(({ code }) => code === "THRESHOLD_FAILED");
      const isWorse = verdict.findings.some(({ code }) => code === "WORSE_THAN_REFERENCE");
      return `${join(isMissed || !isWorse ? "A threshold was not met." : "", isWorse ? compared : "")}${stopped}`;
    }
    case "inconclusive": {
      const isOpen = verdict.findings.some(
        ({ code }) => code === "COMPARISON_INCONCLUSIVE" || code === "WORSE_THAN_REFERENCE",
      );
      return `${join("The numbers do not support a conclusion; the findings say why.", isOpen ? compared : "")}${stopped}`;
    }
  }
}

/**
 * Says for each target where its throughput was higher than the reference's, lower, or not to be told; of an open loop, whose
 * throughput was asked for, the same of p50. Plain text.
 */
export function describeComparisons(result: Result): readonly string[] {
  return compareOf(result).targets.map(describeComparison);
}

/** Says for each target where its throughput was highest, of a ramp also what it was on average; plain text. */
export function describePeaks(result: Result): readonly string[] {
  if (result.scenario.ramp !== null) return collectRamps(result).map(describeRampPeak);
  return [...cellsByTarget(collectCells(result))].map(([target, cells]) => `${target}: ${describePeak(cells)}`);
}

function describeMet(thresholds: number): string {
  if (thresholds === 0) {
    return "The run went through.";
  }
  return thresholds === 1 ? "The threshold was met." : `All ${formatCount(thresholds)} thresholds were met.`;
}

function join(...sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

function describeComparison({ reference, other, levels }: TargetJudgement): string {
  const speeds = levels.map((judgement): SpeedAtLevel => {
    const metric = speedMetric(judgement.level);
    return { level: judgement.level, metric, comparison: judgement[metric] };
  });
  const parts = [describeSide(speeds, "faster"), describeSide(speeds, "slower"), describeDraws(speeds)].filter(
    (part) => part !== "",
  );
  return `${other} compared with ${reference}: ${parts.join("; ")}.`;
}

/** How two targets compare in what tells which is faster. */
interface SpeedAtLevel {
  readonly level: Level;
  readonly metric: "throughput" | "p50";
  readonly comparison: MarginComparison;
}

function describeSide(levels: readonly SpeedAtLevel[], verdict: "faster" | "slower"): string {
  const those = levels.filter(({ comparison }) => comparison.verdict === verdict);
  const [first] = those;
  if (first === undefined) {
    return "";
  }
  const isUp = (first.metric === "throughput") === (verdict === "faster");
  const changes = those.flatMap(({ comparison }) => comparison.change ?? []);
  const sizes = changes.map(Math.abs).map((size) => (isUp ? size : -size));
  const [interval, ...more] = those.map(({ comparison }) => comparison.interval);
  const between =
    interval && more.length === 0 ? `, 95 % interval ${describeRange([interval.low, interval.high])}` : "";
  return `${isUp ? "higher" : "lower"} ${first.metric} at ${listLevels(those)} (${describeRange(sizes)}${between})`;
}

function describeDraws(levels: readonly SpeedAtLevel[]): string {
  const draws = levels.filter(({ comparison }) => comparison.verdict === "~");
  const byReason = groupBy(draws, ({ comparison }) => describeDraw(comparison));
  const parts = [...byReason].map(([reason, those]) => {
    const where = those.length === levels.length && levels.length > 1 ? "any level" : listLevels(those);
    return `at ${where} (${reason})`;
  });
  if (parts.length === 0) {
    return "";
  }
  const measured = describeMeasured(draws);
  return `${measured === "" ? "" : `${measured}, but `}no difference can be claimed (~) ${parts.join(", ")}`;
}

/**
 * What was measured where nothing can be claimed, at all of those levels: to leave some out would hide the large changes. Nothing
 * where the finding `WITHIN_NOISE` tells all that is worth telling.
 */
function describeMeasured(draws: readonly SpeedAtLevel[]): string {
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
  const parts = sides.map(({ word, those }) => `${word} at ${listLevels(those)} (${rangeOf(those)})`);
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

function listLevels(levels: readonly SpeedAtLevel[]): string {
  return describeLoads(levels.map(({ level }) => level));
}

function describePeak(cells: readonly Cell[]): string {
  const peak = cells.reduce<Cell | undefined>(
    (best, cell) => (best === undefined || throughputOf(cell) > throughputOf(best) ? cell : best),
    undefined,
  );
  if (peak === undefined || throughputOf(peak) === 0) {
    return "no request was answered as expected";
  }
  const [p50, p99] = [medianLatency(peak, "p50"), medianLatency(peak, "p99")];
  const latency = p50 === null || p99 === null ? "" : ` (p50 ${formatTime(p50)} ms, p99 ${formatTime(p99)} ms)`;
  const rate = formatRate(throughputOf(peak));
  return peak.level.rate === undefined
    ? `at most ${rate} requests per second, with ${describeLoad(peak.level)}${latency}`
    : `at most ${rate} requests per second, of ${formatCount(peak.level.rate)} asked for${latency}`;
}

function throughputOf(cell: Cell): number {
  return medianOf(cell, ({ throughput }) => throughput) ?? 0;
}
