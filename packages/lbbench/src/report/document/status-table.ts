import type { Cell } from "../cells.js";
import { formatCount } from "../format-number.js";
import { hasOtherStatuses, statusCounts } from "../status-counts.js";
import type { Block } from "./block.js";
import { paragraph } from "./blocks.js";
import { levelColumns } from "./level-columns.js";
import { createTable, numberColumn } from "./table.js";

/** Returns how many answers of each level had which status, of all trials; a sentence where all had the same; nothing where that is not told. */
export function statusTable(cells: readonly Cell[]): readonly Block[] {
  const codes = [...statusCounts(cells).keys()];
  const [only] = codes;
  if (only === undefined) return [];
  if (codes.length === 1 && !hasOtherStatuses(cells)) return [paragraph(`All answers had status ${only}.`)];
  const told = cells.filter((cell) => statusCounts([cell]).size > 0);
  const columns = codes.map((code) =>
    numberColumn<Cell>(code, (cell) => statusCounts([cell]).get(code) ?? 0, formatCount),
  );
  const lead = "Answers by status, all trials together:";
  return [createTable({ caption: "Answers by status", lead }, [...levelColumns(told), ...columns], told)];
}
