import { needsNames, type ResultComparison } from "../judge/compare-results.js";
import { isAnswered } from "../judge/compare-targets.js";
import { formatTimestamp } from "../stats/iso-time.js";
import {
  describeDifferences,
  describeMargin,
  describeReach,
  describeRule,
  hasIntervals,
  INTERVAL_NOTE,
} from "./compare-words.js";
import { heading, type Inlines, list, marked, paragraph, strong } from "./document/block.js";
import { metricTable } from "./document/comparison.js";
import { describeComparison } from "./headline.js";
import { renderBlocks } from "./markdown.js";
import { renderLines, WIDEST } from "./terminal.js";

/**
 * Renders a comparison of two results, as Markdown for a pull request or as text for a terminal; ends with a line break.
 *
 * @param columns width of the terminal, for text alone; sentences keep to it. 99 by default and at most.
 */
export function renderComparison(comparison: ResultComparison, format: "md" | "text", columns = WIDEST): string {
  const { status, margins, a, b, targets, differences } = comparison;
  const reasons = (["prevents", "note"] as const).flatMap((effect) =>
    describeDifferences(differences.filter((one) => one.effect === effect)).map((text): Inlines => [
      strong(effect === "prevents" ? "Not compared" : "Note"),
      `: ${text}`,
    ]),
  );
  const { worse, open, shown } = describeComparison(comparison.findings);
  const blocks = [
    paragraph([strong(describeOutcome(comparison))]),
    ...list([...worse, ...open, ...shown]),
    ...targets.filter(({ levels }) => levels.length > 0).map((target) => metricTable(target, needsNames(targets))),
    ...list(reasons),
    ...(hasIntervals(targets) ? [paragraph(marked(INTERVAL_NOTE))] : []),
    paragraph(`A: ${describeRun(a)}. B: ${describeRun(b)}. ${describeRule(margins, targets)}`),
  ];
  const width = Math.min(columns, WIDEST);
  const texts =
    format === "md"
      ? renderBlocks([heading(`lbbench compare: ${status}`), ...blocks])
      : blocks.map((block) => renderLines(block, width).join("\n"));
  return `${texts.join("\n\n")}\n`;
}

/** Says whether B is worse than A. */
function describeOutcome({ status, margins, targets }: ResultComparison): string {
  const worse = `worse than A by more than ${describeMargin(margins)}`;
  if (status === "fail") return `B is ${worse}.`;
  if (status === "pass") return [`B is not ${worse}.`, ...describeReach(targets)].join(" ");
  return targets.length > 0 && targets.every(isAnswered)
    ? `What was measured of B is not ${worse}, but not everything was measured.`
    : `It cannot be told whether B is ${worse}.`;
}

function describeRun({ name, startedAt, tool }: ResultComparison["a"]): string {
  return `${name} of ${formatTimestamp(startedAt)} by ${tool.name} ${tool.version}`;
}
