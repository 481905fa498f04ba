import type { ResultComparison } from "../judge/compare-results.js";
import { describeDifference } from "./compare-difference-text.js";
import { describeChanges, describeOutcome, describeUnknowns, hasIntervals, needsNames } from "./compare-summary.js";
import { describeRun } from "./compare-text.js";
import { describeRule, INTERVAL_NOTE } from "./compare-words.js";
import { escapeMarkdown } from "./escape-markdown.js";
import { renderCompareTable } from "./markdown/compare-table.js";

/**
 * Returns a comparison as Markdown that fits a pull request: the outcome, the table, then what could not be told and why.
 * Nothing from outside becomes markup in it; ends with a line break.
 */
export function renderCompareMarkdown(comparison: ResultComparison): string {
  const { status, margins, a, b, targets, differences } = comparison;
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
    renderCompareTable(targets, { hasNames: needsNames(comparison) }),
    bullets(reasons),
    hasIntervals(targets) ? escapeMarkdown(INTERVAL_NOTE) : "",
    escapeMarkdown(`A: ${describeRun(a)}. B: ${describeRun(b)}. ${describeRule(margins)}`),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}
