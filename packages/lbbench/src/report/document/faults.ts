import { shortenName } from "../plain-line.js";
import { formatLoad, loadWords } from "../describe-level.js";
import { type FaultRow, knownFigures } from "../faults.js";
import type { Section } from "../report-model.js";
import { type Column, createTable, loadColumn, NO_FIGURE, paragraph, wordColumn } from "./block.js";
import { BRACKETS } from "./results.js";
import { defined } from "../../stats/defined.js";

/** Longer names would make the table wider than a page. */
const LONGEST_NAME = 40;

/** What each fault did to each target, a row for both; nothing without faults. */
export const faults: Section = ({ faults: rows, result: { scenario } }) => {
  if (rows.length === 0) return null;
  const levels = rows.map(({ level }) => level);
  const target = wordColumn<FaultRow>("Target", ({ target: name }) => shortenName(name, LONGEST_NAME));
  const load = loadColumn<FaultRow>(loadWords(levels).column, ({ level }) => level);
  const figures = knownFigures(rows).map(({ head, align, title, of }): Column<FaultRow> => {
    const cell = (row: FaultRow) => {
      const { text, spread, value, isBad } = of(row);
      return {
        text: text === "" ? NO_FIGURE : [text, spread ?? ""].join(" ").trim(),
        value,
        ...defined({ tone: isBad === true ? ("bad" as const) : undefined }),
      };
    };
    return { head, align, cell, title };
  });
  const lead = "What each fault did, counted until the next fault of this table, or the end:";
  const columns = [
    wordColumn<FaultRow>("Fault", ({ fault }) => fault),
    ...(scenario.targets.length > 1 ? [target] : []),
    ...(new Set(levels.map(formatLoad)).size > 1 ? [load] : []),
    ...figures,
  ];
  return {
    id: "faults",
    title: "Faults",
    blocks: [
      createTable({ caption: "Faults", lead }, columns, rows),
      ...(rows.some(({ responses }) => responses.length > 1) ? [paragraph(BRACKETS)] : []),
    ],
  };
};
