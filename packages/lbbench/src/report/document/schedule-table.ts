import { medianOf } from "../cell-figures.js";
import type { Cell } from "../cells.js";
import { formatCount, formatRate, formatTime } from "../format-number.js";
import type { Block } from "./block.js";
import { levelColumns } from "./level-columns.js";
import { createTable, numberColumn } from "./table.js";
import type { Column } from "./table.js";

/** Returns how an open loop kept to its schedule, per level; nothing for a closed loop. */
export function scheduleTable(cells: readonly Cell[]): readonly Block[] {
  const scheduled = cells.filter(({ measurements }) => measurements.some(({ schedule }) => schedule !== undefined));
  if (scheduled.length === 0) return [];
  const columns: readonly Column<Cell>[] = [
    ...levelColumns(scheduled),
    numberColumn("Sent/s", (cell) => medianOf(cell, sentPerSecond), formatRate),
    numberColumn("Due", (cell) => medianOf(cell, ({ schedule }) => schedule?.planned), formatCount),
    numberColumn("Could not leave", (cell) => medianOf(cell, ({ schedule }) => schedule?.unsent), formatCount),
    numberColumn("Late, mean (ms)", (cell) => medianOf(cell, ({ schedule }) => schedule?.lateness.mean), formatTime),
    numberColumn("Late, p99 (ms)", (cell) => medianOf(cell, ({ schedule }) => schedule?.lateness.p99), formatTime),
  ];
  const lead =
    "How requests kept to their schedule. Latency counts from when a request was due, not from when it left.";
  return [createTable({ caption: "How requests kept to their schedule", lead }, columns, scheduled)];
}

function sentPerSecond({ requests, elapsedMs }: Cell["measurements"][number]): number | undefined {
  return elapsedMs > 0 ? requests.sent / (elapsedMs / 1000) : undefined;
}
