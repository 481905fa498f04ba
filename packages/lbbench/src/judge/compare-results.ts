import type { Finding } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { Result, StepResult } from "../model/result.js";
import type { Target, ToldScenario } from "../model/scenario.js";
import { groupBy } from "../stats/group-by.js";
import { distinctLevels, levelKey } from "../stats/identity.js";
import { loadValue } from "../stats/load.js";
import { bytesPerAnswer, compareBytes } from "./bytes-differ.js";
import { comparePairs, decideComparison, type ReferenceComparison, type TargetJudgement } from "./compare-targets.js";
import { tellComparison } from "./conclusions.js";
import type { LevelSides } from "./compare-trials.js";
import { comparePairedTargets, compareRuns, isPreventingCode, type Difference } from "./differences.js";
import { matchTables } from "./identical-figures.js";
import { findStops, isStopped } from "./stop-rules.js";
import type { Margins } from "./metrics.js";

/** Which run a result is of. */
export interface RunIdentity {
  readonly name: string;
  readonly startedAt: string;
  readonly tool: Result["tool"];
}

/** How result B compares with result A, which is the reference: the targets that were paired, in the order of A. */
export interface ResultComparison extends ReferenceComparison {
  readonly a: RunIdentity;
  readonly b: RunIdentity;
  /** How the two differ besides figures. What prevents a comparison is first. */
  readonly differences: readonly Difference[];
  /** What is said of the targets, those of A called `A` and those of B `B`: what is worse beyond the margin first, as of the targets of one run. */
  readonly findings: readonly Finding[];
}

/** Names of a target of A and of the target of B that is compared with it. */
export type TargetPair = readonly [a: string, b: string];

/**
 * Compares result B with result A: paired targets, at the levels that both have, over their trials.
 *
 * Where machine, engine, request or load differ, there are figures and no judgement: stored figures are a reference only
 * for what was measured in the same way on the same machine; nor is a copy of A judged. What B has lost makes it `inconclusive`:
 * a target, unless `asked` leaves it out, or a level at which A was measured.
 *
 * @param asked pairs of names that both have. Without it the two targets are paired when each has a single one, whatever their names;
 * else those of the same name.
 */
export function compareResults(
  a: Result,
  b: Result,
  margins: Margins,
  asked: readonly TargetPair[] = [],
): ResultComparison {
  const { pairs, unpaired } = pairTargets(a.scenario, b.scenario, asked);
  const runs = [...compareRuns(a, b), ...unpaired];
  const stops = [findStops(a.scenario.stopOn, a.steps), findStops(b.scenario.stopOn, b.steps)] as const;
  const compared = pairs.map((pair) => {
    const [reference, other] = [pair[0].name, pair[1].name];
    const steps: StepsOfPair = [
      a.steps.filter(({ target }) => target === reference),
      b.steps.filter(({ target }) => target === other),
    ];
    const own = comparePairedTargets(a.scenario, b.scenario, pair);
    const measured = compareMeasurements(other, steps, a.startedAt === b.startedAt);
    const { sides, differences } = pairLevels(other, steps);
    const isEnded = ({ level }: LevelSides): boolean =>
      isStopped(stops[0], { target: reference, level }) || isStopped(stops[1], { target: other, level });
    const preventing = [...runs, ...own, ...measured].filter(({ effect }) => effect === "prevents");
    const prevented = preventing.map(({ code }) => code).find(isPreventingCode);
    const ended = sides.map((side) => ({ ...side, isEnded: isEnded(side) }));
    return { pair: { reference, other, sides: ended, prevented }, differences: [...own, ...differences, ...measured] };
  });
  const planned = Math.min(a.scenario.trials, b.scenario.trials);
  const targets = comparePairs(
    compared.map(({ pair }) => pair),
    { margins, planned, inTurn: false },
  );
  const all = [...runs, ...compared.flatMap(({ differences }) => differences)];
  const status = decideComparison(targets);
  return {
    // Of a target or a level that B has lost nothing can be said, nor of what a run that was cut short would have shown.
    status: status === "pass" && all.some(({ code }) => LACKING.has(code)) ? "inconclusive" : status,
    margins,
    a: identify(a),
    b: identify(b),
    differences: all.toSorted((one, two) => Number(one.effect === "note") - Number(two.effect === "note")),
    targets,
    findings: tellComparison(nameSides(targets), margins, planned),
  };
}

/** Whether a comparison has to say which target a figure is of: there are several pairs, or one of two names. */
export function needsNames(targets: readonly TargetJudgement[]): boolean {
  return targets.length > 1 || targets.some(({ reference, other }) => reference !== other);
}

