import { AT_LIMIT } from "../judge/findings.js";
import { findShortfalls, isAnythingMeasured } from "../judge/judge-result.js";
import type { Verdict } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import { countOf } from "../stats/count-of.js";
import { formatCount, formatPercent, formatRate, formatTime } from "../stats/format-number.js";
import { loadValue } from "../stats/load.js";
import { perSecond } from "../stats/ramp-seconds.js";
import {
  bottleneckOf,
  type Cell,
  cellsByTarget,
  collectCells,
  commonestWays,
  countFailed,
  countFinished,
  medianLatency,
  medianOf,
  type TargetRamp,
} from "./cells.js";
import { describeMarginOutcome } from "./compare-sentences.js";
import { describeLoad, describePlaces, loadWords } from "./describe-level.js";
import { describeSearchVerdict } from "./describe-search.js";
import type { ReportModel } from "./report-model.js";

/** Says in a sentence or two what the verdict means; plain text. */
export function describeVerdict(model: ReportModel): string {
  const { result } = model;
  const { verdict, scenario, steps, search } = result;
  const shortfalls = describeShortfalls(result);
  const counted = countFindings(verdict);
  if (search !== undefined) return join(describeSearchVerdict(result), ...shortfalls, counted);
  const codes = new Set(verdict.findings.map(({ code }) => code));
  const isWorse = codes.has("WORSE_THAN_REFERENCE");
  const compared = describeMarginOutcome(model);
  if (verdict.status === "pass") return join(describeMet(scenario), compared, counted, ...shortfalls);
  if (verdict.status === "fail") {
    const isMissed = codes.has("THRESHOLD_FAILED") || !isWorse;
    return join(isMissed ? "A threshold was not met." : "", isWorse ? compared : "", ...shortfalls);
  }
  if (!isAnythingMeasured(steps)) return join("Nothing was measured.", ...shortfalls);
  const isDoubted =
    shortfalls.length === 0 || codes.has("THRESHOLD_INCONCLUSIVE") || countOfSeverity(verdict, "error") > 0;
  const isOpen = codes.has("COMPARISON_INCONCLUSIVE") || isWorse;
  return join(isDoubted ? describeDoubt(result) : "", isOpen ? compared : "", ...shortfalls, counted);
}

/** Says why a run that failed nothing is no `pass`, a sentence or two for each reason; plain text, names as they came. */
export function describeShortfalls(result: Result): readonly string[] {
  return findShortfalls(result).map((shortfall) => {
    switch (shortfall.reason) {
      case "failures": {
        const { share, step } = shortfall;
        const [told] = describeBreak(result, step.target, cellsOf(result, step.target));
        const place = `${step.target} with ${describeLoad(step.level)}`;
        const failed = told ?? `${formatPercent(share)} % of the requests of ${place} failed`;
        return `${failed}, and no threshold allows that. ${adviseOnFailures(share, step)}`;
      }
      case "no-limit":
        return `No limit of ${shortfall.targets.join(", ")} was found: the largest load that was tried held.`;
      case "unfinished":
        return "The run was not finished: what follows is what was measured until then.";
    }
  });
}

/** Whoever fails more than this part of its requests is not helped by a threshold that allows it. */
const MOST_ALLOWED = 0.1;

/** A threshold can allow few failures; where all failed, only another status that is expected helps. */
function adviseOnFailures(share: number, { measurement }: StepResult): string {
  const look = "Look for the cause in the findings";
  if (share < MOST_ALLOWED) {
    return `${look}, or allow such a share: --threshold 'errors<${Math.floor(share * 100) + 1}%'.`;
  }
  if (share < 1) return `${look}.`;
  const statuses = Object.entries(measurement?.statusCodes ?? {}).toSorted(([, a], [, b]) => b - a);
  const [status = ""] = (measurement?.requests.non2xx ?? 0) > 0 ? (statuses[0] ?? []) : [];
  return /^\d{3}$/.test(status)
    ? `${look}. If ${status} is a good answer, say so: --expect-status ${status}.`
    : `${look}.`;
}

/** `2 warnings.`; empty beside an error, which says more by itself. */
function countFindings(verdict: Verdict): string {
  const warnings = countOfSeverity(verdict, "warning");
  if (countOfSeverity(verdict, "error") > 0) return "";
  return warnings === 0 ? "No warnings." : `${countOf(warnings, "warning")}.`;
}

function countOfSeverity({ findings }: Verdict, severity: "error" | "warning"): number {
  return findings.filter((finding) => finding.severity === severity).length;
}

function describeDoubt({ steps }: Result): string {
  const sent = steps.reduce((sum, { measurement }) => sum + (measurement?.requests.sent ?? 0), 0);
  const isAnyOk = steps.some(({ measurement }) => (measurement?.requests.ok ?? 0) > 0);
  return isAnyOk || sent < 2
    ? "The numbers do not support a conclusion; the findings say why."
    : `Not one of ${formatCount(sent)} requests was answered as expected: there is nothing to conclude, or to compare.`;
}

function describeMet({ thresholds: { length: thresholds }, faults = [] }: Result["scenario"]): string {
  const unasked = faults.length === 0 ? "" : " No threshold says how many requests the faults may cost.";
  if (thresholds === 0) return `The run went through.${unasked}`;
  return thresholds === 1 ? "The threshold was met." : `All ${formatCount(thresholds)} thresholds were met.`;
}

