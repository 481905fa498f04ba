import type { MarginComparison, LevelJudgement, TargetJudgement } from "../../judge/compare-targets.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { describeAmount, distinctAmounts } from "../describe-level.js";
import { formatChange, formatCount } from "../format-number.js";
import { plainLine } from "../plain-line.js";
import type { ChangeAxis } from "./change-axis.js";
import { COMPARED_METRICS } from "./compared-metrics.js";
import { countOf } from "../../stats/count-of.js";

/** The reference, where all have the same. */
export function describeReference(targets: readonly TargetJudgement[]): string {
  const [first, ...others] = new Set(targets.map(({ reference }) => reference));
  return first === undefined || others.length > 0 ? "another target" : first;
}

/** The name of a target, and what it is compared with where that is not the same for all. */
export function nameSides({ reference, other }: TargetJudgement, all: readonly TargetJudgement[]): string {
  return all.every((target) => target.reference === reference) ? other : `${other} against ${reference}`;
}

/** What fell to 0 has no place on a logarithmic axis, and must not go unnoticed. */
export function describeNothing(targets: readonly TargetJudgement[], { y }: ChangeAxis): string {
  const fallen = targets.filter(({ levels }) => levels.some(({ throughput }) => throughput.change === -1));
  return y.scale !== "log" || fallen.length === 0
    ? ""
    : `not drawn: throughput that came to nothing, of ${fallen.map(({ other }) => plainLine(other)).join(", ")}`;
}

/** Says where there is no bar for want of an interval, and that a bar of no length is no missing one. */
export function describeMissing(targets: readonly TargetJudgement[]): readonly string[] {
  const missing = targets.flatMap((target) => {
    const byReason = groupBy(
      target.levels.flatMap((row) => {
        const lacking = COMPARED_METRICS.filter((key) => row[key].interval === null);
        const [key] = lacking;
        if (key === undefined) return [];
        const figures = lacking.length === COMPARED_METRICS.length ? "" : `${lacking.join(" and ")} `;
        return [{ row, words: `${figures}${shortReason(row[key])}` }];
      }),
      ({ words }) => words,
    );
    return [...byReason].map(([words, rows]) => {
      const isAll = rows.length === target.levels.length;
      const where = isAll ? "" : ` at ${rows.map(({ row }) => placeOf(target)(row)).join(" / ")}`;
      return `no bar: ${plainLine(nameSides(target, targets))}${where} (${words})`;
    });
  });
  const isUnchanged = targets.some(({ levels }) =>
    levels.some((level) => COMPARED_METRICS.some((key) => level[key].interval !== null && level[key].change === 0)),
  );
  return [...missing, ...(isUnchanged ? ["no bar but a whisker: no change"] : [])];
}

function shortReason({ change, reason }: MarginComparison): string {
  if (change === null) return "not measured on both sides";
  return reason === "TOO_FEW_TRIALS" || reason === "SINGLE_TRIAL" ? "too few trials for an interval" : "not compared";
}

/** The load, and the amount as well where a matrix has several of one load. */
export function placeOf({ levels }: TargetJudgement): (row: LevelJudgement) => string {
  const hasAmounts = distinctAmounts(levels.map(({ level }) => level)).length > 1;
  return ({ level }) =>
    hasAmounts ? `${formatCount(loadValue(level))}, ${describeAmount(level)}` : formatCount(loadValue(level));
}

/** Says of each metric how far it changes, and at how many levels that is more than noise. */
export function describeTarget(target: TargetJudgement, all: readonly TargetJudgement[]): string {
  const { levels } = target;
  const parts = COMPARED_METRICS.flatMap((key) => {
    const changes = levels.flatMap((level) => (level[key].interval === null ? [] : (level[key].change ?? [])));
    if (changes.length === 0) return [];
    const [least, most] = [Math.min(...changes), Math.max(...changes)].map(formatChange);
    const span = least === most ? least : `${least} to ${most}`;
    return [`${key} ${span}${describeClear(levels.map((level) => level[key]))}`];
  });
  return `${nameSides(target, all)}: ${parts.join("; ")}.`;
}

/** At how many levels there is more than noise. */
function describeClear(comparisons: readonly MarginComparison[]): string {
  const words = (["faster", "slower"] as const).flatMap((word) => {
    const count = comparisons.filter(({ verdict }) => verdict === word).length;
    return count === 0 ? [] : [`${word} at ${formatCount(count)} of ${countOf(comparisons.length, "level")}`];
  });
  return words.length === 0 ? " (no clear difference)" : ` (${words.join(", ")})`;
}
