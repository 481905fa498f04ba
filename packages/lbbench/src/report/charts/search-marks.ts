import type { Result } from "../../model/result.js";
import { loadValue } from "../../stats/load.js";
import { groupBy } from "../../stats/group-by.js";
import type { Cell } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatCount } from "../format-number.js";
import type { ChartDefinition, ChartMark, ChartPoint } from "./chart-definition.js";
import { type Curve, trialPoint } from "./curves.js";

/** Makes a point of a level against load; one that a search decided says so. */
export function loadPoint(
  { search = [] }: Result,
  cell: Cell,
  x: ChartPoint["x"],
  values: readonly number[],
): ChartPoint {
  const { tried = [], beyond = null } = search.find(({ target }) => target === cell.target) ?? {};
  const level = [...tried, ...(beyond === null ? [] : [beyond])].find(({ value }) => value === loadValue(cell.level));
  const point = trialPoint(x, values);
  return level?.decision === "broken" || level?.decision === "unclear" ? { ...point, decision: level.decision } : point;
}

/**
 * Returns a line at the largest load that held, for each target that a search found it of, and what the marks of points mean. Nothing
 * of a sweep.
 */
export function searchMarks(
  { search = [] }: Result,
  curves: readonly Curve[],
  places: readonly Pick<ChartMark, "panel">[],
): Pick<ChartDefinition, "marks" | "note"> {
  const limits = curves.flatMap(({ name, cells }, index) => {
    const [cell] = cells;
    const outcome = search.find(({ target }) => target === cell?.target);
    if (cell === undefined || outcome === undefined || outcome.held === null || outcome.status !== "found") return [];
    return [{ name, x: outcome.held, by: outcome.by, panel: places[index]?.panel ?? 0 }];
  });
  const isAlone = curves.length === 1;
  const marks = [...groupBy(limits, ({ panel, x }) => `${panel} ${x}`).values()].flatMap(
    (alike): readonly ChartMark[] => {
      const [first] = alike;
      if (first === undefined) return [];
      const { panel, x, by } = first;
      const whose = isAlone
        ? describeLoad({ [by]: x })
        : `${alike.map(({ name }) => name).join(", ")} ${formatCount(x)}`;
      return [{ panel, x, label: `limit: ${whose}`, short: "limit" }];
    },
  );
  if (search.length === 0) return {};
  const limit = marks.length === 0 ? "" : "; limit: the largest load that held";
  return { note: `×: did not hold${limit}`, ...(marks.length === 0 ? {} : { marks }) };
}
