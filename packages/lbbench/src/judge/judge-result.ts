import type { Finding, Severity, Verdict } from "../model/finding.js";
import type { Result } from "../model/result.js";
import type { ToldScenario } from "../model/scenario.js";
import { finishedRequests } from "../stats/request-counts.js";
import { findBytesDiffer } from "./bytes-differ.js";
import { nameLighterLoad } from "./fast-failures.js";
import { groupFindings, locateFindings } from "./group-findings.js";
import { findIdenticalFigures } from "./identical-figures.js";
import { findLoadResponse } from "./load-response.js";
import { judgeMargin } from "./margin-verdict.js";
import { findRampResponse } from "./ramp-response.js";
import { decideSearch, describeOutcome, softenOverload } from "./judge-search.js";
import { findShortfalls } from "./shortfalls.js";
import { judgeStops } from "./stop-rules.js";
import { judgeThresholds } from "./thresholds.js";
import { findDisagreeingTrials } from "./trials-disagree.js";
import { findWithinNoise } from "./within-noise.js";

/**
 * Judges a run by its steps, which have been judged one by one. Status: `inconclusive` when an error says that numbers
 * are false or nothing was measured at all; else `fail` when a threshold does not hold, or a target is worse than the
 * reference beyond the margin; else `inconclusive` when it cannot be said whether one holds, or is, or for one of
 * {@link findShortfalls}; else `pass`. Findings: gravest first, one for each code and target. Of a search the thresholds are
 * what it goes by, and its verdict is about what it found.
 */
export function judgeResult(
  result: Pick<Result, "scenario" | "steps" | "search"> & Partial<Pick<Result, "finishedAt" | "complete">>,
): Verdict {
  const { scenario, steps, search, finishedAt } = result;
  const shortfalls = findShortfalls(result).map(() => "inconclusive" as const);
  const noticed = [
    ...groupFindings(locateFindings(steps), undefined, isMatrix(scenario)).map((finding) =>
      nameLighterLoad(finding, steps),
    ),
    ...findIdenticalFigures(steps),
    ...findDisagreeingTrials(steps),
    ...findBytesDiffer({ scenario, steps }),
    ...(scenario.ramp === null ? findLoadResponse(steps) : findRampResponse({ scenario, steps })),
    ...findWithinNoise({ scenario, steps }),
    ...judgeScenario(scenario),
    ...judgeStops({ scenario, steps }),
  ];
  if (search !== undefined) {
    const expected = noticed.map(softenOverload);
    return {
      status: worst([decideSearch(expected, search), ...shortfalls]),
      findings: gravestFirst([...search.flatMap(describeOutcome), ...expected]),
    };
  }
  const thresholds = judgeThresholds(scenario.thresholds, steps);
  const comparison = judgeMargin({ scenario, steps, ...(finishedAt === null ? { finishedAt } : {}) });
  const statuses = [decideThresholds(thresholds), comparison.status, ...shortfalls];
  return {
    status: isAnythingMeasured(steps) ? decide(noticed, statuses) : "inconclusive",
    findings: gravestFirst([...thresholds, ...comparison.findings, ...noticed]),
  };
}

function isMatrix({ levels }: ToldScenario): boolean {
  return new Set(levels.flatMap(({ requests }) => requests ?? [])).size > 1;
}

function gravestFirst(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** What can be said of a run before it has begun: `SINGLE_TRIAL` {} and `NO_WARMUP` {}. */
function judgeScenario({ trials, warmupMs }: ToldScenario): readonly Finding[] {
  return [
    ...(trials === 1 ? [{ code: "SINGLE_TRIAL", severity: "warning", args: {} } as const] : []),
    ...(warmupMs === 0 ? [{ code: "NO_WARMUP", severity: "info", args: {} } as const] : []),
  ];
}

/** Whether any request came to an end, one way or another. */
export function isAnythingMeasured(steps: Result["steps"]): boolean {
  return steps.some(({ measurement }) => measurement !== undefined && finishedRequests(measurement.requests) > 0);
}

function decide(noticed: readonly Finding[], asked: readonly Verdict["status"][]): Verdict["status"] {
  if (noticed.some(({ severity }) => severity === "error")) {
    return "inconclusive";
  }
  return worst(asked);
}

function worst(statuses: readonly Verdict["status"][]): Verdict["status"] {
  return (["fail", "inconclusive"] as const).find((status) => statuses.includes(status)) ?? "pass";
}

function decideThresholds(thresholds: readonly Finding[]): Verdict["status"] {
  if (thresholds.some(({ code }) => code === "THRESHOLD_FAILED")) {
    return "fail";
  }
  return thresholds.some(({ code }) => code === "THRESHOLD_INCONCLUSIVE") ? "inconclusive" : "pass";
}
