import type { Result } from "../model/result.js";
import type { Verdict } from "../model/finding.js";
import { type Cell, countFailed, describeBottleneck, describeStatuses, medianLatency, medianOf } from "./cells.js";
import { describeBreaks } from "./describe-breaks.js";
import { describeAgreements } from "./compare-sentences.js";
import { describeLimits } from "./describe-limits.js";
import { describeAmount, distinctAmounts, loadWords } from "./describe-level.js";
import { loadValue } from "../stats/load.js";
import { describeSearches } from "./describe-search.js";
import { describeState } from "./describe-run.js";
import { describeFinding } from "./finding-text.js";
import { createReportModel } from "./report-model.js";
import { formatCount, formatRate, formatTime } from "./format-number.js";
import { describeComparisons, describeVerdict } from "./headline.js";
import { plainLine } from "./plain-line.js";
import { RAMP_FIGURES } from "./document/ramp-tables.js";
import {
  alignRows,
  characterWidths,
  cutToWidth,
  shortenToWidth,
  textWidth,
  widthOf,
  wrapWords,
} from "./text-layout.js";
import { renderTrends } from "./throughput-sentences.js";

const WIDEST = 99;
/** Of a name; more where the rest of the row leaves room. Where there is not even this, figures are left out. */
const SHORTEST_TARGET = 14;
/** In a terminal so narrow that nothing more can be left out. */
const LEAST_OF_TARGET = 4;
/** Columns of this weight stay as long as there is any room for them. */
const ESSENTIAL = 7;
/** Failures are the last that may be left out, where there are any. */
const FAILURES = 10;
const LONGEST_NOTE = 22;
/** Of the second line of a sentence and those that follow. */
const INDENT = "  ";

/** Turns the word for a verdict into what is printed of it, which may be coloured; the same number of columns wide. */
export type PaintVerdict = (text: string, status: Verdict["status"]) => string;

/**
 * Returns a result as plain text for a terminal, a row per target and level (of a ramp per target), how throughput goes, the comparison,
 * the verdict, and the findings. Where columns of the table have no room, a line names them. Names from outside cannot contain escape
 * sequences; ends with a line break.
 *
 * @param columns width of the terminal; all lines keep to it, from 20 on, and to at most 99 columns, the default.
 */
