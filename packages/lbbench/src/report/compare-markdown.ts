import type { ResultComparison } from "../judge/compare-results.js";
import { describeDifference } from "./compare-difference-text.js";
import { describeChanges, describeOutcome, describeUnknowns, needsNames } from "./compare-summary.js";
import { tabulateComparison } from "./compare-table.js";
import { describeRun } from "./compare-text.js";
import { describeErrorMargin, describeMargin } from "./compare-words.js";
import { escapeMarkdown } from "./escape-markdown.js";
import { renderTable } from "./markdown/table.js";

/**
 * Returns a comparison as Markdown that fits a pull request: the outcome, the table, then what could not be told and why.
 * Nothing from outside becomes markup in it; ends with a line break.
 */
export function renderCompareMarkdown(comparison: ResultComparison): string {
  const { status, margins, a, b, targets, differences } = comparison;
  const { columns, rows } = tabulateComparison(targets, needsNames(comparison));
  const reasons = [
    ...differences.map(
      (one) => `**${one.effect === "prevents" ? "Not compared" : "Note"}**: ${escapeMarkdown(describeDifference(one))}`,
    ),
    ...describeUnknowns(comparison).map((line) => `\`~\` ${escapeMarkdown(line)}.`),
  ];
  const blocks = [
    `### lbbench compare: ${status}`,
    `**${escapeMarkdown(describeOutcome(comparison))}**`,
    bullets(describeChanges(comparison).map(escapeMarkdown)),
    rows.length === 0
      ? ""
      : renderTable<readonly string[]>(
          columns.map(({ head, align }, at) => ({
            head: escapeMarkdown(head),
            align,
            cell: (row) => renderCell(row[at] ?? "", head),
          })),
          rows,
        ),
    bullets(reasons),
    escapeMarkdown(
      `A: ${describeRun(a)}. B: ${describeRun(b)}. Worse: by more than ${describeMargin(margins)}, of failed requests ` +
        `by more than ${describeErrorMargin(margins)}.`,
    ),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

/** Names come from outside; the other cells are ours, and read better as they are. */
function renderCell(text: string, head: string): string {
  if (head === "Target") {
    return escapeMarkdown(text);
  }
  return head === "Worse" && text === "yes" ? "**yes**" : text;
}
