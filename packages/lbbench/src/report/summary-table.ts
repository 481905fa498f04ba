import { CONCLUSIONS } from "../judge/conclusions.js";
import type { Finding, Verdict } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { countOf } from "../stats/count-of.js";
import { groupBy } from "../stats/group-by.js";
import { type Cell, countFailed, describeBottleneck, describeStatuses } from "./cells.js";
import { describeAmount, distinctAmounts, formatLoad, loadWords } from "./describe-level.js";
import { DECISION_WORDS, decisionOf } from "./describe-search.js";
import { describeState } from "./describe-run.js";
import { describeDoubts, isDoubtful, markDoubtful } from "./doubtful-figures.js";
import { describeFinding, describeFindings } from "./finding-text.js";
import { createReportModel } from "./report-model.js";
import { type FaultRow, knownFigures } from "./faults.js";
import { shownFigure } from "./figures.js";
import { describeHeadline } from "./headline.js";
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

/** How a summary is printed. */
interface SummaryOptions {
  /** Whether all that was noticed is told in full, and not in a line each. */
  readonly verbose?: boolean;
  readonly paint?: PaintVerdict;
}

/**
 * Returns a result as plain text for a terminal; nothing from outside becomes an escape sequence. What the run shows comes first, then the
 * tables, then what was noticed beside. Ends with a line break.
 *
 * @param columns width of the terminal; all lines keep to it, from 20 on, and to at most 99 columns, the default.
 */
export function renderSummary(
  whole: Result,
  columns: number = WIDEST,
  { verbose = false, paint = (text) => text }: SummaryOptions = {},
): string {
  const model = createReportModel(whole);
  const { result, cells, faults } = model;
  const width = Math.min(columns, WIDEST);
  const wrap = (line: string): readonly string[] => wrapLine(plainLine(line), width);
  const { status } = result.verdict;
  const { verdict, lines, next, more } = describeHeadline(model);
  const noticed = noticedIn(result);
  const hint = verbose || noticed.length === 0 ? "" : "--verbose tells all.";
  const [first = "", ...others] = wrap([`Verdict: ${status}.`, verdict, hint].filter((text) => text !== "").join(" "));
  const blocks = [
    [
      first.replace(status, (word) => paint(word, status)),
      ...others,
      ...[...lines, ...(next === "" ? [] : [`Next: ${next}`])].flatMap(wrap),
    ],
    cells.length === 0
      ? ["No step was executed."]
      : [
          ...renderRows(cells, columnsOf(cells, result), width, SHORTEST_TARGET),
          ...describeDoubts(cells).flatMap(wrap),
        ],
    faults.length === 0 ? [] : renderRows(faults, faultColumns(faults), width, SHORTEST_FAULT),
    // Of levels the table shows the course.
    verbose || result.scenario.ramp !== null
      ? renderTrends(model, width).flatMap((line, at) => (at === 0 ? wrapLine(line, width) : cutToWidth(line, width)))
      : [],
    verbose ? [...more, ...describeStatuses(cells)].flatMap(wrap) : [],
    verbose ? describeAll(noticed, result).flatMap(wrap) : describeNoticed(noticed, width),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`;
}

const noticedIn = ({ verdict }: Result): readonly Finding[] =>
  verdict.findings.filter(({ code }) => !CONCLUSIONS.has(code));

/** All that was noticed, in full. */
function describeAll(noticed: readonly Finding[], result: Result): readonly string[] {
  return describeFindings(noticed, result.scenario.targets.length).flatMap(({ severity, code, texts }) =>
    texts.map((text) => `${severity} ${code}: ${text}`),
  );
}

/** What was noticed, a line for each code: what it means, and of which targets. */
function describeNoticed(noticed: readonly Finding[], width: number): readonly string[] {
  const kinds = [...groupBy(noticed, ({ severity, code }) => `${severity} ${code}`)];
  return kinds.map(([name, those]) => {
    const [first] = those;
    const targets = [...new Set(those.flatMap(({ args }) => args["target"] ?? []))].map(String);
    const said = `${name}: ${first === undefined ? "" : describeFinding(first).title}`;
    const named = targets.length === 0 ? said : `${said} (${targets.join(", ")})`;
    const counted = targets.length < 2 ? said : `${said} (${countOf(targets.length, "target")})`;
    return cutToWidth(plainLine(textWidth(named) <= width ? named : counted), width);
  });
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
function columnsOf(cells: readonly Cell[], result: Result): readonly TextColumn<Cell>[] {
  const levels = cells.map(({ level }) => level);
  const held: TextColumn<Cell> = [
    "held?",
    "left",
    (cell) => DECISION_WORDS[decisionOf(result, cell) ?? "undecided"],
    8,
  ];
  const hasFailures = cells.some((cell) => countFailed(cell) > 0);
  const figure = (key: string, weight?: number): TextColumn<Cell> => {
    const { short, of, format } = shownFigure(key);
    const hasMarks = cells.some((cell) => isDoubtful(cell, key));
    // Where some figures have a mark, those without leave its place free.
    const write = (value: number | null, cell: Cell): string =>
      value === null ? "-" : markDoubtful(format(value), cell, key, hasMarks ? " " : "");
    return [short, "right", (cell) => write(of(cell), cell), weight];
  };
  const amount: TextColumn<Cell> = ["load", "right", ({ level }) => describeAmount(level), 8];
  // A step that was not finished has no bottleneck to speak of.
  const note = (cell: Cell): string => describeState(cell) || describeBottleneck(cell) || "-";
  return [
    ["target", "left", ({ target }) => plainLine(target)],
    [loadWords(levels).short, "right", ({ level }) => formatLoad(level)],
    ...(distinctAmounts(levels).length > 1 ? [amount] : []),
    ...(result.search === undefined ? [] : [held]),
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
