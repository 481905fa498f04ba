import type { Finding, FindingArgs } from "../model/finding.js";
import type { StepKey, StepResult } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { stepKey } from "../stats/identity.js";
import { loadOf, loadValue } from "../stats/load.js";
import { readFigures } from "./finding-figures.js";
import { rowOf } from "./findings.js";

/** A finding and the step it was made in. */
export interface LocatedFinding {
  readonly finding: Finding;
  readonly step: StepKey;
}

/** Returns the findings of all steps, each with its step. */
export function locateFindings(steps: readonly StepResult[]): readonly LocatedFinding[] {
  return steps.flatMap((step) => step.findings.map((finding) => ({ finding, step })));
}

/**
 * Makes one finding of all that say the same of one target, whatever the level and the trial. It carries the args of
 * the worst of them, and {target, levels: "50, 100", steps, connections, trial}: `levels` and `steps` are where it was
 * found, `connections` (or `rate`, `users`) and `trial` where it was worst; {alike: 1} where none is worse than another, and the figures of all of them together as in
 * {@link sumRequests}. `kind` tells apart what must not be merged; default: code
 * and severity.
 *
 * @param isMatrix whether levels differ in their numbers of requests: then {ofRequests: "100, 1000", worstRequests} are added.
 */
export function groupFindings(
  located: readonly LocatedFinding[],
  kind: (finding: Finding) => string = kindOf,
  isMatrix = false,
): readonly Finding[] {
  const groups = groupBy(located, ({ finding, step }) => JSON.stringify([step.target, kind(finding)]));
  return [...groups.values()].map((group) => mergeGroup(group, isMatrix));
}

/** The same of what is found in all trials of a level, not in one step. */
export function groupLevels(located: readonly LocatedFinding[]): readonly Finding[] {
  return groupFindings(located).map(({ args, ...finding }) => {
    const { steps: _steps, trial: _trial, ...figures } = args;
    return { ...finding, args: figures };
  });
}

function kindOf(finding: Finding): string {
  const { code, severity, args } = finding;
  return [code, severity, rowOf(finding).variant?.(readFigures(args)) ?? ""].join(" ");
}

function mergeGroup(group: readonly LocatedFinding[], isMatrix: boolean): Finding {
  const worst = group.reduce((a, b) => (badnessOf(b.finding) > badnessOf(a.finding) ? b : a));
  const levels = [...new Set(group.map(({ step }) => loadValue(step.level)))].toSorted((a, b) => a - b);
  const least = Math.min(...group.map(({ finding }) => badnessOf(finding)));
  const most = badnessOf(worst.finding);
  const isRanked = rowOf(worst.finding).badness !== undefined;
  const isSame = new Set(group.map(({ finding }) => JSON.stringify(finding.args))).size === 1;
  const isAlike = group.length > 1 && (isRanked ? most - least <= ALIKE * Math.abs(most) : isSame);
  const { target, level, trial } = worst.step;
  const { kind, value } = loadOf(level);
  return {
    ...worst.finding,
    args: {
      ...worst.finding.args,
      target,
      levels: levels.join(", "),
      steps: new Set(group.map(({ step }) => stepKey(step))).size,
      [kind]: value,
      trial,
      ...(isMatrix ? amountsOf(group, level) : {}),
      ...(isAlike ? { alike: 1 } : {}),
      ...sumRequests(group.map(({ finding }) => finding)),
    },
  };
}

function amountsOf(group: readonly LocatedFinding[], worst: StepKey["level"]): FindingArgs {
  const amounts = new Set(group.flatMap(({ step }) => step.level.requests ?? []));
  return {
    ofRequests: [...amounts].toSorted((a, b) => a - b).join(", "),
    ...(worst.requests === undefined ? {} : { worstRequests: worst.requests }),
  };
}

/** Part of the worst by which others may be less bad for the difference to mean nothing. */
const ALIKE = 0.005;

/** How bad a finding is among those of its code; 0 where all are alike, so that the first one found stands for all. */
function badnessOf(finding: Finding): number {
  return rowOf(finding).badness?.(readFigures(finding.args)) ?? 0;
}

/** What the findings about failed requests count; of these the sum over several steps is a figure, too. */
const COUNTS = ["count", "sent", "inFlight"] as const;

/** What of the steps of a group holds for all of them only where they agree. */
const MOST_OFTEN = ["status", "code"] as const;

/**
 * Returns, for several findings that count failed requests {count, sent} or tell that all of them failed, the same for all of their
 * steps together: {allCount, allSent, allShare, allInFlight}, and {allStatus, allCode} where the most frequent one is the same
 * everywhere. Nothing for a single finding, nor for those that count something else.
 */
function sumRequests(findings: readonly Finding[]): FindingArgs {
  const [first] = findings;
  if (first === undefined || findings.length < 2) return {};
  const isCounting =
    Object.hasOwn(first.args, "sent") && (first.code === "ALL_FAILED" || Object.hasOwn(first.args, "count"));
  if (!isCounting) return {};
  const sums = COUNTS.filter((name) => Object.hasOwn(first.args, name)).map((name) => [
    name,
    findings.reduce((sum, { args }) => sum + Number(args[name] ?? 0), 0),
  ]) as readonly (readonly [string, number])[];
  const { count, sent = 0 } = Object.fromEntries(sums) as { readonly count?: number; readonly sent?: number };
  const shared = MOST_OFTEN.flatMap((name) => {
    const values = new Set(findings.map(({ args }) => args[name]));
    const [value] = values;
    return value === undefined || values.size > 1 ? [] : [[name, value] as const];
  });
  const share = count === undefined ? [] : [["share", sent > 0 ? count / sent : 1] as const];
  return Object.fromEntries(
    [...sums, ...share, ...shared].map(([name, value]) => [
      `all${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      value,
    ]),
  );
}
