import type { Severity, Verdict } from "../../model/finding.js";
import type { Level } from "../../model/level.js";
import { loadValue } from "../../stats/load.js";
import { formatLoad } from "../describe-level.js";
import type { ChartDefinition } from "../charts/chart-definition.js";
import { shortenName } from "../plain-line.js";

/** A piece of a line. Every text is plain, as it came: a renderer escapes it. */
export type Inline = string | { readonly kind: "strong" | "code"; readonly text: string };

/** What stands in a line; a single text alone is plain. */
export type Inlines = string | readonly Inline[];

/** A column of a table. */
export interface TableColumn {
  readonly head: string;
  /** Numbers and what is compared with them go to the right. */
  readonly align: "left" | "right";
  /** What the head means, where that takes more than its words. */
  readonly title?: string | undefined;
  /** Where there is no room for all columns, those of the least weight are left out; those without any stay. */
  readonly weight?: number | undefined;
  /** Of the first column: to how many characters its words may be shortened before other columns are left out. */
  readonly shortest?: number | undefined;
}

/** A cell of a table. */
export interface TableCell {
  readonly text: Inlines;
  /** The figure behind the text, to sort by. */
  readonly value?: number | undefined;
  /** Whether what it says is for the better or for the worse; the text says so too. */
  readonly tone?: "good" | "bad" | undefined;
}

/** A table; its first column says what a row is about. */
export interface Table {
  readonly kind: "table";
  readonly caption: string;
  /** A sentence that introduces it. */
  readonly lead?: string | undefined;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly TableCell[])[];
}

/** Findings of the same code: what was seen of each, and once for all what is behind it and what to do. */
export interface FindingKind {
  readonly code: string;
  readonly title: string;
  readonly texts: readonly Inlines[];
  readonly cause: string;
  /** Absent where nothing is to be done. */
  readonly remedy?: string | undefined;
}

/** Findings that mean alike for the numbers. */
export interface FindingGroup {
  readonly head: string;
  /** `failure`: errors that say nothing against the numbers, but that what was asked for does not hold. */
  readonly look: Severity | "failure";
  readonly kinds: readonly FindingKind[];
}

/** A part of a report as data, which every format renders in its own way. What is `folded` are details, which may be shown on demand. */
export type Block =
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: Inlines }
  | { readonly kind: "list"; readonly items: readonly Inlines[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "verdict"; readonly status: Verdict["status"]; readonly text: string }
  | { readonly kind: "findings"; readonly groups: readonly FindingGroup[] }
  | { readonly kind: "charts"; readonly charts: readonly ChartDefinition[] }
  | { readonly kind: "folded"; readonly summary: string; readonly blocks: readonly Block[] }
  | { readonly kind: "facts"; readonly facts: readonly (readonly [name: string, value: Inlines])[] }
  | Table;

/** The blocks of some kinds. */
export type Kind<Name extends Block["kind"]> = Extract<Block, { readonly kind: Name }>;

/** What a section is about; a format may give some of them a place or a look of their own. */
export type SectionId =
  | "verdict"
  | "findings"
  | "policies"
  | "faults"
  | "comparison"
  | "charts"
  | "results"
  | "backends"
  | "settings"
  | "glossary";

/** A part of a report with a heading of the second level. */
export interface ReportSection {
  readonly id: SectionId;
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** A whole report, for every format. */
export interface ReportDocument {
  readonly title: string;
  readonly introduction: Inlines;
  readonly sections: readonly ReportSection[];
}

/** Makes a heading inside a section. */
export function heading(text: string): Block {
  return { kind: "heading", text };
}

/** Makes a paragraph. */
export function paragraph(text: Inlines): Kind<"paragraph"> {
  return { kind: "paragraph", text };
}

/** Makes a list, or nothing of no lines. */
export function list(lines: readonly Inlines[]): readonly Kind<"list">[] {
  return lines.length === 0 ? [] : [{ kind: "list", items: lines }];
}

/** Makes words that stand out. */
export function strong(text: string): Inline {
  return { kind: "strong", text };
}

/** Makes words that are to be read letter by letter. */
export function code(text: string): Inline {
  return { kind: "code", text };
}

/** Makes a list of words that are to be read letter by letter. */
export function codes(texts: readonly string[]): readonly Inline[] {
  return texts.flatMap((text, at) => (at === 0 ? [code(text)] : [", ", code(text)]));
}

/** The words of a line, without what makes some of them stand out. */
export function plainText(text: Inlines): string {
  return [text]
    .flat()
    .map((run) => (typeof run === "string" ? run : run.text))
    .join("");
}

/** A column of a table that is still to be made, and what stands in it. */
export interface Column<Row> extends TableColumn {
  readonly cell: (row: Row) => Inlines | TableCell;
}

/** What stands where there is no figure. */
export const NO_FIGURE = "–";

/** Makes a table. */
export function createTable<Row>(
  about: Pick<Table, "caption" | "lead">,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Table {
  return {
    kind: "table",
    ...about,
    columns: columns.map(({ head, align, title, weight, shortest }) => ({ head, align, title, weight, shortest })),
    rows: rows.map((row) => columns.map(({ cell }) => toCell(cell(row)))),
  };
}

/** Makes a column of words. */
export function wordColumn<Row>(head: string, cell: Column<Row>["cell"], title?: string): Column<Row> {
  return { head, align: "left", title, cell };
}

/** Longer names would make the table wider than a page. */
const LONGEST_NAME = 40;

/** Makes a column of names, shortened where they are too long. */
export function nameColumn<Row>(head: string, nameOf: (row: Row) => string): Column<Row> {
  return wordColumn(head, (row) => shortenName(nameOf(row), LONGEST_NAME));
}

/** Makes a column of figures that are written already, and of what is compared with them. */
export function rightColumn<Row>(head: string, cell: Column<Row>["cell"], title?: string): Column<Row> {
  return { head, align: "right", title, cell };
}

/** Makes a column of the loads of levels. */
export function loadColumn(head: string): Column<{ readonly level: Level }> {
  return rightColumn(head, ({ level }) => ({ text: formatLoad(level), value: loadValue(level) }));
}

/** Makes a column of numbers; what is `null` is shown as missing. */
export function numberColumn<Row>(
  head: string,
  value: (row: Row) => number | null,
  format: (value: number) => string,
  title?: string,
): Column<Row> {
  const cell = (row: Row): Inlines | TableCell => {
    const number = value(row);
    return number === null ? NO_FIGURE : { text: format(number), value: number };
  };
  return rightColumn(head, cell, title);
}

function toCell(content: Inlines | TableCell): TableCell {
  return typeof content === "object" && "text" in content ? content : { text: content };
}

/** Reads words of ours, never from outside: what stands in `**` stands out, and what stands in backticks is code. */
export function marked(words: string): Inlines {
  return words.split(/(\*\*.+?\*\*|`.+?`)/).map((run) => {
    if (run.startsWith("**")) return strong(run.slice(2, -2));
    return run.startsWith("`") ? code(run.slice(1, -1)) : run;
  });
}
