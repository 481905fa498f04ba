import type { Measurement } from "../../model/measurement.js";
import { summarizeTrials } from "../../stats/trials.js";
import { valuesOf } from "../cell-figures.js";
import type { Cell } from "../cells.js";
import { formatCount, formatRate, formatTime } from "../format-number.js";
import { levelColumns } from "./level-columns.js";
import { NO_FIGURE, numberColumn, renderTable } from "./table.js";
import type { Column } from "./table.js";

/** Returns how much the trials differ, per level; nothing where no level has several. */
export function trialsTable(cells: readonly Cell[]): readonly string[] {
  const most = Math.max(0, ...cells.map(({ measurements }) => measurements.length));
  if (most < 2) {
    return [];
  }
  const columns: readonly Column<Cell>[] = [
    ...levelColumns(cells),
    numberColumn("Trials", ({ measurements }) => measurements.length, formatCount),
    spreadColumn("Requests/s", ({ throughput }) => throughput, formatRate),
    spreadColumn("p50 (ms)", ({ latency }) => latency?.p50, formatTime),
    spreadColumn("p99 (ms)", ({ latency }) => latency?.p99, formatTime),
  ];
  const { interval } = summarizeTrials(Array.from({ length: most }, (_, index) => index));
  const ends =
    interval === "range"
      ? "the lowest and the highest trial"
      : "an interval that holds the true median with 95 % confidence";
  return [`Spread over the trials: median, and in brackets ${ends}.`, renderTable(columns, cells)];
}

function spreadColumn(
  head: string,
  figure: (measurement: Measurement) => number | undefined,
  format: (value: number) => string,
): Column<Cell> {
  return {
    head,
    align: "right",
    cell: (cell) => {
      const values = valuesOf(cell, figure);
      if (values.length === 0) {
        return NO_FIGURE;
      }
      const { median, low, high } = summarizeTrials(values);
      return `${format(median)} (${format(low)} to ${format(high)})`;
    },
  };
}
