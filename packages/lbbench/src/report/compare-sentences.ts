import type { ResultComparison } from "../judge/compare-results.js";
import {
  findUnanswered,
  isAnswered,
  isWorse,
  type LevelJudgement,
  type MarginComparison,
  type TargetJudgement,
} from "../judge/compare-targets.js";
import { isPreventingCode } from "../judge/differences.js";
import type { Level } from "../model/level.js";
import { countOf } from "../stats/count-of.js";
import { groupBy } from "../stats/group-by.js";
import {
  describeChangeRange,
  describeMargin,
  describeUnknown,
  METRIC_WORDS,
  type MetricWords,
} from "./compare-words.js";
import { describePlaces } from "./describe-level.js";
import type { ReportModel } from "./report-model.js";

/** Says in one sentence whether B is worse than A; plain text. */
export function describeOutcome({ status, margins, targets, differences }: ResultComparison): string {
  const worse = `worse than A beyond the margin of ${describeMargin(margins)}`;
  if (status === "fail") return `B is ${worse}.`;
  if (status === "pass") return `B is not ${worse}${describeTold(targets)}.`;
  if (targets.length > 0 && targets.every(isAnswered) && differences.every(({ effect }) => effect === "note")) {
    return `What was measured of B is not ${worse}, but a run was not finished.`;
  }
  return targets.length === 0 || differences.some(({ effect }) => effect === "prevents")
    ? `A and B cannot be compared, or not wholly: whether B is ${worse} cannot be told.`
    : `Whether B is ${worse} cannot be told${describeUntold(targets)}.`;
}

/**
 * Says in a sentence which targets of a run are worse than the reference beyond the margin; empty without one; plain text. Where the
 * verdict is inconclusive although a target is worse, it says that figures are not to be relied on.
 */
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
    const doubt =
      result.verdict.status === "inconclusive" ? ", but an error in this run leaves its figures in doubt" : "";
    return `${nameAll(worse)} ${beyond(worse)}${doubt}.`;
  }
  if (status === "pass") {
    const who = namesOf(targets).length === 1 ? `${nameAll(targets)} not` : "No target is";
    return `${who} ${beyond(targets)}${describeTold(targets)}.`;
  }
  const unknown = targets.filter((target) => !isAnswered(target));
  return `It cannot be told whether ${nameAll(unknown)} ${beyond(unknown)}${describeUntold(unknown)}.`;
}

function namesOf(targets: readonly TargetJudgement[]): readonly string[] {
  return [...new Set(targets.map(({ other }) => other))];
}

/** `a is`, `a, b and c are` */
function nameAll(targets: readonly TargetJudgement[]): string {
  const names = namesOf(targets);
  const last = names.at(-1) ?? "";
  return names.length < 2 ? `${last} is` : `${names.slice(0, -1).join(", ")} and ${last} are`;
}

/** `, where that can be told (9 of 12 comparisons)`, or nothing where all can. */
function describeTold(targets: readonly TargetJudgement[]): string {
  const all = targets.flatMap(allFigures);
  const told = all.filter(({ worse }) => worse !== "unknown").length;
  return told === all.length ? "" : `, where that can be told (${told} of ${countOf(all.length, "comparison")})`;
}

/** ` at 50 connections`, or nothing where it cannot be told at any level, or of several targets. */
function describeUntold([target, ...others]: readonly TargetJudgement[]): string {
  if (target === undefined || others.length > 0) return "";
  const unanswered = findUnanswered(target);
  return unanswered.length === target.levels.length
    ? ""
    : ` at ${describePlaces(unanswered.map(levelOf), target.levels.map(levelOf))}`;
}

/** Changes that are listed together, those for the worse first. */
const KINDS: readonly {
  readonly name: (words: MetricWords) => string;
  readonly isOf: (figures: MarginComparison) => boolean;
}[] = [
  { name: ({ worse }) => worse, isOf: ({ worse }) => worse === "yes" },
  {
    name: ({ worse }) => `${worse}, perhaps beyond the margin,`,
    isOf: ({ worse, verdict }) => worse === "unknown" && isForTheWorse(verdict),
  },
  {
    name: ({ worse }) => `${worse}, within the margin,`,
    isOf: ({ worse, verdict }) => worse === "no" && isForTheWorse(verdict),
  },
  { name: ({ better }) => better, isOf: ({ verdict }) => verdict === "faster" || verdict === "fewer" },
];

