/** What comparisons say, in sentences: of the targets of a run, and of two results. Plain text, names as they came. */
import type { OverallComparison } from "../judge/compare-overall.js";
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
import { isWithinNoise } from "../judge/judge-margin.js";
import { speedMetric } from "../judge/metrics.js";
import type { Level } from "../model/level.js";
import { countOf } from "../stats/count-of.js";
import { formatCount, formatPercent, formatTime } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { FEWEST_FOR_SPREAD, ONE_START } from "../stats/spread.js";
import {
  comparedAt,
  describeChangeRange,
  describeDraw,
  describeKept,
  describeMargin,
  describeUnknown,
  formatPoints,
  METRIC_WORDS,
  TONES,
} from "./compare-words.js";
import { describePlaces, describeWhere, distinctAmounts } from "./describe-level.js";
import { capitalize, joinWords } from "./plain-line.js";
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
  return targets.flatMap(allFigures).some(({ interval }) => interval !== null);
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
  const told = all.filter(({ worse }) => worse !== "unknown").length;
  return told === all.length ? "" : `, where that can be told (${told} of ${countOf(all.length, "comparison")})`;
}

/** ` at 50 connections`, or nothing where it cannot be told at any level, or of several targets. */
function describeUntold([target, ...others]: readonly TargetJudgement[]): string {
  if (target === undefined || others.length > 0) return "";
  const unanswered = findUnanswered(target);
  const isAll = unanswered.length === target.levels.length;
  return isAll ? "" : ` at ${describePlaces(levelsOf(unanswered), levelsOf(target.levels))}`;
}

/** Changes that are listed together, those for the worse first: as what of their metric, with which words. */
const KINDS: readonly (readonly [
  side: "worse" | "better",
  words: string,
  isOf: (figures: MarginComparison, tone: string | undefined) => boolean,
])[] = [
  ["worse", "", ({ worse }) => worse === "yes"],
  ["worse", ", perhaps beyond the margin,", ({ worse }, tone) => worse === "unknown" && tone === "bad"],
  ["worse", ", within the margin,", ({ worse }, tone) => worse === "no" && tone === "bad"],
  ["better", "", (_, tone) => tone === "good"],
];

