import type { Finding, Severity, Verdict } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import type { ToldScenario } from "../model/scenario.js";
import { mean, median, range, standardDeviation, sumOf } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { placeKey } from "../stats/identity.js";
import { failedRequests, finishedRequests } from "../stats/request-counts.js";
import { findBackendsThatDiffer } from "./backends-differ.js";
import { findUnequalCores } from "./balancers.js";
import { findBytesDiffer } from "./bytes-differ.js";
import { nameLighterLoad } from "./fast-failures.js";
import { shareFailedBefore } from "./fault-response.js";
import { groupFindings, groupLevels, locate } from "./group-findings.js";
import { findIdenticalFigures } from "./identical-figures.js";
import { findGrowingMemory } from "./memory-grows.js";
import { compareByScenario } from "./compare-targets.js";
import { conclude } from "./conclusions.js";
import { judgeMargin } from "./judge-margin.js";
import { decideSearch, findLimits, softenOverload } from "./judge-search.js";
import { findLoadResponse } from "./load-response.js";
import { findRampResponse } from "./ramp-response.js";
import { found } from "./found.js";
import { judgeStops } from "./stop-rules.js";
import { judgeThresholds } from "./thresholds.js";

/** What is looked at; a result that does not say whether it is complete is taken to be. */
type Judged = Pick<Result, "scenario" | "steps" | "search"> & Partial<Pick<Result, "complete" | "finishedAt">>;

/**
 * Judges a run by its steps, which have been judged one by one. Status: `inconclusive` when an error says that numbers are false or nothing
 * was measured at all; else `fail` when a threshold does not hold, or a target is worse beyond the margin; else `inconclusive` when of one
 * it cannot be said, or for one of {@link findShortfalls}; else `pass`. Findings: gravest first, one for each code and target. A search goes
 * by its thresholds, and its verdict is about what it found.
 */
export function judgeResult(result: Judged): Verdict {
  const { scenario, steps, search } = result;
  const shortfalls = findShortfalls(result).map(() => "inconclusive" as const);
  const located = steps.flatMap((step) => locate(step, step.findings));
  const noticed = [
    ...groupFindings(located, undefined, steps).map((finding) => nameLighterLoad(finding, steps)),
    ...findIdenticalFigures(steps),
    ...findDisagreeingTrials(steps),
    ...findBytesDiffer(result),
    ...findBackendsThatDiffer(result),
    ...findUnequalCores(result),
    ...findGrowingMemory(result),
    ...(scenario.ramp === null ? findLoadResponse(steps) : findRampResponse(result)),
    ...judgeScenario(scenario, steps),
    ...judgeStops(result),
  ];
  if (search !== undefined) {
    const expected = noticed.map(softenOverload);
    return {
      status: worst([decideSearch(expected, search), ...shortfalls]),
      findings: gravestFirst([...search.flatMap(findLimits), ...expected]),
    };
  }
  const thresholds = judgeThresholds(scenario.thresholds, steps);
  // To compare after each step of a run under way would take longer with every step.
  const comparison = result.finishedAt === null ? undefined : compareByScenario(result);
  const byMargin = judgeMargin(result, comparison);
  const isFalse = noticed.some(({ severity }) => severity === "error");
  const asked = thresholds.map(({ code }) => (code === "THRESHOLD_FAILED" ? "fail" : "inconclusive"));
  const missed = [...thresholds, ...byMargin.findings];
  return {
    status: isFalse || !isAnythingMeasured(steps) ? "inconclusive" : worst([...asked, byMargin.status, ...shortfalls]),
    // Of numbers that are false nothing is missed for certain.
    findings: gravestFirst([
      ...(isFalse ? [...noticed, ...missed] : [...missed, ...noticed]),
      ...conclude(result, noticed, comparison),
    ]),
  };
}

