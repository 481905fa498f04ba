import { FAILURES } from "../../model/outcomes.js";
import { sumOf } from "../../stats/descriptive.js";
import { perSecond, type RampSecond } from "../../stats/ramp-seconds.js";
import type { TargetRamp } from "../cells.js";
import { formatCount, formatRate, formatTime } from "../../stats/format-number.js";
import { capitalize } from "../plain-line.js";
import { type Block, type Column, createTable, heading, NO_FIGURE, numberColumn, rightColumn } from "./block.js";

const MOST_ROWS = 20;

const SIZES = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300];

type Row = readonly RampSecond[];

/** Returns what happened while users came, some seconds a row so that they are at most 20; nothing without a measurement. */
export function rampTimeline({ cell, seconds }: TargetRamp): readonly Block[] {
  if (seconds.length === 0) return [];
  const fewest = Math.ceil(seconds.length / MOST_ROWS);
  const size = SIZES.find((one) => one >= fewest) ?? fewest;
  const rows = Array.from({ length: Math.ceil(seconds.length / size) }, (_, row) =>
    seconds.slice(row * size, (row + 1) * size),
  );
  const classes = FAILURES.filter(({ key }) => seconds.some(({ failures }) => (failures[key] ?? 0) > 0));
  const head = size === 1 ? "Second" : "Seconds";
  const columns: readonly Column<Row>[] = [
    rightColumn(head, (row) => ({ text: describeSeconds(row), value: row[0]?.second ?? 0 })),
    numberColumn("Users", (row) => row.at(-1)?.users ?? null, formatCount),
    rateColumn("Sent/s", ({ sent }) => sent),
    rateColumn("Ok/s", ({ ok }) => ok),
    rateColumn("Failed/s", ({ failed }) => failed),
    ...(classes.length > 1
      ? classes.map(({ key, label }) => rateColumn(label, ({ failures }) => failures[key] ?? 0))
      : []),
    rangeColumn("p50 (ms)", ({ p50 }) => p50),
    highestColumn("p90 (ms)", ({ p90 }) => p90),
    highestColumn("p99 (ms)", ({ p99 }) => p99),
    highestColumn("Max (ms)", ({ max }) => max),
  ];
  const trials = cell.measurements.length;
  const lead = [
    size === 1
      ? "Second by second; users are those who had come by its end."
      : `Every ${formatCount(size)} seconds; users are those who had come by their end. Rates are means over these seconds; percentiles are never averaged: p50 is from the lowest to the highest second, p90, p99 and max are of the highest.`,
    ...(trials > 1 ? [`Of each second it is the median of ${formatCount(trials)} trials.`] : []),
  ].join(" ");
  return [heading(`As users came: ${cell.target}`), createTable({ caption: "As users came", lead }, columns, rows)];
}

function describeSeconds(row: Row): string {
  const [first, last] = [row[0]?.second ?? 0, row.at(-1)?.second ?? 0];
  return first === last ? formatCount(first) : `${formatCount(first)} to ${formatCount(last)}`;
}

function rateColumn(head: string, count: (second: RampSecond) => number): Column<Row> {
  const rate = (row: Row): number => perSecond({ lengthMs: sumOf(row, ({ lengthMs }) => lengthMs) }, sumOf(row, count));
  return numberColumn(capitalize(head), rate, formatRate);
}

function highestColumn(head: string, figure: (second: RampSecond) => number | null): Column<Row> {
  const highest = (row: Row): number | null => {
    const values = row.flatMap((second) => figure(second) ?? []);
    return values.length === 0 ? null : Math.max(...values);
  };
  return numberColumn(head, highest, formatTime);
}

/** From the lowest to the highest, by which it is sorted. */
function rangeColumn(head: string, figure: (second: RampSecond) => number | null): Column<Row> {
  return rightColumn(head, (row) => {
    const values = row.flatMap((second) => figure(second) ?? []);
    if (values.length === 0) return NO_FIGURE;
    const value = Math.max(...values);
    const [low, high] = [Math.min(...values), value].map(formatTime);
    return { text: low === high ? `${low}` : `${low} to ${high}`, value };
  });
}