/** Says for each target where it changed by more than noise, what is worse beyond the margin first. */
export function describeChanges({ targets }: Targets): readonly string[] {
  return targets.flatMap((target) => {
    const { levels } = target;
    const at = (those: readonly LevelJudgement[]): string => describePlaces(levelsOf(those), levelsOf(levels));
    const dead = groupBy(
      levels.filter(({ deaths }) => deaths !== undefined),
      ({ deaths }) => `in ${deaths?.died} of ${countOf(deaths?.trials ?? 0, "trial")}`,
    );
    const changes = KINDS.flatMap(([side, words, isOf]) =>
      METRIC_WORDS.flatMap(({ key, change: write, [side]: name }) => {
        const told = levels.flatMap((row) => {
          const { [key]: figures } = row;
          return figures !== undefined && isOf(figures, TONES.get(figures.verdict)) ? [{ row, figures }] : [];
        });
        const sizes = told.flatMap(({ figures: { change } }) => change ?? []);
        const range = sizes.length === 0 ? "one side never recovered" : describeChangeRange(sizes, write);
        return told.length === 0 ? [] : [`${name}${words} at ${at(told.map(({ row }) => row))} (${range})`];
      }),
    );
    const said = [...[...dead].map(([words, those]) => `died at ${at(those)} (${words})`), ...changes];
    return said.length === 0 ? [] : [`${nameTarget(target)}: ${said.join("; ")}.`];
  });
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
        .filter(({ figures: { worse, reason = "" } }) => worse === "unknown" && !isPreventingCode(reason))
        .map(({ words, figures }) => ({
          target,
          metric: words.name,
          reason: describeUnknown(figures.reason, figures),
        })),
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

/** A level, and how two targets compare there in what tells which is faster. */
interface Speed extends MarginComparison {
  readonly level: Level;
  readonly metric: "throughput" | "mean";
}

function speedsAt({ levels }: TargetJudgement): readonly Speed[] {
  return levels.flatMap((row) => {
    const metric = speedMetric(row.level);
    const figures = row[metric];
    return figures === undefined ? [] : [{ ...figures, level: row.level, metric }];
  });
}

/** So many sentences which all say that nothing can be said are read one by one; of more there is one for all of them. */
const MOST_ONE_BY_ONE = 3;

/**
 * Says of each target whether it is faster than its reference, where and by how much; where nothing can be claimed, what was measured and
 * why. It goes by throughput, in an open loop by p50.
 */
export function describeComparisons({ comparison: { targets } }: ReportModel): readonly string[] {
  const undecided = targets.filter(isUndecided);
  if (undecided.length <= MOST_ONE_BY_ONE) return joinPairs(targets.map(sayPair));
  const decided = targets.filter((target) => !undecided.includes(target));
  const reasons = new Set(undecided.flatMap(speedsAt).map(describeDraw));
  const references = new Set(undecided.map(({ reference }) => reference));
  const others =
    decided.length === 0
      ? `any of the ${formatCount(undecided.length)} other targets`
      : undecided.map(({ other }) => other).join(", ");
  return [
    ...joinPairs(decided.map(sayPair)),
    `Between ${[...references].join(", ")} and ${others} no difference in speed can be claimed (~): ${[...reasons].join("; ")}.`,
  ];
}

function isUndecided(target: TargetJudgement): boolean {
  return (
    (target.overall?.verdict ?? "~") === "~" &&
    target.levels.every(({ errors, deaths }) => errors.verdict === "~" && deaths === undefined) &&
    speedsAt(target).every(({ verdict }) => verdict === "~")
  );
}

/** What is said of a pair, and why there is no more: what several pairs lack is said once. */
interface PairWords {
  readonly seen: readonly string[];
  readonly lack: string;
}

function joinPairs(pairs: readonly PairWords[]): readonly string[] {
  const lacks = groupBy(pairs, ({ lack }) => lack);
  const shared = [...lacks].flatMap(([lack, those]) => (those.length > 1 ? [lack] : []));
  const own = pairs.map(({ seen, lack }) => [...seen, ...(shared.includes(lack) ? [] : [lack])].join(" ").trim());
  return [...own, ...shared].filter((line) => line !== "");
}

function sayPair(judgement: TargetJudgement): PairWords {
  const { reference, other, overall } = judgement;
  const all = speedsAt(judgement);
  const draws = all.filter(({ verdict }) => verdict === "~");
  // Where each level tells the same, that is enough.
  const isOverall = overall !== undefined && overall.verdict !== "~" && draws.length > 0;
  const sides = (["faster", "slower"] as const).flatMap((verdict) => saySide(all, verdict));
  const isOneRun = draws.length > 0 && draws.every(({ reason }) => reason === "SINGLE_TRIAL");
  const claims = [
    ...(sides.length === 0 ? [] : [`is ${sides.join(" and ").replace(/(?<=faster|slower)/, ` than ${reference}`)}`]),
    ...sayFailures(judgement),
  ];
  if (isOneRun && claims.length === 0)
    return { seen: sayOneRun(judgement, all), lack: capitalize(sayLack(draws, all, false)) };
  const measured = sayMeasured(draws, all);
  // What is said of all levels goes for each, but for those that go the other way.
  const isSaid = isOverall && claims.length === 0 && (measured.length < 2 || isMatrix(all));
  const shown = isSaid ? [] : measured;
  const metric = SPEED_NAMES[draws[0]?.metric ?? "throughput"];
  const lack = sayLack(draws, all, isOverall && claims.length === 0);
  // Where nothing is claimed, the first sentence names the two.
  const pair = isOverall || claims.length > 0 ? "" : `${other} compared with ${reference}: `;
  return {
    seen: [
      ...(isOverall ? [sayOverall(judgement, overall)] : []),
      ...(claims.length === 0 ? [] : [`${isOverall ? "Level by level " : ""}${other} ${claims.join(" and ")}.`]),
      ...(shown.length === 0 ? [] : [`${pair || "Measured "}${metric}${pair ? "" : ":"} ${shown.join(", ")}.`]),
      ...sayCost(judgement),
    ],
    lack: pair === "" || shown.length > 0 ? capitalize(lack) : lack && `${pair}${lack}`,
  };
}

const isMatrix = (all: readonly Speed[]): boolean => distinctAmounts(levelsOf(all)).length > 1;

/** `balanced is slower than single: 79 % less throughput on average over 5 levels above 1 connection (6 trials, 95 % interval 70 to 85 %, p = 0.03).` */
function sayOverall(
  { reference, other }: Named,
  { metric, isAboveOne, change, interval, isAtLeast, pValue, verdict, trials, levels, of }: OverallComparison,
): string {
  const percent = (share: number): string => (share < 0.1 ? formatPercent(share) : formatCount(share * 100));
  const size = `${isAtLeast ? "at least " : ""}${percent(Math.abs(change))} %`;
  const [more, less] =
    metric === "throughput" ? ["more throughput", "less throughput"] : ["higher mean latency", "lower mean latency"];
  const some = levels === of ? `${formatCount(of)} levels` : `${formatCount(levels)} of ${formatCount(of)} levels`;
  const where = isAboveOne ? `${some} above 1 connection` : some;
  const sign = Math.sign(change);
  const ends = interval && [interval.low, interval.high].map((end) => end * sign).toSorted((a, b) => a - b);
  const notes = [
    countOf(trials, "trial"),
    ...(ends === null ? [] : [`95 % interval ${ends.map(percent).join(" to ")} %`]),
    (pValue ?? 1) < 0.001 ? "p < 0.001" : `p = ${Number((pValue ?? 1).toPrecision(1))}`,
  ];
  return `${other} is ${verdict} than ${reference}: ${size} ${change > 0 ? more : less} on average over ${where} (${notes.join(", ")}).`;
}

/** What tells which of two targets is faster, in a sentence. */
const SPEED_NAMES: Readonly<Record<Speed["metric"], string>> = { throughput: "throughput", mean: "mean latency" };

/** What one start showed at some levels, with the size of it. */
const ONE_RUN_WORDS = {
  throughput: {
    up: (size: string) => `${size} more requests/s`,
    same: () => "about as many requests/s",
    down: (size: string) => `${size} fewer requests/s`,
  },
  mean: {
    up: (size: string) => `a mean latency ${size} higher`,
    same: () => "about the same mean latency",
    down: (size: string) => `a mean latency ${size} lower`,
  },
} as const;

/**
 * Says what one start of each target showed, which claims nothing: `Compared with single, cluster had in this one run 59 to 87 % more
 * requests/s from 50 connections on and about as many requests/s at 1 connection.`
 */
function sayOneRun(judgement: TargetJudgement, all: readonly Speed[]): readonly string[] {
  const measured = all.flatMap((speed) => (speed.change === null ? [] : [{ ...speed, change: speed.change }]));
  const [first] = measured;
  if (first === undefined) return [];
  const kinds = groupBy(measured, ({ change }): "up" | "same" | "down" =>
    Math.abs(Math.log1p(change)) < ONE_START ? "same" : change > 0 ? "up" : "down",
  );
  const said = (["up", "same", "down"] as const).flatMap((kind) => {
    const those = kinds.get(kind) ?? [];
    const sizes = those.map(({ change }) => Math.round(Math.abs(change) * 100)).toSorted((a, b) => a - b);
    const ends = [...new Set([sizes[0] ?? 0, sizes.at(-1) ?? 0])].map((size) => formatCount(size));
    return those.length === 0
      ? []
      : [`${ONE_RUN_WORDS[first.metric][kind](`${ends.join(" to ")} %`)} ${where(those, all)}`];
  });
  const { reference, other } = judgement;
  return [`Compared with ${reference}, ${other} had in this one run ${joinWords(said)}.`, ...sayCost(judgement)];
}

/** `faster at 250 / 500 connections (throughput +12.0 % to +20.1 %)` */
function saySide(all: readonly Speed[], verdict: "faster" | "slower"): readonly string[] {
  const those = all.filter((one) => one.verdict === verdict);
  const [first] = those;
  if (first === undefined) return [];
  const isUp = (first.metric === "throughput") === (verdict === "faster");
  const isBound = those.some(({ atLeast }) => atLeast !== undefined);
  const sizes = those.map(({ atLeast, change }) => Math.abs(atLeast ?? change ?? 0));
  const range = describeChangeRange(sizes.map((size) => (isUp ? size : -size)));
  const [interval] = those.length === 1 ? [first.interval] : [];
  const notes = [
    `${SPEED_NAMES[first.metric]} ${isBound ? "at least " : ""}${range}`,
    ...(interval ? [`95 % interval ${describeChangeRange([interval.low, interval.high])}`] : []),
    ...describeKept(those),
  ];
  return [`${verdict} ${where(those, all)} (${notes.join(", ")})`];
}

function where(those: readonly { readonly level: Level }[], all: readonly { readonly level: Level }[]): string {
  return describeWhere(levelsOf(those), levelsOf(all));
}

/** `has fewer failed requests than single at 40 connections (-61.2 points)`, by more than noise. */
function sayFailures({ reference, levels }: TargetJudgement): readonly string[] {
  const changes = (["more", "fewer"] as const).flatMap((verdict) => {
    const those = levels.filter(({ errors }) => errors.verdict === verdict);
    const points = those.flatMap(({ errors }) => errors.change ?? []);
    const range = describeChangeRange(points, formatPoints);
    return those.length === 0
      ? []
      : [`${verdict} failed requests than ${reference} ${where(those, levels)} (${range})`];
  });
  return changes.length === 0 ? [] : [`has ${changes.join(" and ")}`];
}

/** A change below this part is neither a gain nor a loss worth another process. */
const WORTH = 0.05;

/** `+26.5 % to +85.8 % from 50 connections on`, gains first. Nothing where the finding `WITHIN_NOISE` tells all of it. */
function sayMeasured(draws: readonly Speed[], all: readonly Speed[]): readonly string[] {
  const measured = draws.filter(({ change }) => change !== null);
  if (measured.every(isWithinNoise)) return [];
  const kindOf = ({ change }: Speed): string => String(Math.abs(change ?? 0) < WORTH ? 0 : Math.sign(change ?? 0));
  return [...groupBy(measured, kindOf)]
    .toSorted(([a], [b]) => Number(b) - Number(a))
    .map(([, those]) => `${describeChangeRange(those.map(({ change }) => change ?? 0))} ${where(those, all)}`);
}

/** What is lost with one connection, where nothing can be shared out. */
function sayCost({ other, levels }: TargetJudgement): readonly string[] {
  const alone = levels.find(({ level }) => level.connections === 1);
  if (alone === undefined || levels.length === 1) return [];
  const { throughput, p50 } = alone;
  const longerMs = (p50.other ?? 0) - (p50.reference ?? Infinity);
  return (throughput.change ?? 0) <= -WORTH && longerMs > 0 && !isWithinNoise(throughput)
    ? [`With 1 connection the p50 of ${other} is ${formatTime(longerMs)} ms longer.`]
    : [];
}

/** Says why no difference is claimed of some levels, and what it takes; empty where one is claimed of each. */
function sayLack(draws: readonly Speed[], all: readonly Speed[], isToldOverall: boolean): string {
  if (draws.length === 0) return "";
  const single = draws.filter(({ reason }) => reason === "SINGLE_TRIAL");
  const trials = Math.max(0, ...all.map(({ trialsNeeded = 0 }) => trialsNeeded));
  const test = `a test at each level needs --trials ${Math.max(trials, FEWEST_FOR_SPREAD)}.`;
  if (single.length === draws.length) return `a claim takes several starts: ${test}`;
  if (isToldOverall) return trials > 0 ? test : "no single level shows it by itself.";
  const place = draws.length === all.length ? "" : `${where(draws, all)} `;
  const byReason = groupBy(draws, describeDraw);
  const reasons = [...byReason].map(([reason, those]) =>
    byReason.size === 1 ? reason : `${where(those, all)} ${reason}`,
  );
  return `${place}no difference can be claimed (~): ${reasons.join("; ")}.`;
}
