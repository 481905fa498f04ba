import type { Level } from "../../model/level.js";
import { describeAmount, distinctAmounts } from "../describe-level.js";
import { formatCount } from "../format-number.js";
import { numberColumn } from "./table.js";
import type { Column } from "./table.js";

/** Returns the columns that name a level: its connections, and how much it asks for where levels differ in that. */
export function levelColumns<Row extends { readonly level: Level }>(rows: readonly Row[]): readonly Column<Row>[] {
  const connections = numberColumn<Row>("Connections", ({ level }) => level.connections, formatCount);
  const amount: Column<Row> = { head: "Load", align: "right", cell: ({ level }) => describeAmount(level) };
  return distinctAmounts(rows.map(({ level }) => level)).length > 1 ? [connections, amount] : [connections];
}