export function renderSummary(whole: Result, columns: number = WIDEST, paint: PaintVerdict = (text) => text): string {
  const model = createReportModel(whole);
  const { result, cells } = model;
  const width = Math.min(columns, WIDEST);
  const { status } = result.verdict;
  // The finding says from where on requests were refused.
  const shedding = result.verdict.findings.filter(({ code }) => code === "SHEDS").map(({ args }) => args["target"]);
  const sentences = [
    ...describeBreaks(model, new Set(shedding)).map((line) => `${line}.`),
    ...describeStatuses(cells),
    ...describeComparisons(model),
    ...describeAgreements(model),
    ...describeSearches(result),
    ...describeLimits(result),
  ];
  const [verdict = "", ...more] = wrapLine(plainLine(`Verdict: ${status}. ${describeVerdict(model)}`), width);
  const findings = result.verdict.findings.map((finding) => {
    const { text } = describeFinding(finding);
    return `${finding.severity} ${finding.code}: ${text}`;
  });
  const blocks = [
    cells.length === 0 ? ["No step was executed."] : renderRows(cells, width),
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

interface TextColumn {
  readonly head: string;
  readonly align: "left" | "right";
  readonly cell: (cell: Cell) => string;
  /** Where there is no room for all columns, those of the least weight are left out. */
  readonly weight: number;
}

function renderRows(cells: readonly Cell[], width: number): readonly string[] {
  const isRamp = cells.some(({ level }) => level.users !== undefined);
  const all = isRamp ? rampColumns(cells) : sweepColumns(cells);
  const columns = fitColumns(all, cells, width);
  const shown = new Set(columns.map(({ head }) => head));
  const leftOut = all.filter(({ head }) => !shown.has(head)).map(({ head }) => head);
  const longest = Math.max(LEAST_OF_TARGET, width - widthOf(columns.slice(1).map(({ columnWidth }) => columnWidth)));
  const rows = alignRows(
    columns.map(({ align }) => align),
    [columns.map(({ head }) => head), ...cells.map((cell) => columns.map((column) => column.cell(cell)))].map(
      ([target = "", ...figures]) => [shortenToWidth(target, longest), ...figures],
    ),
  ).map((row) => cutToWidth(row, width));
  return leftOut.length === 0 ? rows : [...rows, ...wrapLine(`No room for: ${leftOut.join(", ")}`, width)];
}

/** Leaves columns out, those that say least first, until the others and the beginning of a name have room. */
function fitColumns(
  columns: readonly TextColumn[],
  cells: readonly Cell[],
  width: number,
): readonly (TextColumn & { readonly columnWidth: number })[] {
  const measured = columns.map((column) => ({
    ...column,
    columnWidth: Math.max(...[column.head, ...cells.map(column.cell)].map(textWidth)),
  }));
  const [target, ...others] = measured;
  const least = Math.min(...others.map(({ weight }) => weight));
  const name = Math.min(least < ESSENTIAL ? SHORTEST_TARGET : LEAST_OF_TARGET, target?.columnWidth ?? 0);
  if (others.length <= 1 || name + widthOf(others.map(({ columnWidth }) => columnWidth)) <= width) return measured;
  return fitColumns(
    columns.filter(({ weight }) => weight !== least),
    cells,
    width,
  );
}

const TARGET: TextColumn = { head: "target", align: "left", weight: Infinity, cell: ({ target }) => plainLine(target) };

const RAMP_WEIGHTS: ReadonlyMap<string, number> = new Map([
  ["ok/s", 9],
  ["failed %", 7],
  ["p99 ms", 6],
  ["p50 ms", 5],
  ["samples", 4],
]);

function rampColumns(cells: readonly Cell[]): readonly TextColumn[] {
  return [
    TARGET,
    ...RAMP_FIGURES.map(({ short, value, format }): TextColumn => ({
      head: short,
      align: "right",
      weight: short === "failed %" && hasFailures(cells) ? FAILURES : (RAMP_WEIGHTS.get(short) ?? 0),
      cell: (cell) => figure(value(cell), format),
    })),
    ...(cells.some((cell) => describeState(cell) !== "")
      ? [{ head: "state", align: "left", weight: 8, cell: (cell: Cell) => describeState(cell) || "-" } as const]
      : []),
  ];
}

/** With the weight that each has beside the other columns. */
const LATENCIES = [
  ["p50", 5],
  ["p99", 6],
  ["max", 3],
] as const;

function sweepColumns(cells: readonly Cell[]): readonly TextColumn[] {
  const hasAmounts = distinctAmounts(cells.map(({ level }) => level)).length > 1;
  return [
    TARGET,
    {
      head: loadWords(cells.map(({ level }) => level)).short,
      align: "right",
      weight: 9,
      cell: ({ level }) => formatCount(loadValue(level)),
    },
    ...(hasAmounts
      ? [{ head: "load", align: "right", weight: 8, cell: ({ level }: Cell) => describeAmount(level) } as const]
      : []),
    {
      head: "ok/s",
      align: "right",
      weight: 7,
      cell: (cell) =>
        figure(
          medianOf(cell, ({ throughput }) => throughput),
          formatRate,
        ),
    },
    ...LATENCIES.map(([key, weight]): TextColumn => ({
      head: `${key} ms`,
      align: "right",
      weight,
      cell: (cell) => figure(medianLatency(cell, key), formatTime),
    })),
    {
      head: "failed",
      align: "right",
      weight: hasFailures(cells) ? FAILURES : 4,
      cell: (cell) => figure(failedOrNull(cell), formatCount),
    },
    { head: "bottleneck", align: "left", weight: 2, cell: (cell) => shortenToWidth(noteOf(cell), LONGEST_NOTE) },
  ];
}

/** The state stands where the bottleneck would: a step that was not finished has none to speak of. */
function noteOf(cell: Cell): string {
  return describeState(cell) || describeBottleneck(cell) || "-";
}

function hasFailures(cells: readonly Cell[]): boolean {
  return cells.some((cell) => countFailed(cell) > 0);
}

function failedOrNull(cell: Cell): number | null {
  return cell.measurements.length === 0 ? null : countFailed(cell);
}

function figure(value: number | null, format: (value: number) => string): string {
  return value === null ? "-" : format(value);
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
