import { markdownTable } from "markdown-table";

/** A column of a table: its head and what stands in it. Cells are Markdown: whoever makes them escapes. */
export interface Column<Row> {
  readonly head: string;
  /** Numbers and what is compared with them go to the right. */
  readonly align: "left" | "right";
  readonly cell: (row: Row) => string;
}

/** What stands where there is no figure. */
export const NO_FIGURE = "–";

/** Renders a table, columns padded so that it reads well as plain text too. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return markdownTable([columns.map(({ head }) => head), ...rows.map((row) => columns.map(({ cell }) => cell(row)))], {
    align: columns.map(({ align }) => align),
  });
}

/** Makes a column of numbers; what is `null` is shown as missing. */
export function numberColumn<Row>(
  head: string,
  value: (row: Row) => number | null,
  format: (value: number) => string,
): Column<Row> {
  return {
    head,
    align: "right",
    cell: (row) => {
      const number = value(row);
      return number === null ? NO_FIGURE : format(number);
    },
  };
}
