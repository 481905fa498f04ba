import type { Measurement, MixedShare } from "../../model/measurement.js";
import { medianOf } from "../cell-figures.js";
import type { Cell } from "../cells.js";
import { formatCount, formatPercent, formatRate, formatTime } from "../format-number.js";
import type { Block } from "./block.js";
import { levelColumns } from "./level-columns.js";
import { createTable, numberColumn } from "./table.js";
import type { Column } from "./table.js";

/** One entry of a mix at one level. */
interface Row extends Cell {
  readonly name: string;
}

/** Returns what became of each request of a mix, per level: medians over the trials, counts over all of them; nothing without a mix. */
export function mixTable(cells: readonly Cell[]): readonly Block[] {
  const rows = cells.flatMap((cell) => namesOf(cell).map((name): Row => ({ ...cell, name })));
  if (rows.length === 0) return [];
  const columns: readonly Column<Row>[] = [
    ...levelColumns(rows),
    { head: "Request", align: "left", cell: ({ name }) => name },
    numberColumn("Sent", (row) => total(row, "sent"), formatCount),
    numberColumn("Share (%)", shareOf, formatPercent),
    numberColumn("Complete (ok)", (row) => total(row, "ok"), formatCount),
    numberColumn("Failed", (row) => total(row, "failed"), formatCount),
    numberColumn("Requests/s", (row) => medianOf(row, (measurement) => okPerSecond(row, measurement)), formatRate),
    numberColumn("p50 (ms)", (row) => medianOf(row, (one) => partOf(row, one)?.latency?.p50), formatTime),
    numberColumn("p99 (ms)", (row) => medianOf(row, (one) => partOf(row, one)?.latency?.p99), formatTime),
  ];
  return [createTable({ caption: "By request", lead: "By request:" }, columns, rows)];
}

function namesOf({ measurements }: Cell): readonly string[] {
  return [...new Set(measurements.flatMap(({ mix = [] }) => mix.map(({ name }) => name)))];
}

function partOf({ name }: Row, { mix = [] }: Measurement): MixedShare | undefined {
  return mix.find((share) => share.name === name);
}

function total(row: Row, count: "sent" | "ok" | "failed"): number {
  return row.measurements.reduce((sum, measurement) => sum + (partOf(row, measurement)?.[count] ?? 0), 0);
}

/** Of all requests that were sent. */
function shareOf(row: Row): number | null {
  const sent = row.measurements.reduce((sum, { requests }) => sum + requests.sent, 0);
  return sent === 0 ? null : total(row, "sent") / sent;
}

function okPerSecond(row: Row, measurement: Measurement): number | undefined {
  const { ok } = partOf(row, measurement) ?? {};
  return ok === undefined || measurement.elapsedMs === 0 ? undefined : ok / (measurement.elapsedMs / 1000);
}
