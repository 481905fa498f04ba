import type { Result } from "../model/result.js";
import { bottlenecksOf, medianLatency, medianOf } from "./cell-figures.js";
import { collectCells, countFailed } from "./cells.js";
import type { Cell } from "./cells.js";
import { describeAmount, distinctAmounts, loadWords } from "./describe-level.js";
import { loadValue } from "../stats/load.js";
import { describeSearches } from "./describe-search.js";
import { describeState } from "./describe-state.js";
import { describeFinding } from "./finding-text.js";
import { formatCount, formatRate, formatTime } from "./format-number.js";
import { describeComparisons, describeVerdict } from "./headline.js";
import { plainLine } from "./plain-line.js";
import { RAMP_FIGURES } from "./ramp-figures.js";
import { alignRows, widthOf } from "./align-rows.js";
import { shortenName } from "./shorten-name.js";
import { wrapWords } from "./wrap-words.js";

const WIDEST = 99;
/** Of a name; more where the rest of the row leaves room. */
const SHORTEST_TARGET = 24;
/** Less beside the many columns of a ramp. */
const SHORTEST_BESIDE_RAMP = 14;
const LONGEST_NOTE = 22;

/**
 * Returns a result as plain text for a terminal, a row per target and level (of a ramp per target), the comparison, the verdict, and a line
 * for each finding. Names from outside cannot contain escape sequences; ends with a line break.
 *
 * @param columns width of the terminal; sentences and findings keep to it, and to at most 99 columns, the default.
 */
export function renderSummary(result: Result, columns: number = WIDEST): string {
  const width = Math.min(columns, WIDEST);
  const cells = collectCells(result);
  const sentences = [
    ...describeComparisons(result),
    ...describeSearches(result),
    `Verdict: ${result.verdict.status}. ${describeVerdict(result)}`,
  ];
  const findings = result.verdict.findings.map((finding) => {
    const { text } = describeFinding(finding);
    return `${finding.severity} ${finding.code}: ${text}`;
  });
  const blocks = [
    cells.length === 0 ? ["No step was executed."] : renderRows(cells, width),
    sentences.flatMap((line) => wrapLine(plainLine(line), width)),
    findings.map((line) => truncate(plainLine(line), width)),
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
}

function renderRows(cells: readonly Cell[], width: number): readonly string[] {
  const isRamp = cells.some(({ level }) => level.users !== undefined);
  const columns = isRamp ? rampColumns(cells) : sweepColumns(cells);
  const rows = [columns.map(({ head }) => head), ...cells.map((cell) => columns.map((column) => column.cell(cell)))];
  const others = columns.slice(1).map((_, at) => Math.max(...rows.map((row) => row[at + 1]?.length ?? 0)));
  const longest = Math.max(isRamp ? SHORTEST_BESIDE_RAMP : SHORTEST_TARGET, width - widthOf(others));
  return alignRows(
    columns.map(({ align }) => align),
    rows.map(([target = "", ...figures]) => [shortenName(target, longest), ...figures]),
  );
}

const TARGET: TextColumn = { head: "target", align: "left", cell: ({ target }) => plainLine(target) };

function rampColumns(cells: readonly Cell[]): readonly TextColumn[] {
  return [
    TARGET,
    ...RAMP_FIGURES.map(({ short, value, format }): TextColumn => ({
      head: short,
      align: "right",
      cell: (cell) => figure(value(cell), format),
    })),
    ...(cells.some((cell) => describeState(cell) !== "")
      ? [{ head: "state", align: "left", cell: (cell: Cell) => describeState(cell) || "-" } as const]
      : []),
  ];
}

function sweepColumns(cells: readonly Cell[]): readonly TextColumn[] {
  const hasAmounts = distinctAmounts(cells.map(({ level }) => level)).length > 1;
  return [
    TARGET,
    {
      head: loadWords(cells.map(({ level }) => level)).short,
      align: "right",
      cell: ({ level }) => formatCount(loadValue(level)),
    },
    ...(hasAmounts
      ? [{ head: "load", align: "right", cell: ({ level }: Cell) => describeAmount(level) } as const]
      : []),
    {
      head: "ok/s",
      align: "right",
      cell: (cell) =>
        figure(
          medianOf(cell, ({ throughput }) => throughput),
          formatRate,
        ),
    },
    { head: "p50 ms", align: "right", cell: (cell) => figure(medianLatency(cell, "p50"), formatTime) },
    { head: "p99 ms", align: "right", cell: (cell) => figure(medianLatency(cell, "p99"), formatTime) },
    { head: "failed", align: "right", cell: (cell) => figure(failedOrNull(cell), formatCount) },
    { head: "bottleneck", align: "left", cell: (cell) => shortenName(noteOf(cell), LONGEST_NOTE) },
  ];
}

/** The state stands where the bottleneck would: a step that was not finished has none to speak of. */
function noteOf(cell: Cell): string {
  return describeState(cell) || bottlenecksOf(cell).join(", ") || "-";
}

function failedOrNull(cell: Cell): number | null {
  return cell.measurements.length === 0 ? null : countFailed(cell);
}

function figure(value: number | null, format: (value: number) => string): string {
  return value === null ? "-" : format(value);
}

function wrapLine(line: string, width: number): readonly string[] {
  return wrapWords(line, width, "  ").map((wrapped) => truncate(wrapped, width));
}

function truncate(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}
