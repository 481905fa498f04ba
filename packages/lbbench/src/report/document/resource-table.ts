import type { Role } from "../../model/usage.js";
import { describeBottleneck, medianCpu, medianLoop, medianMemory, medianOf } from "../cell-figures.js";
import type { Cell } from "../cells.js";
import { formatPercent, formatTime, pickByteUnit } from "../format-number.js";
import { CPU_OF_SHORT_STEPS, isTooShort, processesOf, ROLES } from "../role-usage.js";
import type { Block } from "./block.js";
import { code, paragraph } from "./blocks.js";
import { levelColumns } from "./level-columns.js";
import { createTable, NO_FIGURE, numberColumn } from "./table.js";
import type { Column } from "./table.js";

/**
 * Returns, per level, bytes received, the bottleneck and processor time by role, and in a second table how busy event
 * loops were and memory by role; nothing without a measurement.
 */
export function resourceTable(cells: readonly Cell[]): readonly Block[] {
  if (cells.every(({ measurements }) => measurements.length === 0)) {
    return [];
  }
  const columns: readonly Column<Cell>[] = [
    ...levelColumns(cells),
    byteColumn("Received", "", cells, (cell) => medianOf(cell, ({ bytes }) => bytes.received)),
    byteColumn("Transfer rate", "/s", cells, transferRate),
    {
      head: "Bottleneck",
      align: "left",
      title:
        "the part that was busy to its limit, in most of the trials; none: every process was seen, and none was at its limit; where it is the generator, the target may carry more than the throughput shows",
      cell: (cell) => describeBottleneck(cell) || NO_FIGURE,
    },
    ...roleColumns(cells, medianCpu, (label, figure) => numberColumn(`CPU ${label} (%)`, figure, formatPercent)),
  ];
  const short = cells.some(({ usages }) => usages.some(isTooShort));
  const lead = `Transfer and processes (CPU: 100 % is one core kept busy${short ? `; ${CPU_OF_SHORT_STEPS}` : ""}):`;
  return [
    createTable({ caption: "Transfer and processes", lead }, columns, cells),
    ...describeSight(cells),
    ...loopAndMemoryTable(cells),
  ];
}

/** Says which processes were found and not started, or that none of the server was seen. */
function describeSight(cells: readonly Cell[]): readonly Block[] {
  const usages = cells.flatMap((cell) => cell.usages);
  const servers = usages.flatMap((usage) => [...processesOf(usage, "balancer"), ...processesOf(usage, "backend")]);
  const found = [...new Set(servers.flatMap(({ name, found: isFound }) => (isFound ? [name] : [])))];
  if (found.length > 0) {
    const [process, it] = found.length === 1 ? ["process", "it"] : ["processes", "them"];
    return [
      paragraph([
        `lbbench found the ${process} `,
        ...found.flatMap((name, at) => [...(at === 0 ? [] : [", "]), code(name)]),
        ` at the port of the target and watched ${it}. lbbench did not start ${it}.`,
      ]),
    ];
  }
  return usages.length > 0 && servers.length === 0
    ? [paragraph("No process of this server was seen, so the bottleneck may be there.")]
    : [];
}

function loopAndMemoryTable(cells: readonly Cell[]): readonly Block[] {
  const loops = roleColumns(cells, medianLoop, (label, figure) =>
    numberColumn(`Loop ${label} (%)`, figure, formatPercent),
  );
  const memory = roleColumns(cells, medianMemory, (label, figure) => byteColumn(`Memory ${label}`, "", cells, figure));
  if (memory.length === 0) {
    return [];
  }
  const about =
    loops.length === 0
      ? { caption: "Memory", lead: "Largest memory:" }
      : {
          caption: "Event loops and memory",
          lead: "Event loops (share of the time in which the busiest of them did not wait) and largest memory:",
        };
  return [createTable(about, [...levelColumns(cells), ...loops, ...memory], cells)];
}

/** A column for each role of which a figure is known at some level. */
function roleColumns(
  cells: readonly Cell[],
  figure: (cell: Cell, role: Role) => number | null,
  column: (label: string, figure: (cell: Cell) => number | null) => Column<Cell>,
): readonly Column<Cell>[] {
  return ROLES.filter(({ role }) => cells.some((cell) => figure(cell, role) !== null)).map(({ role, label }) =>
    column(label, (cell) => figure(cell, role)),
  );
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
  return medianOf(cell, ({ bytes: { received }, elapsedMs }) =>
    received !== undefined && elapsedMs > 0 ? (received / elapsedMs) * 1000 : undefined,
  );
}
