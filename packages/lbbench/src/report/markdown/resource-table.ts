import { bottlenecksOf, medianCpu, medianOf } from "../cell-figures.js";
import type { Cell } from "../cells.js";
import { formatPercent, formatTime, pickByteUnit } from "../format-number.js";
import { ROLES } from "../role-usage.js";
import { levelColumns } from "./level-columns.js";
import { NO_FIGURE, numberColumn, renderTable } from "./table.js";
import type { Column } from "./table.js";

/** Returns bytes received, the bottleneck and processor time by role, per level; nothing without a measurement. */
export function resourceTable(cells: readonly Cell[]): readonly string[] {
  if (cells.every(({ measurements }) => measurements.length === 0)) {
    return [];
  }
  const columns: readonly Column<Cell>[] = [
    ...levelColumns(cells),
    byteColumn("Received", "", cells, (cell) => medianOf(cell, ({ bytes }) => bytes.received)),
    byteColumn("Transfer rate", "/s", cells, transferRate),
    { head: "Bottleneck", align: "left", cell: (cell) => bottlenecksOf(cell).join(", ") || NO_FIGURE },
    ...ROLES.filter(({ role }) => cells.some((cell) => medianCpu(cell, role) !== null)).map(({ role, label }) =>
      numberColumn<Cell>(`CPU ${label} (%)`, (cell) => medianCpu(cell, role), formatPercent),
    ),
  ];
  return ["Transfer and processes (CPU: 100 % is one core kept busy):", renderTable(columns, cells)];
}

function byteColumn(
  head: string,
  per: string,
  cells: readonly Cell[],
  bytesOf: (cell: Cell) => number | null,
): Column<Cell> {
  const unit = pickByteUnit(cells.flatMap((cell) => bytesOf(cell) ?? []));
  return numberColumn(`${head} (${unit.name}${per})`, bytesOf, (bytes) => formatTime(bytes / unit.bytes));
}

function transferRate(cell: Cell): number | null {
  return medianOf(cell, ({ bytes, elapsedMs }) => (elapsedMs > 0 ? (bytes.received / elapsedMs) * 1000 : undefined));
}
