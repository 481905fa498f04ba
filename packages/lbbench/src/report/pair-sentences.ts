import type { OverallComparison } from "../judge/compare-overall.js";
import type { LevelJudgement, MarginComparison, TargetJudgement } from "../judge/compare-targets.js";
import { isWithinNoise, NEGLIGIBLE } from "../judge/judge-margin.js";
import { speedMetric } from "../judge/metrics.js";
import type { Level } from "../model/level.js";
import { FEWEST_FOR_SPREAD } from "../stats/spread.js";
import { formatCount, formatPercent, formatTime } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey } from "../stats/identity.js";
import { describeChangeRange, describeDraw, describeKept, METRIC_WORDS } from "./compare-words.js";
import { describeWhere, distinctAmounts } from "./describe-level.js";
import { capitalize } from "./plain-line.js";
import type { ReportModel } from "./report-model.js";

/** How two targets compare in what tells which is faster. */
interface SpeedAtLevel {
  readonly level: Level;
  readonly metric: "throughput" | "p50";
  readonly comparison: MarginComparison;
}

/** A change below this part is neither a gain nor a loss worth another process. */
const WORTH = 0.05;

/** So many sentences which all say that nothing can be said are read one by one; of more there is one for all of them. */
const MOST_ONE_BY_ONE = 3;

/**
 * Says of each target compared with a reference whether it is faster, where and by how much, and what it costs with one connection;
 * where nothing can be claimed, what was measured and why. Of an open loop, whose throughput was asked for, the same of p50. Plain text.
 */
export function describeComparisons({ comparison: { targets } }: ReportModel): readonly string[] {
  const dead = targets.filter(isDead);
  // Where it is all of them, it is what they are compared with that died.
  const isTold = (target: TargetJudgement): boolean => dead.length < targets.length && dead.includes(target);
  const undecided = targets.filter((target) => isUndecided(target) && !isTold(target));
  if (undecided.length <= MOST_ONE_BY_ONE) return joinPairs(targets.map(sentencesOf));
  const decided = targets.filter((target) => !undecided.includes(target));
  return [...joinPairs(decided.map(sentencesOf)), describeUndecided(undecided, undecided.length === targets.length)];
}

/** One sentence for targets of which nothing can be claimed. */
function describeUndecided(undecided: readonly TargetJudgement[], isAll: boolean): string {
  const reasons = [...new Set(undecided.flatMap(speedsOf).map(({ comparison }) => describeDraw(comparison)))].join(
    "; ",
  );
  const references = [...new Set(undecided.map(({ reference }) => reference))];
  const claim = `no difference in speed can be claimed (~): ${reasons}.`;
  if (references.length === 1) {
    const who = isAll
      ? `any of the ${formatCount(undecided.length)} other targets`
      : undecided.map(({ other }) => other).join(", ");
    return `Between ${references.join()} and ${who} ${claim}`;
  }
  const pairs = undecided.map(({ reference, other }) => `${other} and ${reference}`).join(", ");
  return isAll
    ? `Between none of the ${formatCount(undecided.length)} pairs ${claim.slice(3)}`
    : `Between ${pairs} ${claim}`;
}

function isUndecided(target: TargetJudgement): boolean {
  return (
    (target.overall === undefined || target.overall.verdict === "~") &&
    target.levels.every(({ errors }) => errors.verdict === "~") &&
    speedsOf(target).every(({ comparison }) => comparison.verdict === "~")
  );
}

function isDead(target: TargetJudgement): boolean {
  return (
    target.levels.some(({ deaths }) => deaths !== undefined) ||
    speedsOf(target).some(({ comparison }) => comparison.reason === "TARGET_DIED")
  );
}

function speedsOf({ levels }: TargetJudgement): readonly SpeedAtLevel[] {
  return levels.map((row) => {
    const metric = speedMetric(row.level);
    return { level: row.level, metric, comparison: row[metric] };
  });
}

/** Joins what is said of each pair; the last sentence once for all of them where each pair has the same. */
function joinPairs(pairs: readonly (readonly string[])[]): readonly string[] {
  const last = pairs[0]?.at(-1) ?? "";
  const isShared = pairs.length > 1 && pairs.every((sentences) => sentences.length > 1 && sentences.at(-1) === last);
  const own = pairs.map((sentences) => (isShared ? sentences.slice(0, -1) : sentences).join(" "));
  return [...own, isShared ? last : ""].filter((line) => line !== "");
}

/** Says of two targets what {@link describeComparisons} says of all. */
export function describePair(judgement: TargetJudgement): string {
  return sentencesOf(judgement).join(" ");
}

