import type { RequestCounts } from "../../model/measurement.js";
import { countFailed } from "../cells.js";
import type { Cell } from "../cells.js";
import { TOLD_FAILURES } from "../failure-classes.js";
import { formatCount, formatPercent } from "../format-number.js";
import { levelColumns } from "./level-columns.js";
import { numberColumn, renderTable } from "./table.js";
import type { Column } from "./table.js";

/** Returns the requests that failed by class, for the levels that have any, of all trials; nothing without failures. */
export function failureTable(cells: readonly Cell[]): readonly string[] {
  const failing = cells.filter((cell) => countFailed(cell) > 0);
  if (failing.length === 0) {
    return [];
  }
  const columns: readonly Column<Cell>[] = [
    ...levelColumns(failing),
    numberColumn("Sent", (cell) => count(cell, "sent"), formatCount),
    numberColumn("Failed (%)", (cell) => countFailed(cell) / sumOf(cell, "sent"), formatPercent),
    ...TOLD_FAILURES.filter(
      ({ key }) => key !== "unclassified" || failing.some((cell) => count(cell, key) !== null),
    ).map(({ key, label }) => numberColumn<Cell>(capitalize(label), (cell) => count(cell, key), formatCount)),
    numberColumn("In flight", (cell) => count(cell, "inFlight"), formatCount),
  ];
  return ["How requests failed:", renderTable(columns, failing)];
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
