import { isAnythingMeasured } from "../judge/judge-result.js";
import type { Result } from "../model/result.js";
import type { TargetJudgement } from "../judge/compare-levels.js";
import { speedMetric } from "../judge/speed-metric.js";
import { bottleneckOf, medianLatency, medianOf } from "./cell-figures.js";
import { cellsByTarget, collectCells } from "./cells.js";
import type { Cell } from "./cells.js";
import { describeMarginOutcome } from "./margin-outcome.js";
import { splitUndecided } from "./describe-undecided.js";
import { compareOf } from "./reference-comparison.js";
import { describeFailureChanges } from "./describe-failure-changes.js";
import { describePlaces } from "./describe-level.js";
import { describeDraws, describeSide } from "./speed-sentences.js";
import type { SpeedAtLevel } from "./speed-sentences.js";
import { describeRampPeak } from "./describe-ramp-peak.js";
import { collectRamps } from "./ramps.js";
import { describeSearchVerdict } from "./describe-search.js";
import { formatCount, formatRate, formatTime } from "./format-number.js";

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
      if (!isAnythingMeasured(result.steps)) return `Nothing was measured.${stopped}`;
      const isOnlyUnfinished =
        result.finishedAt === null && verdict.findings.every(({ severity }) => severity !== "error");
      const why = isOnlyUnfinished ? "" : describeDoubt(result);
      return `${join(why, isOpen ? compared : "")}${stopped}`.trim();
    }
  }
}

/**
 * Says for each target where its throughput was higher than the reference's, lower, or not to be told, and where more of its
 * requests failed, or fewer; of an open loop, whose throughput was asked for, the same of p50. Plain text.
 */
export function describeComparisons(result: Result): readonly string[] {
  const { decided, sentence } = splitUndecided(compareOf(result).targets);
  return [...decided.map(describeComparison), ...(sentence === "" ? [] : [sentence])];
}

/** Says for each target where its throughput was highest, of a ramp also what it was on average; plain text. */
export function describePeaks(result: Result): readonly string[] {
  if (result.scenario.ramp !== null) return collectRamps(result).map(describeRampPeak);
  return [...cellsByTarget(collectCells(result))].map(([target, cells]) => `${target}: ${describePeak(cells)}`);
}

function describeDoubt({ steps }: Result): string {
  const sent = steps.reduce((sum, { measurement }) => sum + (measurement?.requests.sent ?? 0), 0);
  const isAnyOk = steps.some(({ measurement }) => (measurement?.requests.ok ?? 0) > 0);
  return isAnyOk || sent < 2
    ? "The numbers do not support a conclusion; the findings say why."
    : `Not one of ${formatCount(sent)} requests was answered as expected: there is nothing to conclude, or to compare.`;
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

function describeComparison(judgement: TargetJudgement): string {
  const { reference, other, levels } = judgement;
  const speeds = levels.map((row): SpeedAtLevel => {
    const metric = speedMetric(row.level);
    return { level: row.level, metric, comparison: row[metric] };
  });
  const parts = [
    describeSide(speeds, "faster"),
    describeSide(speeds, "slower"),
    ...describeFailureChanges(judgement),
    describeDraws(speeds),
  ].filter((part) => part !== "");
  return `${other} compared with ${reference}: ${parts.join("; ")}.`;
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
  const limit = bottleneckOf(peak) === "generator" ? " (the generator was the busiest part)" : "";
  return peak.level.rate === undefined
    ? `at most ${rate} requests per second, with ${describePlaces(
        [peak.level],
        cells.map(({ level }) => level),
      ).replace(" with ", " and ")}${latency}${limit}`
    : `at most ${rate} requests per second, of ${formatCount(peak.level.rate)} asked for${latency}${limit}`;
}

function throughputOf(cell: Cell): number {
  return medianOf(cell, ({ throughput }) => throughput) ?? 0;
}
