import type { Finding, Severity, Verdict } from "../model/finding.js";
import type { Result } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { groupFindings, locateFindings } from "./group-findings.js";
import { findLoadResponse } from "./load-response.js";
import { decideSearch, describeOutcome, softenOverload } from "./judge-search.js";
import { judgeStops } from "./stop-rules.js";
import { judgeThresholds } from "./thresholds.js";
import { findDisagreeingTrials } from "./trials-disagree.js";

/**
 * Judges a run by its steps, which have been judged one by one. Status: `inconclusive` when an error says that numbers
 * are false or nothing was measured at all; else `fail` when a threshold does not hold; else `inconclusive` when it
 * cannot be said whether one holds; else `pass`. Findings: gravest first, one for each code and target. Of a search the
 * thresholds are what it goes by, and its verdict is about what it found.
 */
export function judgeResult({ scenario, steps, search }: Pick<Result, "scenario" | "steps" | "search">): Verdict {
  const noticed = [
    ...groupFindings(locateFindings(steps)),
    ...findDisagreeingTrials(steps),
    ...findLoadResponse(steps),
    ...judgeScenario(scenario),
    ...judgeStops({ scenario, steps }),
  ];
  if (search !== undefined) {
    const expected = noticed.map(softenOverload);
    return {
      status: decideSearch(expected, search),
      findings: gravestFirst([...search.flatMap(describeOutcome), ...expected]),
    };
  }
  const thresholds = judgeThresholds(scenario.thresholds, steps);
  return {
    status: decide(noticed, thresholds, steps.length),
    findings: gravestFirst([...thresholds, ...noticed]),
  };
}

function gravestFirst(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** What can be said of a run before it has begun: `SINGLE_TRIAL` {} and `NO_WARMUP` {}. */
function judgeScenario({ trials, warmupMs }: Scenario): readonly Finding[] {
  return [
    ...(trials === 1 ? [{ code: "SINGLE_TRIAL", severity: "warning", args: {} } as const] : []),
    ...(warmupMs === 0 ? [{ code: "NO_WARMUP", severity: "info", args: {} } as const] : []),
  ];
}

function decide(noticed: readonly Finding[], thresholds: readonly Finding[], steps: number): Verdict["status"] {
  if (steps === 0 || noticed.some(({ severity }) => severity === "error")) {
    return "inconclusive";
  }
  if (thresholds.some(({ code }) => code === "THRESHOLD_FAILED")) {
    return "fail";
  }
  return thresholds.some(({ code }) => code === "THRESHOLD_INCONCLUSIVE") ? "inconclusive" : "pass";
}
