import { cleanText } from "../clean-text.js";
import type { CellValue, Column } from "./column.js";
import { neutralizeFormula } from "./neutralize-formula.js";

/**
 * Returns rows as CSV by RFC 4180: a line of names, then one for each row, with CRLF at their ends; quotation marks where they
 * are needed. Numbers have a point, and negative ones stay numbers; texts are single lines and no formulas.
 */
export async function writeCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Promise<string> {
  const { stringify } = await import("csv-stringify/sync");
  const names = columns.map(({ name }) => name);
  const cells = rows.map((row) => columns.map(({ of }) => cellOf(of(row))));
  return stringify([names, ...cells], { record_delimiter: "\r\n" });
}

function cellOf(value: CellValue): string | number | null {
  return typeof value === "string" ? neutralizeFormula(cleanText(value)) : (value ?? null);
}
