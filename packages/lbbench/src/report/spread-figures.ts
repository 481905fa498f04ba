/** Figures of what a table has side by side, faults or balancers: each is a column of a report and a shorter one of the terminal. */
import { defined } from "../stats/defined.js";
import { summarizeTrials } from "../stats/trials.js";
import { type Column, NO_FIGURE, type TableCell, type TableColumn } from "./document/block.js";

/** A figure as it is written. */
export interface SpreadFigure {
  /** Empty where nothing is known. */
  readonly text: string;
  /** How far several trials spread: `(38 to 44)`. */
  readonly spread?: string;
  /** To sort by; absent where there is none. */
  readonly value?: number;
  readonly isBad?: true;
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
export function reportCell({ text, spread = "", value, isBad }: SpreadFigure): TableCell {
  const tone = isBad === true ? ("bad" as const) : undefined;
  return { text: text === "" ? NO_FIGURE : `${text} ${spread}`.trim(), value, ...defined({ tone }) };
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
