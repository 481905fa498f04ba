import type { Inlines, Table, TableCell, TableColumn } from "./block.js";

/** A column of a table that is still to be made, and what stands in it. */
export interface Column<Row> extends TableColumn {
  readonly cell: (row: Row) => Inlines | TableCell;
}

/** What stands where there is no figure. */
export const NO_FIGURE = "–";

/** Makes a table. */
export function createTable<Row>(
  about: Pick<Table, "caption" | "lead" | "isGrouped">,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Table {
  return {
    kind: "table",
    ...about,
    columns: columns.map(({ head, align, title }) => ({ head, align, ...(title === undefined ? {} : { title }) })),
    rows: rows.map((row) => columns.map(({ cell }) => toCell(cell(row)))),
  };
}

/** Makes a column of numbers; what is `null` is shown as missing. */
export function numberColumn<Row>(
  head: string,
  value: (row: Row) => number | null,
  format: (value: number) => string,
  title?: string,
): Column<Row> {
  return {
    head,
    align: "right",
    ...(title === undefined ? {} : { title }),
    cell: (row) => {
      const number = value(row);
      return number === null ? NO_FIGURE : { text: format(number), value: number };
    },
  };
}

function toCell(content: Inlines | TableCell): TableCell {
  return typeof content === "object" && "text" in content ? content : { text: content };
}
