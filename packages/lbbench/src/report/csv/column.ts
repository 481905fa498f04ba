/** What a cell may hold; empty where nothing is told. */
export type CellValue = string | number | null | undefined;

/** A column of a table for machines: its name, which tells the unit, and what stands in it for one row. */
export interface Column<Row> {
  readonly name: string;
  /** A figure has the digits that are known of it. */
  readonly of: (row: Row) => CellValue;
}