function sentencesOf(judgement: TargetJudgement): readonly string[] {
  const { reference, other, overall } = judgement;
  const speeds = speedsOf(judgement);
  const draws = speeds.filter(({ comparison }) => comparison.verdict === "~");
  // Where each level tells the same, that is enough.
  const isOverall = overall !== undefined && overall.verdict !== "~" && draws.length > 0;
  const sides = (["faster", "slower"] as const).flatMap((verdict) => describeSide(speeds, verdict));
  const failures = describeFailureChanges(judgement);
  const claims = [
    ...(sides.length === 0 ? [] : [`is ${sides.join(" and ").replace(/(?<=faster|slower)/, ` than ${reference}`)}`]),
    ...(failures.length === 0 ? [] : [`has ${failures.join(" and ")}`]),
  ];
  const open = describeOpen(judgement, draws, speeds, { isOverall, isAnyTold: claims.length > 0 });
  const [measured, claim] = open.length > 1 ? [open.slice(0, 1), open.slice(1)] : [open, []];
  return [
    ...(isOverall ? [describeOverall(judgement, overall)] : []),
    ...(claims.length === 0 ? [] : [`${isOverall ? "Level by level " : ""}${other} ${claims.join(" and ")}.`]),
    ...measured,
    ...describeCost(judgement),
    ...claim,
    ...(isOverall && sides.length === 0 ? [describeLack(speeds)] : []),
  ];
}

/** `balanced is slower than single: 79 % less throughput over all 6 levels (p = 0.03).` */
function describeOverall(
  { reference, other }: TargetJudgement,
  { metric, change, isAtLeast, pValue, verdict, levels, of }: OverallComparison,
): string {
  const share = Math.abs(change);
  const size = `${isAtLeast ? "at least " : ""}${share < 0.1 ? formatPercent(share) : formatCount(share * 100)} %`;
  const [more, less] = metric === "throughput" ? ["more", "less"] : ["higher", "lower"];
  const all = ["", "all trials", "both levels"][of] ?? `all ${formatCount(of)} levels`;
  const where = levels === of ? all : `${formatCount(levels)} of ${formatCount(of)} levels`;
  const p = pValue < 0.001 ? "p < 0.001" : `p = ${Number(pValue.toPrecision(1))}`;
  return `${other} is ${verdict} than ${reference}: ${size} ${change > 0 ? more : less} ${metric} over ${where} (${p}).`;
}

/** Says why no single level is told, where all of them together are. */
function describeLack(levels: readonly SpeedAtLevel[]): string {
  const needed = Math.max(0, ...levels.map(({ comparison: { trialsNeeded = 0 } }) => trialsNeeded));
  return needed === 0
    ? "No single level shows it by itself."
    : `A test at each level needs --trials ${Math.max(needed, FEWEST_FOR_SPREAD)}.`;
}

/** `faster at 250 / 500 connections (throughput +12.0 % to +20.1 %)` */
function describeSide(all: readonly SpeedAtLevel[], verdict: "faster" | "slower"): readonly string[] {
  const those = all.filter(({ comparison }) => comparison.verdict === verdict);
  const [first] = those;
  if (first === undefined) return [];
  const isUp = (first.metric === "throughput") === (verdict === "faster");
  const bounds = those.flatMap(({ comparison: { atLeast } }) => atLeast ?? []);
  const sizes = those.flatMap(({ comparison: { atLeast, change } }) => Math.abs(atLeast ?? change ?? 0));
  const range = describeChangeRange(sizes.map((size) => (isUp ? size : -size)));
  const [interval] = those.length === 1 ? [first.comparison.interval] : [];
  const notes = [
    `${first.metric} ${bounds.length > 0 ? "at least " : ""}${range}`,
    ...(interval ? [`95 % interval ${describeChangeRange([interval.low, interval.high])}`] : []),
    ...describeKept(those.map(({ comparison }) => comparison)),
  ];
  return [`${verdict} ${where(those, all)} (${notes.join(", ")})`];
}

/** Says what was measured where nothing can be claimed, and why it cannot. */
function describeOpen(
  { reference, other }: TargetJudgement,
  draws: readonly SpeedAtLevel[],
  all: readonly SpeedAtLevel[],
  { isOverall, isAnyTold }: { readonly isOverall: boolean; readonly isAnyTold: boolean },
): readonly string[] {
  const [first] = draws;
  if (first === undefined) return [];
  const measured = describeMeasured(draws, all);
  // What is said of all levels goes for each, but for those that go the other way.
  if (isOverall && !isAnyTold) {
    const isMatrix = distinctAmounts(all.map(({ level }) => level)).length > 1;
    return measured.length < 2 || isMatrix ? [] : [`Measured ${first.metric}: ${measured.join(", ")}.`];
  }
  const byReason = groupBy(draws, ({ comparison }) => describeDraw(comparison));
  const reasons = [...byReason].map(([reason, those]) =>
    byReason.size === 1 && (draws.length === all.length || isAnyTold) ? reason : `${where(those, all)} ${reason}`,
  );
  const claim = `no difference can be claimed (~): ${reasons.join("; ")}.`;
  if (isAnyTold) {
    const what = measured.length === 0 ? where(draws, all) : `with ${first.metric} ${measured.join(", ")}`;
    return [`${capitalize(what)} ${claim}`];
  }
  if (measured.length > 0 && draws.every(({ comparison }) => comparison.reason === "SINGLE_TRIAL")) {
    return [
      `${other} compared with ${reference}: ${first.metric} measured ${measured.join(", ")}, each once.`,
      describeLack(all),
    ];
  }
  const pair = `${other} compared with ${reference}:`;
  return measured.length === 0
    ? [`${pair} ${claim}`]
    : [`${pair} ${first.metric} measured ${measured.join(", ")}.`, capitalize(claim)];
}

