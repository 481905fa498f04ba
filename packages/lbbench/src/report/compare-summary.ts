import type { MarginComparison, LevelJudgement, TargetJudgement } from "../judge/compare-targets.js";
import { isPreventingCode } from "../judge/differences.js";
import { findUnanswered, isAnswered } from "../judge/compare-targets.js";
import type { ResultComparison } from "../judge/compare-results.js";
import { groupBy } from "../stats/group-by.js";
import { describeMargin, describeUnknown, METRIC_WORDS } from "./compare-words.js";
import type { MetricWords } from "./compare-words.js";
import { describePlaces } from "./describe-level.js";
import { countOf } from "../stats/count-of.js";

/** `died at 50 connections (in 3 of 3 trials)`, for each number of trials. */
function describeDeaths({ levels }: TargetJudgement): readonly string[] {
  const dead = levels.flatMap(({ level, deaths }) =>
    deaths === undefined ? [] : [{ level, words: `in ${deaths.died} of ${countOf(deaths.trials, "trial")}` }],
  );
  return [...groupBy(dead, ({ words }) => words)].map(
    ([words, those]) =>
      `died at ${describePlaces(
        those.map(({ level }) => level),
        levels.map(({ level }) => level),
      )} (${words})`,
  );
}

/** Where a target changed in one metric. */
interface Change {
  readonly level: LevelJudgement["level"];
  readonly figures: MarginComparison;
}

/** Says in one sentence whether B is worse than A; plain text. */
export function describeOutcome({ status, margins, targets, differences }: ResultComparison): string {
  const margin = describeMargin(margins);
  switch (status) {
    case "fail":
      return `B is worse than A beyond the margin of ${margin}.`;
    case "pass":
      return `B is not worse than A beyond the margin of ${margin}${describeTold(targets)}.`;
    case "inconclusive":
      if (targets.length > 0 && targets.every(isAnswered) && differences.every(({ effect }) => effect === "note")) {
        return `What was measured of B is not worse than A beyond the margin of ${margin}, but a run was not finished.`;
      }
      return targets.length === 0 || differences.some(({ effect }) => effect === "prevents")
        ? `A and B cannot be compared, or not wholly: whether B is worse than A beyond the margin of ${margin} cannot be told.`
        : `Whether B is worse than A beyond the margin of ${margin} cannot be told${describeUntold(targets)}.`;
  }
}

/** `, where that can be told (9 of 12 comparisons)`, or nothing where all can. */
export function describeTold(targets: readonly TargetJudgement[]): string {
  const all = targets.flatMap(allFigures);
  const told = all.filter(({ worse }) => worse !== "unknown").length;
  return told === all.length ? "" : `, where that can be told (${told} of ${countOf(all.length, "comparison")})`;
}

/** ` at 50 connections`, or nothing where it cannot be told at any level, or of several targets. */
export function describeUntold(targets: readonly TargetJudgement[]): string {
  const [target, ...others] = targets;
  if (target === undefined || others.length > 0) return "";
  const unanswered = findUnanswered(target);
  return unanswered.length === target.levels.length
    ? ""
    : ` at ${describePlaces(
        unanswered.map(({ level }) => level),
        levelsOf(target),
      )}`;
}

/**
 * Says for each target where it changed by more than noise, what is worse beyond the margin first; plain text, names as they
 * came.
 */
export function describeChanges({ targets }: Pick<ResultComparison, "targets">): readonly string[] {
  return targets.flatMap((target) => {
    const parts = KINDS.flatMap(({ name, isOf }) =>
      METRIC_WORDS.map((words) => describePart(name(words), words, changesOf(target, words, isOf), levelsOf(target))),
    ).filter((part) => part !== "");
    const all = [...describeDeaths(target), ...parts];
    return all.length === 0 ? [] : [`${nameTarget(target)}: ${all.join("; ")}.`];
  });
}

/**
 * Says why it cannot be told whether B is worse, and of what; a line for each reason; plain text. What differences prevent
 * is left to `describeDifference`.
 */
export function describeUnknowns({ targets }: Pick<ResultComparison, "targets">): readonly string[] {
  const unknowns = targets.flatMap((target) =>
    METRIC_WORDS.flatMap(({ key, name }) =>
      target.levels.flatMap((row) =>
        row[key].worse === "unknown" && !isPreventingCode(row[key].reason ?? "")
          ? [
              {
                place: needsNames({ targets }) ? `${nameTarget(target)}: ${name}` : name,
                row,
                reason: describeUnknown(row[key].reason, row[key]),
              },
            ]
          : [],
      ),
    ),
  );
  const all = targets.flatMap(allFigures).length;
  return [...groupBy(unknowns, ({ reason }) => reason)].map(([reason, those]) => {
    const where = [...groupBy(those, ({ place }) => place)].map(
      ([place, rows]) =>
        `${place} at ${describePlaces(
          rows.map(({ row }) => row.level),
          targets.flatMap(levelsOf),
        )}`,
    );
    return `${those.length === all ? "everything" : where.join(", ")}: ${reason}`;
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

/** Changes of a kind, which are listed together. */
interface Kind {
  readonly name: (words: MetricWords) => string;
  readonly isOf: (figures: MarginComparison) => boolean;
}

const KINDS: readonly Kind[] = [
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

function changesOf({ levels }: TargetJudgement, { key }: MetricWords, isWanted: Kind["isOf"]): readonly Change[] {
  return levels.map((row) => ({ level: row.level, figures: row[key] })).filter(({ figures }) => isWanted(figures));
}

function describePart(
  what: string,
  words: MetricWords,
  changes: readonly Change[],
  all: readonly LevelJudgement["level"][],
): string {
  const sizes = changes
    .flatMap(({ figures }) => figures.change ?? [])
    .toSorted((a, b) => Math.abs(a) - Math.abs(b))
    .map(words.change);
  if (changes.length === 0) {
    return "";
  }
  const [least = "", most = least] = [sizes[0], sizes.at(-1)];
  const size = least === most ? least : `${least} to ${most}`;
  return `${what} at ${describePlaces(
    changes.map(({ level }) => level),
    all,
  )} (${size})`;
}

function levelsOf({ levels }: TargetJudgement): readonly LevelJudgement["level"][] {
  return levels.map(({ level }) => level);
}

/** Whether any change has an interval. */
export function hasIntervals(targets: readonly TargetJudgement[]): boolean {
  return targets.flatMap(allFigures).some(({ interval }) => interval !== null);
}

function allFigures({ levels }: TargetJudgement): readonly MarginComparison[] {
  return levels.flatMap((row) => METRIC_WORDS.map(({ key }) => row[key]));
}
