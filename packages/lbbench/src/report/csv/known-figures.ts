import { knownDigits, knownMs } from "../known-digits.js";
import type { Column } from "./column.js";

/** Returns columns whose figures have the digits that are known: of times to the microsecond, of others six significant ones. */
export function known<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  return columns.map(({ name, of }) => {
    const round = name.endsWith("_ms") ? knownMs : knownDigits;
    const rounded: Column<Row>["of"] = (row) => {
      const value = of(row);
      return typeof value === "number" ? round(value) : value;
    };
    return { name, of: rounded };
  });
}