/**
 * `+26.5 % to +85.8 % from 50 connections on`, gains first: of all those levels, as to leave some out would hide the large changes.
 * Nothing where the finding `WITHIN_NOISE` tells all that is worth telling.
 */
function describeMeasured(draws: readonly SpeedAtLevel[], all: readonly SpeedAtLevel[]): readonly string[] {
  const measured = draws.filter(({ comparison }) => comparison.change !== null);
  const changeOf = ({ comparison }: SpeedAtLevel): number => comparison.change ?? 0;
  const isTold = (one: SpeedAtLevel): boolean => isWithinNoise(one.comparison) || Math.abs(changeOf(one)) < NEGLIGIBLE;
  if (measured.every(isTold)) return [];
  const kindOf = (one: SpeedAtLevel): string => String(Math.abs(changeOf(one)) < WORTH ? 0 : Math.sign(changeOf(one)));
  return [...groupBy(measured, kindOf)]
    .toSorted(([a], [b]) => Number(b) - Number(a))
    .map(([, those]) => `${describeChangeRange(those.map(changeOf))} ${where(those, all)}`);
}

/** What is lost with one connection, where nothing can be shared out. */
function describeCost({ other, levels }: TargetJudgement): readonly string[] {
  const alone = levels.find(({ level }) => level.connections === 1);
  if (alone === undefined || levels.length === 1) return [];
  const { throughput, p50 } = alone;
  const longerMs = (p50.other ?? 0) - (p50.reference ?? Infinity);
  return (throughput.change ?? 0) <= -WORTH && longerMs > 0 && !isWithinNoise(throughput)
    ? [`With 1 connection the p50 of ${other} is ${formatTime(longerMs)} ms longer.`]
    : [];
}

function where(those: readonly SpeedAtLevel[], all: readonly SpeedAtLevel[]): string {
  return describeWhere(
    those.map(({ level }) => level),
    all.map(({ level }) => level),
  );
}

/** `fewer failed requests at 40 connections (-61.2 points)`: where one has more of them than another, or fewer, by more than noise. */
function describeFailureChanges({ reference, levels }: TargetJudgement): readonly string[] {
  const words = METRIC_WORDS.filter(({ key }) => key === "errors");
  return words.flatMap(({ change, worse, better }) =>
    [
      { verdict: "more", name: worse },
      { verdict: "fewer", name: better },
    ].flatMap(({ verdict, name }) => {
      const those = levels.filter(({ errors }) => errors.verdict === verdict);
      const sizes = those.flatMap(({ errors }) => errors.change ?? []);
      const place = describeWhere(those.map(levelOf), levels.map(levelOf));
      return sizes.length === 0 ? [] : [`${name} than ${reference} ${place} (${describeChangeRange(sizes, change)})`];
    }),
  );
}

const levelOf = ({ level }: LevelJudgement): Level => level;

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
  const levels = views[0]?.judgement.levels.map(levelOf) ?? [];
  const parts = [...groupBy(levels, (level) => concludeAt(level, views))].map(
    ([conclusion, those]) => `${conclusion} ${describeWhere(those, levels)}`,
  );
  const engines = [...new Set(views.map(({ engine }) => engine))];
  const names = views.map(({ judgement: { reference, other } }) => `${other} against ${reference}`);
  return `Do ${engines.slice(0, -1).join(", ")} and ${engines.at(-1) ?? ""} agree? ${names.join(", and ")}: ${parts.join("; ")}.`;
}

/** What the engines say of a level, in words that are the same for levels of which the same is to be said. */
function concludeAt(level: Level, views: readonly EngineView[]): string {
  const told = views.flatMap(({ engine, judgement }) => {
    const row = judgement.levels.find((one) => levelKey(one.level) === levelKey(level));
    const verdict = row?.[speedMetric(level)].verdict;
    return verdict === "faster" || verdict === "slower" ? [{ engine, verdict }] : [];
  });
  const [first] = told;
  const isTwo = views.length === 2;
  if (first === undefined) return `${isTwo ? "neither" : "none"} can tell a difference`;
  if (told.some(({ verdict }) => verdict !== first.verdict)) return "they contradict each other";
  if (told.length === views.length) return `${isTwo ? "both" : "all"} say ${first.verdict}`;
  return `only ${[...new Set(told.map(({ engine }) => engine))].join(" and ")} can tell: ${first.verdict}`;
}
