import type { Result } from "../../model/result.js";
import { collectCells } from "../cells.js";
import type { Cell } from "../cells.js";
import { describeAmount, distinctAmounts } from "../describe-level.js";
import { loadValue } from "../../stats/load.js";
import { groupBy } from "../../stats/group-by.js";

/** The cells of one target with the same number of requests or the same duration, by rising load. */
export interface Curve {
  /** The target's name, and the amount where there are several. */
  readonly name: string;
  readonly colorIndex: number;
  readonly cells: readonly Cell[];
}

/** Returns what a line of a chart against load consists of; none for a result without a step. */
export function collectCurves(result: Result): readonly Curve[] {
  const cells = collectCells(result);
  const hasSeveralAmounts = distinctAmounts(cells.map(({ level }) => level)).length > 1;
  const groups = groupBy(cells, ({ target, level }) => JSON.stringify([target, describeAmount(level)]));
  return [...groups.values()].flatMap((group, colorIndex) => {
    const [first] = group;
    if (first === undefined) {
      return [];
    }
    const name = hasSeveralAmounts ? `${first.target}, ${describeAmount(first.level)}` : first.target;
    return [{ name, colorIndex, cells: group.toSorted((a, b) => loadValue(a.level) - loadValue(b.level)) }];
  });
}

/** Returns the loads that occur in some curve, each once, rising. */
export function loadsOf(curves: readonly Curve[]): readonly number[] {
  const all = curves.flatMap(({ cells }) => cells.map(({ level }) => loadValue(level)));
  return [...new Set(all)].toSorted((a, b) => a - b);
}
