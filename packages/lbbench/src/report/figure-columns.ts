/**
 * Columns of figures: those of cells, by their keys in FIGURES, and those of what a table has side by side, faults or balancers, each of which
 * is a column of a report and a shorter one of the terminal.
 */
import { defined } from "../stats/defined.js";
import { pickByteUnit } from "../stats/format-number.js";
import { findOutliers } from "../stats/spread.js";
import { summarizeTrials } from "../stats/trials.js";
import type { Cell } from "./cells.js";
import { type Column, NO_FIGURE, rightColumn, type TableCell, type TableColumn } from "./document/block.js";
import { isDoubtful, markDoubtful } from "./doubtful-figures.js";
import { type ShownFigure, shownFigure } from "./figures.js";

/** Returns the column of a figure of the cells that rows are about, with its mark where a finding bounds it. */
export function figureColumn<Row>(
  key: string,
  cellOf: (row: Row) => Cell | undefined,
  other: Partial<Pick<ShownFigure, "head" | "format">> = {},
): Column<Row> {
  const { head, of, format, title } = { ...shownFigure(key), ...other };
  const cell = (row: Row): string | TableCell => {
    const own = cellOf(row);
    const value = own === undefined ? null : of(own);
    return own === undefined || value === null ? NO_FIGURE : { text: markDoubtful(format(value), own, key), value };
  };
  return rightColumn(head, cell, title);
}

/**
 * Returns the columns of some figures of cells; those are left out of which no cell tells anything.
 *
 * @param spread those whose columns say how far several trials spread, in brackets.
 */
export function knownColumns(
  cells: readonly Cell[],
  keys: readonly string[],
  spread: readonly string[] = [],
): readonly Column<Cell>[] {
  return keys.flatMap((key) => {
    const { label, unit = "", format, of } = shownFigure(key);
    const known = cells.flatMap((cell) => of(cell) ?? []);
    if (known.length === 0) return [];
    const column = figureColumn(key, (cell: Cell) => cell);
    if (spread.includes(key)) return [{ ...column, cell: (one: Cell) => spreadCell(one, key) ?? column.cell(one) }];
    if (!unit.startsWith("bytes")) return [column];
    const { name, bytes } = pickByteUnit(known);
    const head = `${label} (${unit.replace("bytes", name)})`;
    return [figureColumn(key, (cell: Cell) => cell, { head, format: (value) => format(value / bytes) })];
  });
}

function spreadCell(cell: Cell, key: string): TableCell | undefined {
  const { values, format } = shownFigure(key);
  const all = values(cell);
  if (all.length < 2) return undefined;
  const { median: value, low, high } = summarizeTrials(all);
  const outlier = findOutliers(all).length > 0 ? " †" : "";
  return { text: `${markDoubtful(format(value), cell, key)} (${format(low)} to ${format(high)})${outlier}`, value };
}

/** Returns the column of a figure of cells in the terminal; one with a weight may be left out, the least first. */
export function terminalColumn(cells: readonly Cell[], key: string, weight?: number): Column<Cell> {
  const { short: head, of, format } = shownFigure(key);
  // Where some figures have a mark, those without leave its place free.
  const room = cells.some((cell) => isDoubtful(cell, key)) ? " " : "";
  const cell = (one: Cell): string => {
    const value = of(one);
    return value === null ? "-" : markDoubtful(format(value), one, key, room);
  };
  return { head, align: "right", cell, weight };
}

/** A figure as it is written. */
export interface SpreadFigure extends TableCell {
  /** Empty where nothing is known. */
  readonly text: string;
  /** How far several trials spread: `(38 to 44)`. */
  readonly spread?: string;
}

/** A figure of each row. */
export interface RowFigure<Row> {
  readonly head: string;
  /** Over a column of the terminal's table. */
  readonly short: string;
  readonly align?: TableColumn["align"];
  /** What it means, as a sentence without its full stop. */
  readonly title: string;
  readonly of: (row: Row) => SpreadFigure;
}

/** Writes a figure, or of several trials their median with its interval. */
export function writeSpread(values: readonly number[], format: (value: number) => string): SpreadFigure {
  if (values.length === 0) return { text: "" };
  const { median: value, low, high } = summarizeTrials(values);
  const [from, to] = [format(low), format(high)];
  return { text: format(value), value, ...defined({ spread: from === to ? undefined : `(${from} to ${to})` }) };
}

/** What stands in brackets behind figures of several trials. */
export const BRACKETS =
  "Medians of the trials. In brackets: the 95 % interval of the median, of fewer than 6 trials the lowest and the highest.";

/** Returns the figures of which some row tells anything. */
export function knownFigures<Row>(figures: readonly RowFigure<Row>[], rows: readonly Row[]): readonly RowFigure<Row>[] {
  return figures.filter(({ of }) => rows.some((row) => of(row).text !== ""));
}

/** Returns a figure as a report has it in a cell, spread and all. */
export function reportCell({ text, spread = "", ...cell }: SpreadFigure): TableCell {
  return { ...cell, text: text === "" ? NO_FIGURE : `${text} ${spread}`.trim() };
}

/** Returns the columns of figures in a report. */
export function reportColumns<Row>(figures: readonly RowFigure<Row>[]): readonly Column<Row>[] {
  return figures.map(({ head, align = "right", title, of }): Column<Row> => {
    return { head, align, title, cell: (row) => reportCell(of(row)) };
  });
}

/** Returns their columns in the terminal: without the spread, and where there is no room the last are left out first. */
export function terminalColumns<Row>(figures: readonly RowFigure<Row>[]): readonly Column<Row>[] {
  return figures.map(({ short: head, align = "right", of }, at): Column<Row> => {
    return { head, align, weight: -at, cell: (row) => of(row).text || "-" };
  });
}
