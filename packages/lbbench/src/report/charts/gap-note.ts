import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import type { Cell } from "../cells.js";
import { describeState } from "../describe-state.js";
import { plainLine } from "../plain-line.js";
import { describeLoads } from "../describe-level.js";
import type { ChartDefinition } from "./chart-definition.js";
import { loadsOf } from "./curves.js";
import type { Curve } from "./curves.js";
import { joinNotes } from "./join-notes.js";

/** More names than this are counted. */
const MOST_NAMED = 4;

/**
 * Returns a note of the levels at which curves have no figure, and why, as a gap says neither: `no figure: single with 500
 * connections (failed)`. Nothing where all have one.
 */
export function gapNote(curves: readonly Curve[], hasFigure: (cell: Cell) => boolean): Pick<ChartDefinition, "note"> {
  const gaps = curves.flatMap((curve) => {
    const missing = curve.cells.filter((cell) => !hasFigure(cell));
    const byReason = groupBy(missing, reasonOf);
    return [...byReason].map(([reason, cells]) => ({
      // A line break in a name would begin another line of the note.
      name: plainLine(curve.name),
      reason,
      where: cells.length === curve.cells.length ? "" : ` with ${describeLoads(cells.map(({ level }) => level))}`,
    }));
  });
  const alike = groupBy(gaps, ({ where, reason }) => JSON.stringify([where, reason]));
  const lines = [...alike.values()].flatMap((group) =>
    group
      .slice(0, 1)
      .map(({ where, reason }) => `no figure: ${nameAll(group.map(({ name }) => name))}${where} (${reason})`),
  );
  return joinNotes(...lines);
}

/** Returns a note where bars of some curves are missing because nobody tried their level, as in a search; else nothing. */
export function untriedNote(curves: readonly Curve[]): Pick<ChartDefinition, "note"> {
  const loads = loadsOf(curves);
  const isUntried = curves.some(({ cells }) => {
    const tried = new Set(cells.map(({ level }) => loadValue(level)));
    return loads.some((load) => !tried.has(load));
  });
  return isUntried ? { note: "empty places: levels that were not tried" } : {};
}

function reasonOf(cell: Cell): string {
  if (cell.measurements.length === 0) return describeState(cell) || "not measured";
  return cell.cutShort ? "cut short" : "no ok response";
}

function nameAll(names: readonly string[]): string {
  return names.length > MOST_NAMED ? `${names.length} targets` : names.join(", ");
}