function isForTheWorse(verdict: MarginComparison["verdict"]): boolean {
  return verdict === "slower" || verdict === "more";
}

/**
 * Says for each target where it changed by more than noise, what is worse beyond the margin first; plain text, names as they
 * came.
 */
export function describeChanges({ targets }: Pick<ResultComparison, "targets">): readonly string[] {
  return targets.flatMap((target) => {
    const all = target.levels.map(levelOf);
    const parts = KINDS.flatMap(({ name, isOf }) =>
      METRIC_WORDS.flatMap((words) => {
        const those = target.levels.filter((row) => isOf(row[words.key]));
        const sizes = those.flatMap((row) => row[words.key].change ?? []);
        const where = describePlaces(those.map(levelOf), all);
        return those.length === 0 ? [] : [`${name(words)} at ${where} (${describeChangeRange(sizes, words.change)})`];
      }),
    );
    const said = [...describeDeaths(target), ...parts];
    return said.length === 0 ? [] : [`${nameTarget(target)}: ${said.join("; ")}.`];
  });
}

/** `died at 50 connections (in 3 of 3 trials)`, for each number of trials. */
function describeDeaths({ levels }: TargetJudgement): readonly string[] {
  const dead = levels.flatMap(({ level, deaths }) =>
    deaths === undefined ? [] : [{ level, words: `in ${deaths.died} of ${countOf(deaths.trials, "trial")}` }],
  );
  return [...groupBy(dead, ({ words }) => words)].map(([words, those]) => {
    const where = describePlaces(
      those.map(({ level }) => level),
      levels.map(levelOf),
    );
    return `died at ${where} (${words})`;
  });
}

/**
 * Says why it cannot be told whether B is worse, and of what; a line for each reason; plain text. What differences prevent
 * is left to `describeDifference`.
 */
export function describeUnknowns({ targets }: Pick<ResultComparison, "targets">): readonly string[] {
  const hasNames = needsNames({ targets });
  const unknowns = targets.flatMap((target) =>
    METRIC_WORDS.flatMap(({ key, name }) =>
      target.levels
        .filter((row) => row[key].worse === "unknown" && !isPreventingCode(row[key].reason ?? ""))
        .map((row) => ({
          metric: hasNames ? `${nameTarget(target)}: ${name}` : name,
          level: row.level,
          reason: describeUnknown(row[key].reason, row[key]),
        })),
    ),
  );
  const levels = targets.flatMap((target) => target.levels.map(levelOf));
  return [...groupBy(unknowns, ({ reason }) => reason)].map(([reason, those]) => {
    const where = [...groupBy(those, ({ metric }) => metric)].map(([metric, rows]) => {
      const places = describePlaces(
        rows.map(({ level }) => level),
        levels,
      );
      return `${metric} at ${places}`;
    });
    const isAll = those.length === targets.flatMap(allFigures).length;
    return `${isAll ? "everything" : where.join(", ")}: ${reason}`;
  });
}

/** `single`, or `old → new` where the two have different names. */
export function nameTarget({ reference, other }: Pick<TargetJudgement, "reference" | "other">): string {
  return reference === other ? other : `${reference} → ${other}`;
}

/** Whether a comparison has to say which target a figure is of. */
export function needsNames({ targets }: Pick<ResultComparison, "targets">): boolean {
  return targets.length > 1 || targets.some(({ reference, other }) => reference !== other);
}

/** Whether any change has an interval. */
export function hasIntervals(targets: readonly TargetJudgement[]): boolean {
  return targets.flatMap(allFigures).some(({ interval }) => interval !== null);
}

function allFigures({ levels }: TargetJudgement): readonly MarginComparison[] {
  return levels.flatMap((row) => METRIC_WORDS.map(({ key }) => row[key]));
}

const levelOf = ({ level }: LevelJudgement): Level => level;
