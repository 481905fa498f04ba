import type { Measurement } from "../../model/measurement.js";
import { summarizeTrials } from "../../stats/trials.js";
import { outliersOf, valuesOf } from "../cell-figures.js";
import type { Cell } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { formatCount, formatRate, formatTime } from "../format-number.js";
import type { Block } from "./block.js";
import { paragraph } from "./blocks.js";
import { levelColumns } from "./level-columns.js";
import { createTable, NO_FIGURE, numberColumn } from "./table.js";
import type { Column } from "./table.js";

/** A figure whose spread is shown. */
interface SpreadMetric {
  readonly head: string;
  readonly figure: (measurement: Measurement) => number | undefined;
  readonly format: (value: number) => string;
}

const METRICS: readonly SpreadMetric[] = [
  { head: "Requests/s", figure: ({ throughput }) => throughput, format: formatRate },
  { head: "p50 (ms)", figure: ({ latency }) => latency?.p50, format: formatTime },
  { head: "p99 (ms)", figure: ({ latency }) => latency?.p99, format: formatTime },
];

/** Returns how much the trials differ, per level; nothing where no level has several. */
export function trialsTable(cells: readonly Cell[]): readonly Block[] {
  const most = Math.max(0, ...cells.map(({ measurements }) => measurements.length));
  if (most < 2) {
    return [];
  }
  const columns: readonly Column<Cell>[] = [
    ...levelColumns(cells),
    numberColumn("Trials", ({ measurements }) => measurements.length, formatCount),
    ...METRICS.map(spreadColumn),
  ];
  const lead = `Spread over the trials: median, and in brackets ${describeInterval(cells)}.`;
  return [createTable({ caption: "Spread over the trials", lead }, columns, cells), ...describeOutliers(cells)];
}

function describeInterval(cells: readonly Cell[]): string {
  const counts = cells.map(({ measurements }) => measurements.length).filter((count) => count > 0);
  const isInterval = (count: number): boolean =>
    summarizeTrials(Array.from({ length: count }, (_, index) => index)).interval === "confidence95";
  const range = "the lowest and the highest trial";
  const interval = "the 95 % interval of the median (by bootstrap: trials drawn anew from those that there are)";
  if (counts.every(isInterval)) {
    return interval;
  }
  return counts.some(isInterval) ? `${interval}, or ${range} where there are fewer than 6` : range;
}

/** Says of every outlier which trial it is, and what the mark means; nothing without any. */
function describeOutliers(cells: readonly Cell[]): readonly Block[] {
  const places = METRICS.flatMap(({ head, figure, format }) =>
    cells.flatMap((cell) => {
      const outliers = outliersOf(cell, figure).map(({ trial, value }) => `${format(value)} (trial ${trial})`);
      return outliers.length === 0 ? [] : [`${head} at ${describeLoad(cell.level)}: ${outliers.join(", ")}`];
    }),
  );
  return places.length === 0
    ? []
    : [
        paragraph(
          `* An outlier among these: a trial that lies far from the others, beyond the quartiles by more than three times their distance ` +
            `(Tukey's outer fences). It is marked and not left out: median and interval contain it. ${places.join("; ")}.`,
        ),
      ];
}

function spreadColumn({ head, figure, format }: SpreadMetric): Column<Cell> {
  return {
    head,
    align: "right",
    cell: (cell) => {
      const values = valuesOf(cell, figure);
      if (values.length === 0) {
        return NO_FIGURE;
      }
      const { median, low, high } = summarizeTrials(values);
      const mark = outliersOf(cell, figure).length > 0 ? " *" : "";
      return { text: `${format(median)} (${format(low)} to ${format(high)})${mark}`, value: median };
    },
  };
}
