import type { Level } from "../../model/level.js";
import { loadValue } from "../../stats/load.js";
import { describeAmount, distinctAmounts, loadWords } from "../describe-level.js";
import { formatCount } from "../format-number.js";
import { numberColumn } from "./table.js";
import type { Column } from "./table.js";

/** Returns the columns that name a level: its load, and how much it asks for where levels differ in that. */
export function levelColumns<Row extends { readonly level: Level }>(rows: readonly Row[]): readonly Column<Row>[] {
  const levels = rows.map(({ level }) => level);
  const load = numberColumn<Row>(loadWords(levels).column, ({ level }) => loadValue(level), formatCount);
  const amount: Column<Row> = { head: "Load", align: "right", cell: ({ level }) => describeAmount(level) };
  return distinctAmounts(levels).length > 1 ? [load, amount] : [load];
}
