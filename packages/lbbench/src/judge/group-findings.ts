import type { Finding, FindingArgs } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { StepKey } from "../model/result.js";
import { sumOf } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { placeKey, stepKey } from "../stats/identity.js";
import { loadOf, loadValue } from "../stats/load.js";
import { rowOf } from "./findings.js";
import { keepTold, readFigures } from "./found.js";

/** A finding and the step it was made in. */
export interface LocatedFinding {
  readonly finding: Finding;
  readonly step: StepKey;
}

/** Findings with the step that they were made in. */
export function locate(step: StepKey, findings: readonly Finding[]): readonly LocatedFinding[] {
  return findings.map((finding) => ({ finding, step }));
}

/**
 * Makes one finding of all that say the same of one target, whatever the level and the trial: with the args of the worst of them, {target,
 * levels: "50, 100", steps, ofSteps}, and where it was worst, {connections (or `rate`, `users`), trial}; {alike: 1} where none is worse than another,
 * and the figures of all of them together as in {@link sumRequests}.
 *
 * @param kind tells apart what must not be merged; default: code, severity and variant.
 * @param all steps of the run: of more at these levels {ofSteps} tells how many. Where levels differ in their numbers of requests,
 * {ofRequests: "100, 1000", worstRequests} are added.
 */
export function groupFindings(
  located: readonly LocatedFinding[],
  kind: (finding: Finding) => string = kindOf,
  all: readonly StepKey[] = [],
): readonly Finding[] {
  const groups = groupBy(located, ({ finding, step }) => JSON.stringify([step.target, kind(finding)]));
  return [...groups.values()].map((group) => mergeGroup(group, all));
}

/** The same of what is found in all trials of a level, not in one step: of several with {ofLevels}, how many, in place of {steps, trial}. */
export function groupLevels(located: readonly LocatedFinding[]): readonly Finding[] {
  return groupFindings(located).map(({ args, ...finding }) => {
    const { steps, trial: _trial, ...figures } = args;
    return { ...finding, args: keepTold({ ...figures, ofLevels: steps === 1 ? undefined : steps }) };
  });
}

function kindOf(finding: Finding): string {
  const { code, severity, args } = finding;
  return [code, severity, rowOf(finding).variant?.(readFigures(args)) ?? ""].join(" ");
}

function mergeGroup(group: readonly LocatedFinding[], all: readonly StepKey[]): Finding {
  const worst = group.reduce((a, b) => (badnessOf(b.finding) > badnessOf(a.finding) ? b : a));
  const least = Math.min(...group.map(({ finding }) => badnessOf(finding)));
  const most = badnessOf(worst.finding);
  const isRanked = rowOf(worst.finding).badness !== undefined;
  const isSame = new Set(group.map(({ finding }) => JSON.stringify(finding.args))).size === 1;
  const isAlike = group.length > 1 && (isRanked ? most - least <= ALIKE * Math.abs(most) : isSame);
  const { target, level, trial } = worst.step;
  const { kind, value } = loadOf(level);
  const steps = new Set(group.map(({ step }) => stepKey(step))).size;
  const places = new Set(group.map(({ step }) => placeKey(step)));
  const ofSteps = all.filter((step) => places.has(placeKey(step))).length;
  const ofMatrix = isMatrix(all.map((step) => step.level));
  return {
    ...worst.finding,
    args: keepTold({
      ...worst.finding.args,
      target,
      levels: listNumbers(group.map(({ step }) => loadValue(step.level))),
      steps,
      ofSteps: ofSteps > steps && ofSteps,
      [kind]: value,
      trial,
      ofRequests: ofMatrix ? listNumbers(group.flatMap(({ step }) => step.level.requests ?? [])) : undefined,
      worstRequests: ofMatrix ? level.requests : undefined,
      alike: isAlike,
      ...sumRequests(group.map(({ finding }) => finding)),
    }),
  };
}

/** Whether levels differ in their numbers of requests. */
export function isMatrix(levels: readonly Level[]): boolean {
  return new Set(levels.flatMap(({ requests }) => requests ?? [])).size > 1;
}

/** Each once, from the lowest to the highest: `50, 100`. */
export function listNumbers(numbers: readonly number[]): string {
  return [...new Set(numbers)].toSorted((a, b) => a - b).join(", ");
}

/** Part of the worst by which others may be less bad for the difference to mean nothing. */
const ALIKE = 0.005;

/** How bad a finding is among those of its code; 0 where all are alike, so that the first one found stands for all. */
function badnessOf(finding: Finding): number {
  return rowOf(finding).badness?.(readFigures(finding.args)) ?? 0;
}

/**
 * The same for all steps of several findings that count failed requests {count, sent, finished}, or tell that all of them failed:
 * {allCount, allSent, allFinished, allInFlight, allShare}, and {allStatus, allCode} where the most frequent one is the same everywhere. Where
 * all recovered from a fault, the quickest and the slowest of them: {allRecoveryMs, allSlowestMs}. Nothing for others.
 */
function sumRequests(findings: readonly Finding[]): FindingArgs {
  const [{ code, args } = { code: "", args: {} as FindingArgs }] = findings;
  const isCounting = code === "ALL_FAILED" || Object.hasOwn(args, "count");
  if (findings.length < 2 || !isCounting || !Object.hasOwn(args, "sent")) return {};
  const sum = (name: string): number | undefined =>
    Object.hasOwn(args, name) ? sumOf(findings, (one) => Number(one.args[name] ?? 0)) : undefined;
  const [allCount, allSent = 0, allFinished, allInFlight] = ["count", "sent", "finished", "inFlight"].map(sum);
  const ended = allFinished ?? allSent;
  const ifSame = (name: string) => (new Set(findings.map((one) => one.args[name])).size === 1 ? args[name] : undefined);
  const recoveries = findings.flatMap(({ args: { recoveryMs } }) => (typeof recoveryMs === "number" ? recoveryMs : []));
  const areRecovered = recoveries.length === findings.length;
  return keepTold({
    allCount,
    allSent,
    allFinished,
    allInFlight,
    allShare: allCount === undefined ? undefined : ended > 0 ? allCount / ended : 1,
    allStatus: ifSame("status"),
    allCode: ifSame("code"),
    allRecoveryMs: areRecovered ? Math.min(...recoveries) : undefined,
    allSlowestMs: areRecovered ? Math.max(...recoveries) : undefined,
  });
}
