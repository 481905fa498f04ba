import type { RequestCounts } from "../../model/measurement.js";
import { countFailed, countFinished } from "../cells.js";
import type { Cell } from "../cells.js";
import { TOLD_FAILURES } from "../../model/outcomes.js";
import { formatCount, formatPercent } from "../format-number.js";
import type { Block } from "./block.js";
import { levelColumns } from "./level-columns.js";
import { createTable, numberColumn } from "./table.js";
import type { Column } from "./table.js";

/** Returns the requests that failed by class, for the levels that have any, of all trials; nothing without failures. */
export function failureTable(cells: readonly Cell[]): readonly Block[] {
  const failing = cells.filter((cell) => countFailed(cell) > 0);
  if (failing.length === 0) {
    return [];
  }
  const columns: readonly Column<Cell>[] = [
    ...levelColumns(failing),
    numberColumn("Sent", (cell) => count(cell, "sent"), formatCount),
    numberColumn(
      "Failed (%)",
      (cell) => countFailed(cell) / countFinished(cell),
      formatPercent,
      "of those that came to an end: sent, without those in flight",
    ),
    ...TOLD_FAILURES.filter(
      ({ key }) => key !== "unclassified" || failing.some((cell) => count(cell, key) !== null),
    ).map(({ key, label }) => numberColumn<Cell>(capitalize(label), (cell) => count(cell, key), formatCount)),
    numberColumn("In flight", (cell) => count(cell, "inFlight"), formatCount),
  ];
  const several = failing.some(({ measurements }) => measurements.length > 1);
  const lead = several ? "How requests failed, all trials together:" : "How requests failed:";
  return [createTable({ caption: "How requests failed", lead }, columns, failing)];
}

/** `null` where no measurement tells it. */
function count(cell: Cell, key: keyof RequestCounts): number | null {
  return cell.measurements.some(({ requests }) => requests[key] !== undefined) ? sumOf(cell, key) : null;
}

function sumOf({ measurements }: Cell, key: keyof RequestCounts): number {
  return measurements.reduce((sum, { requests }) => sum + (requests[key] ?? 0), 0);
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
