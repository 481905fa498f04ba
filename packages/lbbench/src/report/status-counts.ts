import type { Result } from "../model/result.js";
import { cellsByTarget, collectCells } from "./cells.js";
import type { Cell } from "./cells.js";
import { formatCount } from "./format-number.js";

/** Returns how many answers had which status, by its number, or with gRPC its name; of all levels and trials. */
export function statusCounts(cells: readonly Cell[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { statusCodes } of cells.flatMap(({ measurements }) => measurements)) {
    for (const [code, count] of Object.entries(statusCodes)) counts.set(code, (counts.get(code) ?? 0) + count);
  }
  return new Map([...counts].toSorted(([a], [b]) => a.localeCompare(b)));
}

/** Whether any answer had another status than 2xx, or with gRPC than OK. */
export function hasOtherStatuses(cells: readonly Cell[]): boolean {
  return [...statusCounts(cells).keys()].some((code) => !/^(2\d\d|OK)$/.test(code));
}

/** Says which statuses a target answered with, a line for each that did not always answer with 2xx; plain text. */
export function describeStatuses(result: Result): readonly string[] {
  return [...cellsByTarget(collectCells(result))].flatMap(([target, cells]) => {
    const counts = [...statusCounts(cells)].map(([code, count]) => `${code} (${formatCount(count)})`);
    return hasOtherStatuses(cells) ? [`${target} answered with status ${counts.join(", ")}.`] : [];
  });
}
