import type { Result } from "../model/result.js";
import type { Verdict } from "../model/finding.js";
import { type Cell, countFailed, describeBottleneck, describeStatuses } from "./cells.js";
import { describeAmount, distinctAmounts, formatLoad, loadWords } from "./describe-level.js";
import { describeLimits, describeSearches } from "./describe-search.js";
import { describeState } from "./describe-run.js";
import { describeFindings } from "./finding-text.js";
import { createReportModel } from "./report-model.js";
import { describeLosses, type FaultRow, knownFigures } from "./faults.js";
import { shownFigure } from "./figures.js";
import { describeBreaks, describeVerdict } from "./headline.js";
import { describeComparisons } from "./compare-sentences.js";
import { plainLine } from "./plain-line.js";
import {
  alignRows,
  characterWidths,
  cutToWidth,
  shortenToWidth,
  textWidth,
  widthOf,
  wrapWords,
} from "./text-layout.js";
import { renderTrends } from "./trends.js";

const WIDEST = 99;
/** Of a name; where there is not even this, figures are left out, and where nothing more can be, the name is cut further. */
const SHORTEST_TARGET = 14;
/** Of a fault: `errors backend-2 50% at 3s`. */
const SHORTEST_FAULT = 26;
const LEAST_OF_TARGET = 4;
const LONGEST_NOTE = 22;
const INDENT = "  ";

/** Turns the word for a verdict into what is printed of it, which may be coloured; the same number of columns wide. */
export type PaintVerdict = (text: string, status: Verdict["status"]) => string;

/**
 * Returns a result as plain text for a terminal; nothing from outside becomes an escape sequence. Ends with a line break.
 *
 * @param columns width of the terminal; all lines keep to it, from 20 on, and to at most 99 columns, the default.
 */