function join(...sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

/** Says for each target where its throughput was highest and what limited it there, of a ramp also what it was on average; plain text. */
export function describePeaks({ cells, ramps }: ReportModel): readonly string[] {
  if (ramps.length > 0) return ramps.map(describeRampPeak);
  return [...cellsByTarget(cells)].map(([target, own]) => `${target}: ${describePeak(own)}`);
}

function describePeak(cells: readonly Cell[]): string {
  const throughputOf = (cell: Cell): number => medianOf(cell, ({ throughput }) => throughput) ?? 0;
  const [peak] = cells.toSorted((a, b) => throughputOf(b) - throughputOf(a));
  if (peak === undefined || throughputOf(peak) === 0) return "no request was answered as expected";
  const levels = cells.map(({ level }) => level);
  const place =
    peak.level.rate === undefined
      ? `with ${describePlaces([peak.level], levels).replace(" with ", " and ")}`
      : `of ${formatCount(peak.level.rate)} asked for`;
  const bottleneck = bottleneckOf(peak) ?? "none";
  const limit = bottleneck === "none" ? undefined : AT_LIMIT.get(bottleneck);
  const rate = `up to ${formatRate(throughputOf(peak))} requests per second`;
  return `${rate}, ${place}${listLatencies(peak, ["p50", "p99"], " (", ")")}${limit === undefined ? "" : `; ${limit}`}`;
}

function describeRampPeak({ cell, seconds }: TargetRamp): string {
  const throughput = medianOf(cell, (measurement) => measurement.throughput) ?? 0;
  const [best] = seconds.toSorted((a, b) => perSecond(b, b.ok) - perSecond(a, a.ok));
  if (throughput === 0 || best === undefined) return `${cell.target}: no request was answered as expected`;
  const peak = `up to ${formatRate(perSecond(best, best.ok))} in one (second ${formatCount(best.second)}, ${countOf(best.users, "user")})`;
  return `${cell.target}: ${formatRate(throughput)} ok responses per second on average, ${peak}${listLatencies(cell, ["p50", "p90", "p99"], "; ", "")}`;
}

/** `p50 28.9 ms, p99 93.1 ms` between two texts; nothing where no latency is known. */
function listLatencies(cell: Cell, keys: readonly ("p50" | "p90" | "p99")[], before: string, after: string): string {
  const known = keys.flatMap((key) => {
    const ms = medianLatency(cell, key);
    return ms === null ? [] : [`${key} ${formatTime(ms)} ms`];
  });
  return known.length === 0 ? "" : `${before}${known.join(", ")}${after}`;
}

const MOST_NAMED = 4;

/** From this part of the requests on a target that fails them is broken. */
const BROKEN = 0.1;

/**
 * Says at which level of a sweep each target breaks, and how. It takes lower levels without any failure, and failures at every higher level.
 * Nothing of targets that the verdict speaks of, or of which an error says more, of ramps, and of matrices. Plain text.
 */
export function describeBreaks({ result, cells }: ReportModel): readonly string[] {
  if (result.search !== undefined || result.scenario.ramp !== null) return [];
  const told = new Set(findShortfalls(result).flatMap((one) => (one.reason === "failures" ? one.step.target : [])));
  return [...cellsByTarget(cells)].flatMap(([target, own]) =>
    told.has(target) ? [] : describeBreak(result, target, own),
  );
}

function cellsOf(result: Result, target: string): readonly Cell[] {
  return result.scenario.ramp === null ? (cellsByTarget(collectCells(result)).get(target) ?? []) : [];
}

function describeBreak({ verdict }: Result, target: string, cells: readonly Cell[]): readonly string[] {
  const rising = cells.toSorted((a, b) => loadValue(a.level) - loadValue(b.level));
  const isMatrix = new Set(rising.map(({ level }) => loadValue(level))).size < rising.length;
  const first = rising.findIndex((cell) => countFailed(cell) > 0);
  const [good, bad] = [rising[first - 1], rising[first]];
  if (isMatrix || good === undefined || bad === undefined || hasError(bad)) return [];
  const failing = rising.slice(first).filter((cell) => countFinished(cell) > 0);
  if (!rising.slice(0, first).every(isFaultless) || failing.some((cell) => countFailed(cell) === 0)) return [];
  const told = failing.length > MOST_NAMED ? [...failing.slice(0, MOST_NAMED - 1), ...failing.slice(-1)] : failing;
  const shares = told.map((cell, at) => {
    const share = `${formatPercent(countFailed(cell) / countFinished(cell))} %${at === 0 ? " failed" : ""}`;
    return `${share} at ${formatCount(loadValue(cell.level))} (${commonestWays(cell.measurements.map(({ requests }) => requests)).join(", ")})`;
  });
  const between = `between ${formatCount(loadValue(good.level))} and ${formatCount(loadValue(bad.level))} ${loadWords([good.level]).many}`;
  const isBroken = failing.some((cell) => countFailed(cell) > BROKEN * countFinished(cell));
  // What goes on to answer as many as it can is not broken.
  const isShedding = verdict.findings.some(({ code, args }) => code === "SHEDS" && args["target"] === target);
  const what = isShedding ? "begins to refuse requests" : isBroken ? "breaks" : "begins to fail requests";
  return [`${target} ${what} ${between}: ${shares.join(", ")}`];
}

/** Whether it is known that nothing failed: a step that was cut short, or whose target died, says nothing of what would have. */
function isFaultless(cell: Cell): boolean {
  const isMeasured = cell.steps.every(({ state, measurement }) => state === "completed" && measurement !== undefined);
  return isMeasured && countFinished(cell) > 0 && countFailed(cell) === 0 && !hasError(cell);
}

function hasError({ steps }: Cell): boolean {
  return steps.some(({ findings }) => findings.some(({ severity }) => severity === "error"));
}
