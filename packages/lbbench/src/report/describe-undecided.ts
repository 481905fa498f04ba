import type { MarginComparison, TargetJudgement } from "../judge/compare-targets.js";
import { speedMetric } from "../judge/metrics.js";
import { describeDraw } from "./compare-words.js";
import { formatCount } from "./format-number.js";

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
