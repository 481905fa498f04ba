import type { LatencySummary } from "../../model/measurement.js";
import { medianLatency, medianOf } from "../cell-figures.js";
import { countFailed } from "../cells.js";
import type { Cell } from "../cells.js";
import { describeState } from "../describe-state.js";
import { formatCount, formatRate, formatTime } from "../format-number.js";
import { levelColumns } from "./level-columns.js";
import { NO_FIGURE, numberColumn, renderTable } from "./table.js";
import type { Column } from "./table.js";

const LATENCIES: readonly (readonly [keyof LatencySummary, string])[] = [
  ["mean", "Mean (ms)"],
  ["p50", "p50 (ms)"],
  ["p90", "p90 (ms)"],
  ["p99", "p99 (ms)"],
  ["max", "Max (ms)"],
];

/** Returns time taken, requests and latency per level; medians over the trials, counts over all of them. */
export function latencyTable(cells: readonly Cell[]): readonly string[] {
  const columns: readonly Column<Cell>[] = [
    ...levelColumns(cells),
    numberColumn("Time taken (s)", (cell) => seconds(medianOf(cell, ({ elapsedMs }) => elapsedMs)), formatTime),
    numberColumn("Complete (ok)", countOk, formatCount),
    numberColumn("Failed", (cell) => (cell.measurements.length === 0 ? null : countFailed(cell)), formatCount),
    numberColumn("Requests/s", (cell) => medianOf(cell, ({ throughput }) => throughput), formatRate),
    ...LATENCIES.map(([key, head]) => numberColumn<Cell>(head, (cell) => medianLatency(cell, key), formatTime)),
    ...stateColumn(cells),
  ];
  const several = cells.some(({ measurements }) => measurements.length > 1);
  return [
    renderTable(columns, cells),
    ...(several ? ["Medians over the trials; complete and failed are of all trials."] : []),
  ];
}

function stateColumn(cells: readonly Cell[]): readonly Column<Cell>[] {
  const column: Column<Cell> = { head: "State", align: "left", cell: (cell) => describeState(cell) || NO_FIGURE };
  return cells.some((cell) => describeState(cell) !== "") ? [column] : [];
}

function countOk({ measurements }: Cell): number | null {
  return measurements.length === 0 ? null : measurements.reduce((sum, { requests }) => sum + requests.ok, 0);
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}