function gravestFirst(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** What can be said of a run before it has begun: `SINGLE_TRIAL` {} and `NO_WARMUP` {}. */
function judgeScenario({ trials, warmupMs, hold }: ToldScenario, steps: Result["steps"]): readonly Finding[] {
  // Levels of imported output may have more trials than that with the fewest.
  const isSingle = trials === 1 && steps.every(({ trial }) => trial === 1);
  return [
    // Whether connections live is counted.
    ...(isSingle && hold === undefined ? found("SINGLE_TRIAL", "warning", {}) : []),
    ...(warmupMs === 0 ? found("NO_WARMUP", "info", {}) : []),
  ];
}

/** Whether any request came to an end, one way or another. */
export function isAnythingMeasured(steps: Result["steps"]): boolean {
  return steps.some(({ measurement }) => measurement !== undefined && finishedRequests(measurement.requests) > 0);
}

function worst(statuses: readonly Verdict["status"][]): Verdict["status"] {
  return (["fail", "inconclusive"] as const).find((status) => statuses.includes(status)) ?? "pass";
}

/** Why a run that failed nothing is no `pass` all the same. */
export type Shortfall =
  /**
   * Over 1 % of the requests of a target failed at a level (with faults: before the first), and neither a threshold nor a stop rule is about
   * `errors`: the share, and where it was the largest.
   */
  | { readonly reason: "failures"; readonly share: number; readonly step: StepResult }
  /** It was cut short. */
  | { readonly reason: "unfinished" }
  /** A search found no limit of these targets, because all that it may try held. */
  | { readonly reason: "no-limit"; readonly targets: readonly string[] };

/** Of the requests that came to an end, the part that may fail where nothing says how many may. */
const MOST_FAILED = 0.01;

/** Says why a run is not what a reader takes `pass` for, beside its errors, thresholds and comparisons. */
export function findShortfalls(result: Judged): readonly Shortfall[] {
  const { complete = true, finishedAt, search = [] } = result;
  const unbounded = search.filter(({ status }) => status === "unbounded").map(({ target }) => target);
  return [
    ...(result.search === undefined ? findUnallowedFailures(result) : []),
    ...(unbounded.length > 0 ? [{ reason: "no-limit", targets: unbounded } as const] : []),
    ...(complete && finishedAt !== null ? [] : [{ reason: "unfinished" } as const]),
  ];
}

function findUnallowedFailures({ scenario, steps }: Judged): readonly Shortfall[] {
  const asked = [...scenario.thresholds, ...scenario.stopOn];
  if (asked.some(({ metric }) => metric === "errors")) return [];
  // What a fault costs is what was asked.
  const isUnasked = (step: StepResult): boolean => (shareFailedBefore(step) ?? 1) > MOST_FAILED;
  const shares = [...groupBy(steps.filter(isUnasked), placeKey).values()].flatMap((trials) => {
    const [step] = trials;
    const counts = trials.flatMap(({ measurement }) => measurement?.requests ?? []);
    const [finished, failed] = [sumOf(counts, finishedRequests), sumOf(counts, failedRequests)];
    return step === undefined || failed <= finished * MOST_FAILED
      ? []
      : [{ reason: "failures", share: failed / finished, step } as const];
  });
  return shares.toSorted((a, b) => b.share - a.share).slice(0, 1);
}

/** Standard deviation of throughput, as a part of its mean, from which on a single trial could have said something else altogether. */
const TRIALS_DEVIATION = 0.1;

/**
 * `TRIALS_DISAGREE` for every target that has such levels, with the figures of the worst. `deviation` does not grow with the number of
 * trials, as `spread` does, (high - low) / median.
 */
function findDisagreeingTrials(steps: readonly StepResult[]): readonly Finding[] {
  const completed = steps.filter(({ state }) => state === "completed");
  const places = [...groupBy(completed, placeKey).values()];
  const disagreeing = places.flatMap((trials) => {
    const [step] = trials;
    const throughputs = trials.flatMap(({ measurement }) => measurement?.throughput ?? []);
    if (step === undefined || throughputs.length < 2 || median(throughputs) === 0) return [];
    const { low, high } = range(throughputs);
    const deviation = standardDeviation(throughputs) / mean(throughputs);
    const args = { trials: throughputs.length, low, high, spread: (high - low) / median(throughputs), deviation };
    return deviation > TRIALS_DEVIATION ? locate(step, found("TRIALS_DISAGREE", "warning", args)) : [];
  });
  return groupLevels(disagreeing);
}
