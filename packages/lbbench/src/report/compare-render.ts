import type { ResultComparison } from "../judge/compare-results.js";
import type { TargetJudgement } from "../judge/compare-targets.js";
import {
  describeChanges,
  describeOutcome,
  describeUnknowns,
  hasIntervals,
  nameTarget,
  needsNames,
} from "./compare-sentences.js";
import { tabulateComparison } from "./compare-table.js";
import { describeDifference, describeRule, INTERVAL_NOTE } from "./compare-words.js";
import { type Block, code, heading, type Inlines, list, paragraph, strong } from "./document/block.js";
import { compareTable } from "./document/compare-table.js";
import { formatTimestamp } from "./iso-time.js";
import { renderBlocks } from "./markdown.js";
import { plainLine } from "./plain-line.js";
import { alignRows, wrapWords } from "./text-layout.js";

/**
 * Renders a comparison of two results, as Markdown for a pull request or as text for a terminal.
 *
 * @param columns width of the terminal, for text alone; 99 by default and at most.
 */
export function renderComparison(comparison: ResultComparison, format: "md" | "text", columns?: number): string {
  return format === "md" ? renderCompareMarkdown(comparison) : renderCompareText(comparison, columns);
}

/**
 * Returns a comparison as Markdown that fits a pull request: the outcome, the table, then what could not be told and why.
 * Nothing from outside becomes markup in it; ends with a line break.
 */
export function renderCompareMarkdown(comparison: ResultComparison): string {
  const { status, margins, a, b, targets, differences } = comparison;
  const reasons: readonly Inlines[] = [
    ...differences.map((one) => [
      strong(one.effect === "prevents" ? "Not compared" : "Note"),
      `: ${describeDifference(one)}`,
    ]),
    ...describeUnknowns(comparison).map((line) => [code("~"), ` ${line}.`]),
  ];
  const blocks: readonly Block[] = [
    heading(`lbbench compare: ${status}`),
    paragraph([strong(describeOutcome(comparison))]),
    ...list(describeChanges(comparison)),
    ...compareTable(targets, { hasNames: needsNames(comparison) }),
    ...list(reasons),
    ...(hasIntervals(targets) ? [paragraph(INTERVAL_NOTE)] : []),
    paragraph(`A: ${describeRun(a)}. B: ${describeRun(b)}. ${describeRule(margins)}`),
  ];
  return `${renderBlocks(blocks).join("\n\n")}\n`;
}

const WIDEST = 99;

/**
 * Returns a comparison as plain text for a terminal: the outcome, the table, then what could not be told and why. Names
 * from outside cannot contain escape sequences; ends with a line break.
 *
 * @param columns width of the terminal; sentences keep to it, and to at most 99 columns, the default.
 */
export function renderCompareText(comparison: ResultComparison, columns: number = WIDEST): string {
  const width = Math.min(columns, WIDEST);
  const { differences, margins } = comparison;
  const list = (lines: readonly string[]): readonly string[] =>
    lines.flatMap((line) => wrapWords(plainLine(line), width, "  "));
  const blocks = [
    list([describeOutcome(comparison), ...describeChanges(comparison)]),
    ...comparison.targets.map((target) => renderTarget(target, needsNames(comparison))),
    list(describeUnknowns(comparison).map((line) => `~ ${line}.`)),
    list(
      differences.map((one) => `${one.effect === "prevents" ? "Not compared" : "Note"}: ${describeDifference(one)}`),
    ),
    list(hasIntervals(comparison.targets) ? [INTERVAL_NOTE] : []),
    list([`A: ${describeRun(comparison.a)}. B: ${describeRun(comparison.b)}.`, describeRule(margins)]),
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
  const { columns, rows } = tabulateComparison([target], { hasNames: false });
  if (rows.length === 0) {
    return [];
  }
  const table = alignRows(
    columns.map(({ align }) => align),
    [columns.map(({ head }) => head), ...rows],
  );
  return [...(hasName ? [plainLine(nameTarget(target))] : []), ...table];
}
