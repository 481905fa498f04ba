import type { Phases } from "../../model/measurement.js";
import { medianOf } from "../cell-figures.js";
import type { Cell } from "../cells.js";
import { formatTime } from "../format-number.js";
import type { Block } from "./block.js";
import { levelColumns } from "./level-columns.js";
import { createTable, numberColumn } from "./table.js";
import type { Column } from "./table.js";

const PHASES: readonly (readonly [keyof Phases, string])[] = [
  ["connect", "Connect"],
  ["waiting", "Waiting"],
  ["processing", "Processing"],
  ["total", "Total"],
];

/** Returns where the time of ok requests went, per level; nothing where the engine does not tell it. */
export function phaseTable(cells: readonly Cell[]): readonly Block[] {
  const telling = cells.filter(({ measurements }) => measurements.some(({ phases }) => phases !== undefined));
  if (telling.length === 0) return [];
  const columns: readonly Column<Cell>[] = [
    ...levelColumns(telling),
    ...PHASES.flatMap(([phase, name]) => [
      numberColumn<Cell>(
        `${name}: mean (ms)`,
        (cell) => medianOf(cell, ({ phases }) => phases?.[phase].mean),
        formatTime,
      ),
      numberColumn<Cell>("max", (cell) => medianOf(cell, ({ phases }) => phases?.[phase].max), formatTime),
    ]),
  ];
  const lead =
    "Where the time goes: connecting; waiting for the first byte, a part of processing; processing to the last byte.";
  return [createTable({ caption: "Where the time goes", lead }, columns, telling)];
}
