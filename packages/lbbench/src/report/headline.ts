import type { Result } from "../model/result.js";
import { compareTargets } from "../judge/compare-targets.js";
import type { LevelComparison } from "../judge/compare-targets.js";
import { groupBy } from "../stats/group-by.js";
import { medianLatency, medianOf } from "./cell-figures.js";
import { cellsByTarget, collectCells } from "./cells.js";
import type { Cell } from "./cells.js";
import { describeReason } from "./comparison-reason.js";
import { describeLoad, describeLoads } from "./describe-level.js";
import { describeSearchVerdict } from "./describe-search.js";
import { formatChange, formatCount, formatRate, formatTime } from "./format-number.js";

/** Says in a sentence what the verdict means; plain text. */
export function describeVerdict(result: Result): string {
  const { verdict, scenario, complete } = result;
  if (result.search !== undefined) return describeSearchVerdict(result);
  const count = scenario.thresholds.length;
  const soFar = "run was not finished: what follows is what was measured until then.";
  const stopped = complete ? "" : ` The ${soFar}`;
  switch (verdict.status) {
    case "pass":
      return complete
        ? `${describeMet(count)} Nothing was found that makes the numbers unusable.`
        : `Nothing was found that makes the numbers unusable, but the ${soFar}`;
    case "fail":
      return `A threshold was not met.${stopped}`;
    case "inconclusive":
      return `The numbers do not support a conclusion; the findings say why.${stopped}`;
  }
}

/** Says for each target where its throughput was higher than the reference's, lower, or not to be told; plain text. */
export function describeComparisons(result: Result): readonly string[] {
  const byTarget = groupBy(compareTargets(result), ({ target }) => target);
  return [...byTarget.values()].map(describeComparison);
}

/** Says for each target where its throughput was highest; plain text. */
export function describePeaks(result: Result): readonly string[] {
  return [...cellsByTarget(collectCells(result))].map(([target, cells]) => `${target}: ${describePeak(cells)}`);
}

function describeMet(thresholds: number): string {
  if (thresholds === 0) {
    return "The run went through.";
  }
  return thresholds === 1 ? "The threshold was met." : `All ${formatCount(thresholds)} thresholds were met.`;
}

function describeComparison(levels: readonly LevelComparison[]): string {
  const { target, reference } = levels[0] ?? { target: "", reference: "" };
  const parts = [
    describeSide("higher throughput", levels, "faster"),
    describeSide("lower throughput", levels, "slower"),
    describeDraw(levels),
  ].filter((part) => part !== "");
  return `${target} compared with ${reference}: ${parts.join("; ")}.`;
}

function describeSide(what: string, levels: readonly LevelComparison[], verdict: "faster" | "slower"): string {
  const those = levels.filter(({ throughput }) => throughput.verdict === verdict);
  const changes = those.flatMap(({ throughput }) => throughput.change ?? []);
  if (those.length === 0) {
    return "";
  }
  const sizes = changes.map(Math.abs).map((size) => (verdict === "faster" ? size : -size));
  return `${what} at ${listLevels(those)} (${describeRange(sizes)})`;
}

function describeDraw(levels: readonly LevelComparison[]): string {
  const draws = levels.filter(({ throughput }) => throughput.verdict === "~");
  const byReason = groupBy(draws, ({ throughput }) => describeReason(throughput.reason));
  const parts = [...byReason].map(([reason, those]) => {
    const where = those.length === levels.length && levels.length > 1 ? "any level" : listLevels(those);
    return `at ${where} (${reason})`;
  });
  if (parts.length === 0) {
    return "";
  }
  const changes = draws.flatMap(({ throughput }) => throughput.change ?? []);
  const measured = changes.length === 0 ? "" : `throughput measured ${describeRange(changes)}, but `;
  return `${measured}no difference can be claimed (~) ${parts.join(", ")}`;
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

function listLevels(levels: readonly LevelComparison[]): string {
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
  return `at most ${rate} requests per second, ${peak.level.rate === undefined ? "with" : "asked for"} ${describeLoad(peak.level)}${latency}`;
}

function throughputOf(cell: Cell): number {
  return medianOf(cell, ({ throughput }) => throughput) ?? 0;
}
