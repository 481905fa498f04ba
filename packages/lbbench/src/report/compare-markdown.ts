import type { ResultComparison } from "../judge/compare-results.js";
import { describeDifference } from "./compare-difference-text.js";
import { describeChanges, describeOutcome, describeUnknowns, hasIntervals, needsNames } from "./compare-summary.js";
import { describeRun } from "./compare-text.js";
import { describeRule, INTERVAL_NOTE } from "./compare-words.js";
import { type Block, code, heading, type Inlines, list, paragraph, strong } from "./document/block.js";
import { compareTable } from "./document/compare-table.js";
import { renderBlocks } from "./markdown.js";

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
