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
import { speedMetric } from "../judge/metrics.js";
import type { Level } from "../model/level.js";
import { countOf } from "../stats/count-of.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey } from "../stats/identity.js";
import { describeDraw, describeMargin, describeUnknown, METRIC_WORDS, type MetricWords } from "./compare-words.js";
import { describePlaces } from "./describe-level.js";
import { formatCount } from "./format-number.js";
import type { ReportModel } from "./report-model.js";

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
function describeTold(targets: readonly TargetJudgement[]): string {
  const all = targets.flatMap(allFigures);
  const told = all.filter(({ worse }) => worse !== "unknown").length;
  return told === all.length ? "" : `, where that can be told (${told} of ${countOf(all.length, "comparison")})`;
}

/** ` at 50 connections`, or nothing where it cannot be told at any level, or of several targets. */
function describeUntold(targets: readonly TargetJudgement[]): string {
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

/** So many sentences which all say that nothing can be said are read one by one; of more there is one for all of them. */
const MOST_ONE_BY_ONE = 3;

/** Targets of which more can be said than that nothing can be claimed, and a sentence about the others. */
interface Undecided {
  readonly decided: readonly TargetJudgement[];
  /** Empty where there are so few others that each has a sentence of its own; then they are among `decided`. */
  readonly sentence: string;
}

/**
 * Parts the targets of a comparison with a reference, so that a run with many of them is told in a few sentences. A target that died
 * is never among the others: its death is worth a sentence of its own. Plain text.
 */
export function splitUndecided(targets: readonly TargetJudgement[]): Undecided {
  const dead = targets.filter(isDead);
  // Where it is all of them, it is what they are compared with that died.
  const isTold = (target: TargetJudgement): boolean => dead.length < targets.length && dead.includes(target);
  const undecided = targets.filter((target) => isUndecided(target) && !isTold(target));
  const [first] = undecided;
  if (first === undefined || undecided.length <= MOST_ONE_BY_ONE) return { decided: targets, sentence: "" };
  const figures = undecided.flatMap(figuresOf);
  const reasons = [...new Set(figures.map(describeDraw))].join("; ");
  const isAll = undecided.length === targets.length;
  const decided = targets.filter((target) => !undecided.includes(target));
  if (undecided.some(({ reference }) => reference !== first.reference)) {
    const pairs = undecided.map(({ reference, other }) => `${other} with ${reference}`).join(", ");
    const which = isAll ? `of the ${formatCount(undecided.length)} comparisons` : `of these comparisons, ${pairs},`;
    return { decided, sentence: `In none ${which} can a difference in speed be claimed (~): ${reasons}.` };
  }
  const who = isAll
    ? `any of the ${formatCount(undecided.length)} other targets`
    : undecided.map(({ other }) => other).join(", ");
  return {
    decided,
    sentence: `Between ${first.reference} and ${who} no difference in speed can be claimed (~): ${reasons}.`,
  };
}

function isUndecided(target: TargetJudgement): boolean {
  const { levels, overall } = target;
  return (
    (overall === undefined || overall.verdict === "~") &&
    levels.every(({ errors }) => errors.verdict === "~") &&
    figuresOf(target).every(({ verdict }) => verdict === "~")
  );
}

function isDead(target: TargetJudgement): boolean {
  return (
    target.levels.some(({ deaths }) => deaths !== undefined) ||
    figuresOf(target).some(({ reason }) => reason === "TARGET_DIED")
  );
}

function figuresOf({ levels }: TargetJudgement): readonly MarginComparison[] {
  return levels.map((row) => row[speedMetric(row.level)]);
}

/** Two systems, compared under the load of one engine. */
interface EngineView {
  readonly engine: string;
  readonly judgement: TargetJudgement;
}

/**
 * Says of two systems that several engines compared, each under its own load, where the engines come to the same conclusion and
 * where they contradict each other; plain text. Nothing where no two systems were compared under several engines.
 */
export function describeAgreements({ result, comparison }: ReportModel): readonly string[] {
  const { targets, engine } = result.scenario;
  const byName = new Map(targets.map((target) => [target.name, target]));
  const engineOf = (name: string): string => byName.get(name)?.engine?.name ?? engine.name;
  const systemOf = (name: string): string =>
    JSON.stringify([byName.get(name)?.server ?? name, byName.get(name)?.options ?? {}]);
  const views = comparison.targets.filter(
    ({ reference, other }) => engineOf(reference) === engineOf(other) && systemOf(reference) !== systemOf(other),
  );
  const byPair = groupBy(views, ({ reference, other }) => JSON.stringify([systemOf(reference), systemOf(other)]));
  return [...byPair.values()]
    .map((judgements) => judgements.map((judgement) => ({ engine: engineOf(judgement.other), judgement })))
    .filter((group) => new Set(group.map((view) => view.engine)).size > 1)
    .map(describeAgreement);
}

function describeAgreement(views: readonly EngineView[]): string {
  const levels = views[0]?.judgement.levels.map(({ level }) => level) ?? [];
  const conclusions = groupBy(levels, (level) => concludeAt(level, views));
  const parts = [...conclusions].map(([conclusion, those]) => {
    const isEverywhere = those.length === levels.length && levels.length > 1;
    const everywhere = isNothing(conclusion) ? "any level" : "every level";
    return `${conclusion} at ${isEverywhere ? everywhere : describePlaces(those, levels)}`;
  });
  const names = views.map(({ judgement: { reference, other } }) => `${other} against ${reference}`);
  return `Do ${listEngines(views)} agree? ${names.join(", and ")}: ${parts.join("; ")}.`;
}

const NOTHING = { ofTwo: "neither can tell a difference", ofMany: "none can tell a difference" } as const;

function isNothing(conclusion: string): boolean {
  return conclusion === NOTHING.ofTwo || conclusion === NOTHING.ofMany;
}

/** What the engines say of a level, in words that are the same for levels of which the same is to be said. */
function concludeAt(level: Level, views: readonly EngineView[]): string {
  const told = views.flatMap(({ engine, judgement: { levels } }) => {
    const row = levels.find((one) => levelKey(one.level) === levelKey(level));
    const verdict = row?.[speedMetric(level)].verdict;
    return verdict === "faster" || verdict === "slower" ? [{ engine, verdict }] : [];
  });
  const [first, ...others] = told;
  if (first === undefined) return views.length === 2 ? NOTHING.ofTwo : NOTHING.ofMany;
  if (others.some(({ verdict }) => verdict !== first.verdict)) return "they contradict each other";
  if (told.length < views.length) {
    const names = [...new Set(told.map(({ engine }) => engine))];
    const silent = views.length - told.length === 1 ? "the other" : "the others";
    return names.length === 1
      ? `only ${names.join()} says ${first.verdict}`
      : `${names.join(" and ")} say ${first.verdict}, ${silent} cannot tell`;
  }
  return `${views.length === 2 ? "both" : "all"} say ${first.verdict}`;
}

function listEngines(views: readonly EngineView[]): string {
  const names = [...new Set(views.map(({ engine }) => engine))];
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

const WORDS = METRIC_WORDS.filter(({ key }) => key === "errors");

/**
 * Says where one target has more failed requests than another, or fewer, by more than noise: `fewer failed requests at 40 connections
 * (-61.2 points)`. A part for each; none where nothing is known.
 */
export function describeFailureChanges({ levels }: TargetJudgement): readonly string[] {
  return WORDS.flatMap((words) =>
    [
      { verdict: "more", name: words.worse },
      { verdict: "fewer", name: words.better },
    ].flatMap(({ verdict, name }) => {
      const those = levels.filter(({ errors }) => errors.verdict === verdict);
      const sizes = those.flatMap(({ errors }) => errors.change ?? []).toSorted((a, b) => Math.abs(a) - Math.abs(b));
      const [least, most] = [sizes[0], sizes.at(-1)];
      if (least === undefined || most === undefined) return [];
      const [from, to] = [words.change(least), words.change(most)];
      const where = describePlaces(
        those.map(({ level }) => level),
        levels.map(({ level }) => level),
      );
      return [`${name} at ${where} (${from === to ? from : `${from} to ${to}`})`];
    }),
  );
}

/**
 * Says in a sentence which targets are worse than the reference beyond the margin; empty without one; plain text. Where the verdict
 * is inconclusive although a target is worse, it says that figures are not to be relied on.
 */
export function describeMarginOutcome({ result, comparison }: ReportModel): string {
  const { margin, reference: ofScenario } = result.scenario;
  if (margin === null || ofScenario === null) {
    return "";
  }
  const { status, targets } = comparison;
  const beyond = (those: readonly TargetJudgement[]): string =>
    `worse than ${nameReference(those) ?? ofScenario} beyond the margin of ${describeMargin({ margin })}`;
  switch (status) {
    case "fail": {
      const worse = targets.filter(isWorse);
      const isDoubtful = result.verdict.status === "inconclusive";
      return `${nameAll(worse)} ${isOne(worse) ? "is" : "are"} ${beyond(worse)}${isDoubtful ? ", but an error in this run leaves its figures in doubt" : ""}.`;
    }
    case "pass":
      return isOne(targets)
        ? `${nameAll(targets)} is not ${beyond(targets)}${describeTold(targets)}.`
        : `No target is ${beyond(targets)}${describeTold(targets)}.`;
    case "inconclusive": {
      const unknown = targets.filter((target) => !isAnswered(target));
      return `Whether ${nameAll(unknown)} ${isOne(unknown) ? "is" : "are"} ${beyond(unknown)} cannot be told${describeUntold(unknown)}.`;
    }
  }
}

/** What some targets are compared with, by name where it is the same for all of them. */
function nameReference(targets: readonly TargetJudgement[]): string | undefined {
  const [first, ...others] = new Set(targets.map(({ reference }) => reference));
  return others.length > 0 ? "what it is compared with" : first;
}

/** Whether all are about one target, which may be compared with several. */
function isOne(targets: readonly TargetJudgement[]): boolean {
  return new Set(targets.map(({ other }) => other)).size === 1;
}

/** `a, b and c`. */
function nameAll(targets: readonly TargetJudgement[]): string {
  const names = [...new Set(targets.map(({ other }) => other))];
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