export function renderSummary(whole: Result, columns: number = WIDEST, paint: PaintVerdict = (text) => text): string {
  const model = createReportModel(whole);
  const { result, cells, faults } = model;
  const width = Math.min(columns, WIDEST);
  const { status } = result.verdict;
  const sentences = [
    ...describeLosses(model),
    ...describeComparisons(model),
    ...describeSearches(result),
    ...describeLimits(result),
    ...describeBreaks(model).map((line) => `${line}.`),
    ...describeStatuses(cells),
  ];
  const [verdict = "", ...more] = wrapLine(plainLine(`Verdict: ${status}. ${describeVerdict(model)}`), width);
  const findings = describeFindings(result.verdict.findings, result.scenario.targets.length).flatMap(
    ({ severity, code, texts }) => texts.map((text) => `${severity} ${code}: ${text}`),
  );
  const blocks = [
    cells.length === 0 ? ["No step was executed."] : renderRows(cells, columnsOf(cells), width, SHORTEST_TARGET),
    faults.length === 0 ? [] : renderRows(faults, faultColumns(faults), width, SHORTEST_FAULT),
    renderTrends(model, width).flatMap((line, at) => (at === 0 ? wrapLine(line, width) : cutToWidth(line, width))),
    [
      ...sentences.flatMap((line) => wrapLine(plainLine(line), width)),
      verdict.replace(status, (word) => paint(word, status)),
      ...more,
    ],
    findings.flatMap((line) => wrapLine(plainLine(line), width)),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

/** Where there is no room for all columns, those of the least weight are left out; those without any stay. */
type TextColumn<Row> = readonly [
  head: string,
  align: "left" | "right",
  cell: (row: Row) => string,
  weight?: number | undefined,
];

function renderRows<Row>(
  list: readonly Row[],
  all: readonly TextColumn<Row>[],
  width: number,
  shortestName: number,
): readonly string[] {
  const widths = new Map(all.map((one) => [one, Math.max(...[one[0], ...list.map(one[2])].map(textWidth))]));
  const columns = [...all];
  const room = (): number => width - widthOf(columns.slice(1).map((column) => widths.get(column) ?? 0));
  const shortest = Math.min(shortestName, widths.get(all[0] as TextColumn<Row>) ?? 0);
  for (const column of all.toSorted(([, , , a = Infinity], [, , , b = Infinity]) => a - b)) {
    if (column[3] !== undefined && room() < shortest) columns.splice(columns.indexOf(column), 1);
  }
  const leftOut = all.filter((column) => !columns.includes(column)).map(([head]) => head);
  const texts = [columns.map(([head]) => head), ...list.map((row) => columns.map(([, , cell]) => cell(row)))];
  const rows = alignRows(
    columns.map(([, align]) => align),
    texts.map(([name = "", ...figures]) => [shortenToWidth(name, Math.max(LEAST_OF_TARGET, room())), ...figures]),
  ).map((row) => cutToWidth(row, width));
  return leftOut.length === 0 ? rows : [...rows, ...wrapLine(`No room for: ${leftOut.join(", ")}`, width)];
}

/** Failures are the last that may be left out, where there are any. */
function columnsOf(cells: readonly Cell[]): readonly TextColumn<Cell>[] {
  const levels = cells.map(({ level }) => level);
  const hasFailures = cells.some((cell) => countFailed(cell) > 0);
  const figure = (key: string, weight?: number): TextColumn<Cell> => {
    const { short, of, format } = shownFigure(key);
    const write = (value: number | null): string => (value === null ? "-" : format(value));
    return [short, "right", (cell) => write(of(cell)), weight];
  };
  const amount: TextColumn<Cell> = ["load", "right", ({ level }) => describeAmount(level), 8];
  // A step that was not finished has no bottleneck to speak of.
  const note = (cell: Cell): string => describeState(cell) || describeBottleneck(cell) || "-";
  return [
    ["target", "left", ({ target }) => plainLine(target)],
    [loadWords(levels).short, "right", ({ level }) => formatLoad(level)],
    ...(distinctAmounts(levels).length > 1 ? [amount] : []),
    figure("throughput_per_s"),
    figure("latency_p50_ms", 5),
    figure("latency_p90_ms", 4.5),
    figure("latency_p99_ms", 6),
    figure("latency_max_ms", 3),
    figure("failed", hasFailures ? 9 : 4),
    ["bottleneck", "left", (cell) => shortenToWidth(note(cell), LONGEST_NOTE), 2],
  ];
}

/** Those that say less come later in the list of figures. */
function faultColumns(rows: readonly FaultRow[]): readonly TextColumn<FaultRow>[] {
  const levels = rows.map(({ level }) => level);
  const load: TextColumn<FaultRow> = [loadWords(levels).short, "right", ({ level }) => formatLoad(level)];
  return [
    ["fault", "left", ({ fault }) => plainLine(fault)],
    ["target", "left", ({ target }) => shortenToWidth(plainLine(target), LONGEST_NOTE)],
    ...(new Set(levels.map(formatLoad)).size > 1 ? [load] : []),
    ...knownFigures(rows).map(({ short, align, of }, at): TextColumn<FaultRow> => {
      return [short, align, (row) => of(row).text || "-", -at];
    }),
  ];
}

function wrapLine(line: string, width: number): readonly string[] {
  return wrapWords(line, width, INDENT).flatMap((wrapped, at) => breakWord(wrapped, width, at === 0 ? "" : INDENT));
}

/** A word that is longer than a line, an address say, goes on in the next one. */
function breakWord(line: string, width: number, indent: string): readonly string[] {
  if (textWidth(line) <= width) return [line];
  const lines = [indent];
  for (const [character, columns] of characterWidths(line.slice(indent.length))) {
    const last = lines.at(-1) ?? "";
    if (textWidth(last) + columns <= width) lines.splice(-1, 1, `${last}${character}`);
    else lines.push(`${INDENT}${character}`);
  }
  return lines;
}
