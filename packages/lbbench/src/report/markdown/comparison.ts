import type { MarginComparison } from "../../judge/compare-by-margin.js";
import type { TargetJudgement } from "../../judge/compare-levels.js";
import type { Result } from "../../model/result.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { describeChanges, describeUnknowns } from "../compare-summary.js";
import { hasFailures } from "../compare-table.js";
import { describeDraw, describeRule, INTERVAL_NOTE, METRIC_WORDS } from "../compare-words.js";
import { escapeMarkdown } from "../escape-markdown.js";
import { formatCount } from "../format-number.js";
import { compareOf } from "../reference-comparison.js";
import { shortenName } from "../shorten-name.js";
import { renderCompareTable } from "./compare-table.js";
import type { Section } from "./section.js";

/** Longer names would make a table wider than a page. */
const LONGEST_HEAD = 20;

/** Every other target beside the reference, level by level, judged where there is a margin; nothing with a single target. */
export const comparison: Section = (result) => {
  const { targets } = compareOf(result);
  const hasMargin = result.scenario.margin !== null;
  const tables = targets.filter(({ levels }) => levels.length > 0).flatMap((target) => renderTarget(target, hasMargin));
  if (tables.length === 0) {
    return [];
  }
  const hasIntervals = targets.flatMap(shownFigures).some(({ figures }) => figures.interval !== null);
  return [
    "## Comparison",
    ...(hasMargin ? listChanges(result) : []),
    ...tables,
    ...(hasIntervals ? [escapeMarkdown(INTERVAL_NOTE)] : []),
    ...(hasMargin ? [describeRule(compareOf(result).margins)] : []),
  ];
};

function listChanges(result: Result): readonly string[] {
  const changes = describeChanges(compareOf(result)).map((line) => `- ${escapeMarkdown(line)}`);
  return changes.length > 0 ? [changes.join("\n")] : [];
}

function renderTarget(target: TargetJudgement, hasMargin: boolean): readonly string[] {
  const { reference, other } = target;
  // Its two names stand in the heading already.
  const unnamed = { targets: [{ ...target, reference: other }] };
  const reasons = hasMargin
    ? describeUnknowns(unnamed).map((line) => `- \`~\` ${escapeMarkdown(line)}.`)
    : describeDraws(target);
  return [
    `### ${escapeMarkdown(other)} compared with ${escapeMarkdown(reference)}`,
    renderCompareTable([target], {
      hasNames: false,
      sides: [shortenName(reference, LONGEST_HEAD), shortenName(other, LONGEST_HEAD)],
      hasWorse: hasMargin,
    }),
    ...(reasons.length === 0 ? [] : [reasons.join("\n")]),
  ];
}

/** Why no difference is claimed, and where. */
function describeDraws(target: TargetJudgement): readonly string[] {
  const shown = shownFigures(target);
  const draws = shown.filter(({ figures }) => figures.verdict === "~");
  return [...groupBy(draws, ({ figures }) => describeDraw(figures))].map(([reason, those]) => {
    const where = [...groupBy(those, ({ name }) => name)].map(
      ([name, rows]) => `${name} at ${rows.map(({ load }) => formatCount(load)).join(", ")}`,
    );
    return `- \`~\`${those.length === shown.length ? "" : ` (${where.join("; ")})`}: ${escapeMarkdown(reason)}`;
  });
}

interface ShownFigures {
  readonly load: number;
  readonly name: string;
  readonly figures: MarginComparison;
}

/** What stands in the table: failed requests only where there are some. */
function shownFigures({ levels }: TargetJudgement): readonly ShownFigures[] {
  return levels.flatMap((row) =>
    METRIC_WORDS.filter(({ key }) => key !== "errors" || hasFailures(row)).map(({ key, name }) => ({
      load: loadValue(row.level),
      name,
      figures: row[key],
    })),
  );
}
