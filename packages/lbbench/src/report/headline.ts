import { isAnythingMeasured, findShortfalls } from "../judge/judge-result.js";
import type { Verdict } from "../model/finding.js";
import type { Result } from "../model/result.js";
import type { TargetJudgement } from "../judge/compare-targets.js";
import { speedMetric } from "../judge/metrics.js";
import { bottleneckOf, type Cell, cellsByTarget, medianLatency, medianOf } from "./cells.js";
import { describeFailureChanges, describeMarginOutcome, splitUndecided } from "./compare-sentences.js";
import type { ReportModel } from "./report-model.js";
import { describeLoad, describePlaces } from "./describe-level.js";
import {
  describeDraws,
  describeLack,
  describeOverall,
  describeRampPeak,
  describeSide,
  describeWorth,
  type SpeedAtLevel,
} from "./throughput-sentences.js";
import { describeSearchVerdict } from "./describe-search.js";
import { formatCount, formatPercent, formatRate, formatTime } from "./format-number.js";
import { countOf } from "../stats/count-of.js";

/** Says in a sentence or two what the verdict means; plain text. */
export function describeVerdict(model: ReportModel): string {
  const { result } = model;
  const { verdict, scenario } = result;
  const shortfalls = describeShortfalls(result);
  if (result.search !== undefined) return join(describeSearchVerdict(result), ...shortfalls, countFindings(verdict));
  const compared = describeMarginOutcome(model);
  switch (verdict.status) {
    case "pass":
      return join(describeMet(scenario.thresholds.length), compared, countFindings(verdict), ...shortfalls);
    case "fail": {
      const isMissed = verdict.findings.some(({ code }) => code === "THRESHOLD_FAILED");
      const isWorse = verdict.findings.some(({ code }) => code === "WORSE_THAN_REFERENCE");
      return join(isMissed || !isWorse ? "A threshold was not met." : "", isWorse ? compared : "", ...shortfalls);
    }
    case "inconclusive": {
      const codes = new Set(verdict.findings.map(({ code }) => code));
      const isOpen = codes.has("COMPARISON_INCONCLUSIVE") || codes.has("WORSE_THAN_REFERENCE");
      if (!isAnythingMeasured(result.steps)) return join("Nothing was measured.", ...shortfalls);
      const isDoubted =
        shortfalls.length === 0 ||
        codes.has("THRESHOLD_INCONCLUSIVE") ||
        verdict.findings.some(({ severity }) => severity === "error");
      return join(
        isDoubted ? describeDoubt(result) : "",
        isOpen ? compared : "",
        ...shortfalls,
        countFindings(verdict),
      );
    }
  }
}

/** Says why a run that failed nothing is no `pass`, a sentence for each reason; plain text, names as they came. */
export function describeShortfalls(result: Result): readonly string[] {
  return findShortfalls(result).map((shortfall) => {
    switch (shortfall.reason) {
      case "failures": {
        const { share, step } = shortfall;
        const place = `${step.target} with ${describeLoad(step.level)}`;
        return `${formatPercent(share)} % of the requests of ${place} failed, and no threshold allows that. Set one if you expect it: --threshold 'errors<${Math.min(100, Math.floor(share * 100) + 1)}%'.`;
      }
      case "no-limit":
        return `No limit of ${shortfall.targets.join(", ")} was found: the largest load that was tried held.`;
      case "unfinished":
        return "The run was not finished: what follows is what was measured until then.";
    }
  });
}

/** `No errors, 2 warnings.`; empty beside an error, which says more by itself. */
function countFindings({ findings }: Verdict): string {
  if (findings.some(({ severity }) => severity === "error")) return "";
  const { length } = findings.filter(({ severity }) => severity === "warning");
  return `No errors, ${length === 0 ? "no warnings" : countOf(length, "warning")}.`;
}

/**
 * Says of each target compared with the reference from which load on it helps; then where its throughput was higher than the reference's, lower, or not to be told, and where more of its
 * requests failed, or fewer; of an open loop, whose throughput was asked for, the same of p50. Plain text.
 */
export function describeComparisons({ result, comparison: { targets } }: ReportModel): readonly string[] {
  const worth = new Map(targets.map((judgement) => [judgement, describeWorth(judgement, result.scenario.trials)]));
  // What was measured is said already, and that it is no test beside it.
  const untested = targets.filter((judgement) => worth.get(judgement) !== "" && isUntested(judgement));
  const { decided, sentence } = splitUndecided(targets.filter((judgement) => !untested.includes(judgement)));
  const lines = [...worth].map(([judgement, line]) =>
    untested.includes(judgement) ? `${line} ${describeLack(speedsAt(judgement))}` : line,
  );
  return [...lines, ...decided.map(describeComparison), sentence].filter((one) => one !== "");
}

/** Says for each target where its throughput was highest, of a ramp also what it was on average; plain text. */
export function describePeaks({ cells: all, ramps }: ReportModel): readonly string[] {
  if (ramps.length > 0) return ramps.map(describeRampPeak);
  return [...cellsByTarget(all)].map(([target, cells]) => `${target}: ${describePeak(cells)}`);
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

function speedsAt({ levels }: TargetJudgement): readonly SpeedAtLevel[] {
  return levels.map((row) => {
    const metric = speedMetric(row.level);
    return { level: row.level, metric, comparison: row[metric] };
  });
}

/** Whether trials are all that is missing at every level, and all of them together show nothing. */
function isUntested(judgement: TargetJudgement): boolean {
  const isLacking = speedsAt(judgement).every(({ comparison }) => comparison.reason === "SINGLE_TRIAL");
  return isLacking && (judgement.overall?.verdict ?? "~") === "~";
}

function describeComparison(judgement: TargetJudgement): string {
  const { reference, other, overall } = judgement;
  const speeds = speedsAt(judgement);
  const sides = [describeSide(speeds, "faster"), describeSide(speeds, "slower")];
  // Where each level tells the same, that is enough.
  const isOpen = speeds.some(({ comparison }) => comparison.verdict === "~");
  const isOverall = overall !== undefined && overall.verdict !== "~" && isOpen;
  const said = [...sides, ...describeFailureChanges(judgement)].filter((part) => part !== "");
  const isAnyLevelTold = sides.some((part) => part !== "");
  const parts = isOverall && !isAnyLevelTold ? said : [...said, describeDraws(speeds)].filter((part) => part !== "");
  return [
    ...(isOverall ? [describeOverall(judgement, overall)] : []),
    ...(parts.length === 0 ? [] : [`${other} compared with ${reference}: ${parts.join("; ")}.`]),
    ...(isOverall && !isAnyLevelTold ? [describeLack(speeds)] : []),
  ].join(" ");
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
