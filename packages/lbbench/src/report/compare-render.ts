import type { ResultComparison } from "../judge/compare-results.js";
import type { LevelJudgement, TargetJudgement } from "../judge/compare-targets.js";
import { formatCount } from "../stats/format-number.js";
import { loadValue } from "../stats/load.js";
import {
  describeChanges,
  describeOutcome,
  describeUnknowns,
  hasIntervals,
  nameTarget,
  needsNames,
} from "./compare-sentences.js";
import {
  describeChange,
  describeDifference,
  describeDifferenceWord,
  describeRule,
  hasFailures,
  INTERVAL_NOTE,
  METRIC_WORDS,
  type MetricWords,
} from "./compare-words.js";
import { describeAmount, distinctAmounts, loadWords } from "./describe-level.js";
import {
  type Block,
  code,
  createTable,
  heading,
  type Inlines,
  list,
  NO_FIGURE,
  paragraph,
  strong,
} from "./document/block.js";
import { formatTimestamp } from "./iso-time.js";
import { renderBlocks } from "./markdown.js";
import { plainLine, shortenName } from "./plain-line.js";
import { alignRows, wrapWords } from "./text-layout.js";

/**
 * Renders a comparison of two results, as Markdown for a pull request or as text for a terminal: the outcome, the table, then what could
 * not be told and why. Nothing from outside becomes markup or an escape sequence in it; ends with a line break.
 *
 * @param columns width of the terminal, for text alone; sentences keep to it. 99 by default and at most.
 */
export function renderComparison(comparison: ResultComparison, format: "md" | "text", columns?: number): string {
  return format === "md" ? renderCompareMarkdown(comparison) : renderCompareText(comparison, columns);
}

export function renderCompareMarkdown(comparison: ResultComparison): string {
  const { status, margins, a, b, targets, differences } = comparison;
  const reasons: readonly Inlines[] = [
    ...differences.map((one) => [
      strong(one.effect === "prevents" ? "Not compared" : "Note"),
      `: ${describeDifference(one)}`,
    ]),
    ...describeUnknowns(comparison).map((line) => [code("~"), ` ${line}.`]),
  ];
  const columns = columnsFor(targets, needsNames(comparison));
  const rows = targets.flatMap(rowsOf);
  const table = createTable(
    { caption: "Comparison" },
    columns.map(({ head, align, cell }) => ({
      head,
      align,
      cell: (row: Row) =>
        head === "Worse" && cell(row) === "yes" ? { text: [strong("yes")], tone: "bad" } : cell(row),
    })),
    rows,
  );
  const blocks: readonly Block[] = [
    heading(`lbbench compare: ${status}`),
    paragraph([strong(describeOutcome(comparison))]),
    ...list(describeChanges(comparison)),
    ...(rows.length === 0 ? [] : [table]),
    ...list(reasons),
    ...(hasIntervals(targets) ? [paragraph(INTERVAL_NOTE)] : []),
    paragraph(`A: ${describeRun(a)}. B: ${describeRun(b)}. ${describeRule(margins)}`),
  ];
  return `${renderBlocks(blocks).join("\n\n")}\n`;
}

const WIDEST = 99;

export function renderCompareText(comparison: ResultComparison, columns: number = WIDEST): string {
  const width = Math.min(columns, WIDEST);
  const { differences, margins, targets } = comparison;
  const wrap = (lines: readonly string[]): readonly string[] =>
    lines.flatMap((line) => wrapWords(plainLine(line), width, "  "));
  const blocks = [
    wrap([describeOutcome(comparison), ...describeChanges(comparison)]),
    ...targets.map((target) => renderTarget(target, needsNames(comparison))),
    wrap(describeUnknowns(comparison).map((line) => `~ ${line}.`)),
    wrap(
      differences.map((one) => `${one.effect === "prevents" ? "Not compared" : "Note"}: ${describeDifference(one)}`),
    ),
    wrap(hasIntervals(targets) ? [INTERVAL_NOTE] : []),
    wrap([`A: ${describeRun(comparison.a)}. B: ${describeRun(comparison.b)}.`, describeRule(margins)]),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

/** `sweep of 2026-11-05 10:00 UTC by lbbench 0.1.0`; plain text, words as they came. */
export function describeRun({ name, startedAt, tool }: ResultComparison["a"]): string {
  return `${name} of ${formatTimestamp(startedAt)} by ${tool.name} ${tool.version}`;
}

/** Its name stands above its table, which is wide enough without. */
function renderTarget(target: TargetJudgement, hasName: boolean): readonly string[] {
  const rows = rowsOf(target);
  if (rows.length === 0) return [];
  const columns = columnsFor([target], false);
  const table = alignRows(
    columns.map(({ align }) => align),
    [columns.map(({ head }) => head), ...rows.map((row) => columns.map(({ cell }) => cell(row)))],
  );
  return [...(hasName ? [plainLine(nameTarget(target))] : []), ...table];
}

/** Longer names would make the table wider than a page. */
const LONGEST_NAME = 24;

/** One metric of one target at one level. */
interface Row {
  readonly target: TargetJudgement;
  readonly level: LevelJudgement;
  readonly words: MetricWords;
  /** Whether it is the first of its target, and of its level; what the line above says is left out. */
  readonly startsTarget: boolean;
  readonly startsLevel: boolean;
}

interface TextColumn {
  readonly head: string;
  readonly align: "left" | "right";
  readonly cell: (row: Row) => string;
}

/** Requests that failed are shown only where there are some. */
function rowsOf(target: TargetJudgement): readonly Row[] {
  return target.levels.flatMap((level, at) =>
    METRIC_WORDS.filter(({ key }) => key !== "errors" || hasFailures(level)).map((words, index) => ({
      target,
      level,
      words,
      startsTarget: at === 0 && index === 0,
      startsLevel: index === 0,
    })),
  );
}

function columnsFor(targets: readonly TargetJudgement[], hasNames: boolean): readonly TextColumn[] {
  const levels = targets.flatMap((target) => target.levels.map(({ level }) => level));
  const hasAmounts = distinctAmounts(levels).length > 1;
  const side = (head: string, key: "reference" | "other"): TextColumn => ({
    head,
    align: "right",
    cell: ({ level, words }) => {
      const value = level[words.key][key];
      return value === null ? NO_FIGURE : words.figure(value);
    },
  });
  const name: TextColumn = {
    head: "Target",
    align: "left",
    cell: ({ target, startsTarget }) => (startsTarget ? shortenName(nameTarget(target), LONGEST_NAME) : ""),
  };
  return [
    ...(hasNames ? [name] : []),
    {
      head: loadWords(levels).column,
      align: "right",
      cell: ({ level: { level }, startsLevel }) => {
        const amount = hasAmounts ? ` (${describeAmount(level)})` : "";
        return startsLevel ? `${formatCount(loadValue(level))}${amount}` : "";
      },
    },
    { head: "Metric", align: "left", cell: ({ words }) => words.head },
    side("A", "reference"),
    side("B", "other"),
    {
      head: hasIntervals(targets) ? "Change (95 % interval)" : "Change",
      align: "right",
      cell: ({ level, words }) => describeChange(level[words.key], words) || NO_FIGURE,
    },
    { head: "Difference", align: "left", cell: ({ level, words }) => describeDifferenceWord(level[words.key]) },
    {
      head: "Worse",
      align: "left",
      cell: ({ level, words }) => (level[words.key].worse === "unknown" ? "~" : level[words.key].worse),
    },
  ];
}
