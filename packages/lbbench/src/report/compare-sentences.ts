/** What comparisons say, in sentences: of the targets of a run, and of two results. Plain text, names as they came. */
import type { ResultComparison } from "../judge/compare-results.js";
import {
  findUnanswered,
  intervalOf,
  isAnswered,
  isWorse,
  type MarginComparison,
  type TargetJudgement,
  worseOf,
} from "../judge/compare-targets.js";
import { isPreventingCode } from "../judge/differences.js";
import type { Level } from "../model/level.js";
import { countOf } from "../stats/count-of.js";
import { groupBy } from "../stats/group-by.js";
import { comparedAt, describeMargin, describeUnknown } from "./compare-words.js";
import { describePlaces } from "./describe-level.js";
import { joinWords } from "./plain-line.js";
import type { ReportModel } from "./report-model.js";

type Named = Pick<TargetJudgement, "reference" | "other">;
type Targets = Pick<ResultComparison, "targets">;

const levelsOf = (rows: readonly { readonly level: Level }[]): readonly Level[] => rows.map(({ level }) => level);

/** `single`, or `old → new` where the two have different names. */
export function nameTarget({ reference, other }: Named): string {
  return reference === other ? other : `${reference} → ${other}`;
}

/** Whether a comparison has to say which target a figure is of. */
export function needsNames({ targets }: Targets): boolean {
  return targets.length > 1 || targets.some(({ reference, other }) => reference !== other);
}

/** Whether any change has an interval. */
export function hasIntervals(targets: readonly TargetJudgement[]): boolean {
  return targets.flatMap(allFigures).some((figures) => intervalOf(figures) !== null);
}

function allFigures({ levels }: TargetJudgement): readonly MarginComparison[] {
  return levels.flatMap(comparedAt).map(({ figures }) => figures);
}

/** Says in one sentence whether B is worse than A. */
export function describeOutcome({ status, margins, targets }: ResultComparison): string {
  const beyond = `worse than A beyond the margin of ${describeMargin(margins)}`;
  if (status === "fail") return `B is ${beyond}.`;
  if (status === "pass") return `B is not ${beyond}${describeTold(targets)}.`;
  return targets.length > 0 && targets.every(isAnswered)
    ? `What was measured of B is not ${beyond}, but not everything was measured.`
    : `It cannot be told whether B is ${beyond}${describeUntold(targets)}.`;
}

/** Says which targets of a run are worse than the reference beyond the margin; empty without one. */
export function describeMarginOutcome({ result, comparison: { status, targets } }: ReportModel): string {
  const { margin, reference: ofScenario } = result.scenario;
  if (margin === null || ofScenario === null) return "";
  const beyond = (those: readonly TargetJudgement[]): string => {
    const [reference = ofScenario, ...others] = new Set(those.map((target) => target.reference));
    const which = others.length > 0 ? "what it is compared with" : reference;
    return `worse than ${which} beyond the margin of ${describeMargin({ margin })}`;
  };
  if (status === "fail") {
    const worse = targets.filter(isWorse);
    const isDoubtful = result.verdict.status === "inconclusive";
    const doubt = isDoubtful ? ", but an error in this run leaves its figures in doubt" : "";
    return `${nameAll(worse)} ${beyond(worse)}${doubt}.`;
  }
  if (status === "pass") {
    const who = targets.length === 1 ? `${nameAll(targets)} not` : "No target is";
    return `${who} ${beyond(targets)}${describeTold(targets)}.`;
  }
  const unknown = targets.filter((target) => !isAnswered(target));
  return `It cannot be told whether ${nameAll(unknown)} ${beyond(unknown)}${describeUntold(unknown)}.`;
}

/** `a is`, `a, b and c are` */
function nameAll(targets: readonly TargetJudgement[]): string {
  const names = [...new Set(targets.map(({ other }) => other))];
  return `${joinWords(names)} ${names.length < 2 ? "is" : "are"}`;
}

/** `, where that can be told (9 of 12 comparisons)`, or nothing where all can. */
function describeTold(targets: readonly TargetJudgement[]): string {
  const all = targets.flatMap(allFigures);
  const told = all.filter((figures) => worseOf(figures) !== "unknown").length;
  return told === all.length ? "" : `, where that can be told (${told} of ${countOf(all.length, "comparison")})`;
}

/** ` at 50 connections`, or nothing where it cannot be told at any level, or of several targets. */
function describeUntold([target, ...others]: readonly TargetJudgement[]): string {
  if (target === undefined || others.length > 0) return "";
  const unanswered = findUnanswered(target);
  const isAll = unanswered.length === target.levels.length;
  return isAll ? "" : ` at ${describePlaces(levelsOf(unanswered), levelsOf(target.levels))}`;
}

/**
 * Says why it cannot be told whether B is worse, a line for each reason: first of what, where that is not all. What differences prevent
 * `describeDifference` tells.
 */
export function describeUnknowns({ targets }: Targets): readonly string[] {
  const hasNames = needsNames({ targets });
  const unknowns = targets.flatMap((target) =>
    target.levels.flatMap((row) =>
      comparedAt(row)
        .filter(({ figures }) => worseOf(figures) === "unknown" && !isPreventingCode(figures.open?.why ?? ""))
        .map(({ words, figures }) => ({ target, metric: words.name, reason: describeUnknown(figures.open) })),
    ),
  );
  return [...groupBy(unknowns, ({ reason }) => reason)].map(([reason, those]) => {
    if (those.length === targets.flatMap(allFigures).length) return reason;
    const ofTargets = targets.flatMap((target) => {
      const metrics = those.flatMap((one) => (one.target === target ? [one.metric] : []));
      const isAll = hasNames && metrics.length === allFigures(target).length;
      const named = isAll ? "" : joinWords([...new Set(metrics)]);
      return metrics.length === 0 ? [] : [{ target: nameTarget(target), named }];
    });
    const said = [...groupBy(ofTargets, ({ named }) => named)].map(([named, alike]) =>
      [named, hasNames ? joinWords(alike.map(({ target }) => target)) : ""].filter((text) => text !== "").join(" of "),
    );
    return `${said.join("; ")}: ${reason}`;
  });
}