/** The targets as findings call them: `A` and `B`, or, where they need names, `old (A)` and `new (B)`. */
function nameSides(targets: readonly TargetJudgement[]): readonly TargetJudgement[] {
  if (!needsNames(targets)) return targets.map((pair) => ({ ...pair, reference: "A", other: "B" }));
  return targets.map((pair) => ({ ...pair, reference: `${pair.reference} (A)`, other: `${pair.other} (B)` }));
}

const LACKING: ReadonlySet<Difference["code"]> = new Set(["TARGET_ONLY_IN_A", "LEVELS_ONLY_IN_A", "NOT_COMPLETE"]);

function identify({ scenario, startedAt, tool }: Result): RunIdentity {
  return { name: scenario.name, startedAt, tool: { name: tool.name, version: tool.version } };
}

/** Which targets are compared, and, where that was not asked for, which have no counterpart. */
function pairTargets({ targets: left }: ToldScenario, { targets: right }: ToldScenario, asked: readonly TargetPair[]) {
  const [only] = left.length === 1 && right.length === 1 ? right : [];
  const named = asked.length > 0 ? asked : left.map(({ name }): TargetPair => [name, only?.name ?? name]);
  const pairs = named.flatMap(([nameA, nameB]) => {
    const [first, second] = [left.find(({ name }) => name === nameA), right.find(({ name }) => name === nameB)];
    return first === undefined || second === undefined ? [] : [[first, second] as const];
  });
  const alone = (targets: readonly Target[], side: 0 | 1): readonly Target[] =>
    asked.length > 0 ? [] : targets.filter((target) => pairs.every((pair) => pair[side] !== target));
  const unpaired: readonly Difference[] = [
    ...alone(left, 0).map(({ name: target }) => ({ code: "TARGET_ONLY_IN_A", effect: "prevents", target }) as const),
    ...alone(right, 1).map(({ name: target }) => ({ code: "TARGET_ONLY_IN_B", effect: "note", target }) as const),
  ];
  return { pairs, unpaired };
}

/** Pairs the levels that a target of A and one of B were measured at, the smallest load first: a search finds its own, and a sweep may have ended before some. */
function pairLevels(target: string, [a, b]: StepsOfPair) {
  const [ofA, ofB] = [groupBy(a, ({ level }) => levelKey(level)), groupBy(b, ({ level }) => levelKey(level))];
  const sides = risingLevels(a).flatMap((level) => {
    const [reference, other] = [ofA.get(levelKey(level)), ofB.get(levelKey(level))];
    return reference === undefined || other === undefined ? [] : [{ level, reference, other }];
  });
  const onlyIn = (steps: readonly StepResult[], others: typeof ofA): readonly Level[] =>
    risingLevels(steps.filter(({ level, measurement }) => measurement && !others.has(levelKey(level))));
  const differences: readonly Difference[] = [
    { code: "LEVELS_ONLY_IN_A", effect: "prevents", target, levels: onlyIn(a, ofB) },
    { code: "LEVELS_ONLY_IN_B", effect: "note", target, levels: onlyIn(b, ofA) },
  ];
  return { sides, differences: differences.filter(({ levels = [] }) => levels.length > 0) };
}

/** The steps of a target of A, and of the one of B that is compared with it. */
type StepsOfPair = readonly [readonly StepResult[], readonly StepResult[]];

function risingLevels(steps: readonly StepResult[]): readonly Level[] {
  return distinctLevels(steps.map(({ level }) => level)).toSorted((one, two) => loadValue(one) - loadValue(two));
}

/** What the measurements of a pair show to be wrong with comparing them, beside their speed. In one run it is not strange that figures agree. */
function compareMeasurements(target: string, [a, b]: StepsOfPair, isSameRun: boolean): readonly Difference[] {
  const bytes = compareBytes(bytesPerAnswer(a), bytesPerAnswer(b));
  const isCopy = !isSameRun && matchTables(a, b).length > 0;
  const [what, own, others] =
    bytes?.reason === "body"
      ? (["bytes of body per answer", "body", "otherBody"] as const)
      : (["bytes received per answer", "received", "otherReceived"] as const);
  const [one, two] = [bytes?.figures[own], bytes?.figures[others]];
  const figures = one === undefined || two === undefined ? {} : { a: one, b: two };
  return [
    ...(isCopy ? [{ code: "IDENTICAL_FIGURES", effect: "prevents", target } as const] : []),
    ...(bytes === undefined ? [] : [{ code: "BYTES_DIFFER", effect: "note", target, what, ...figures } as const]),
  ];
}
