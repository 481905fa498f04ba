import type { MarginComparison, TargetJudgement } from "../../judge/compare-targets.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { describeChanges, describeUnknowns } from "../compare-sentences.js";
import { hasFailures } from "../compare-table.js";
import { describeDraw, describeRule, INTERVAL_NOTE, METRIC_WORDS } from "../compare-words.js";
import { describeAmount, distinctAmounts } from "../describe-level.js";
import { formatCount } from "../format-number.js";
import { shortenName } from "../plain-line.js";
import type { ToldScenario } from "../../model/scenario.js";
import { type Block, heading, list, paragraph } from "./block.js";
import type { Section } from "../report-model.js";
import { markCode } from "./mark-code.js";
import { compareTable } from "./compare-table.js";

/** Longer names would make a table wider than a page. */
const LONGEST_HEAD = 20;

/** Every other target beside the reference, level by level, judged where there is a margin; nothing with a single target. */
export const comparison: Section = ({ result: { scenario }, comparison: judged }) => {
  const { targets } = judged;
  const hasMargin = scenario.margin !== null;
  const tables = targets.filter(({ levels }) => levels.length > 0).flatMap((target) => compareTarget(target, scenario));
  if (tables.length === 0) {
    return null;
  }
  const hasIntervals = targets.flatMap(shownFigures).some(({ figures }) => figures.interval !== null);
  return {
    id: "comparison",
    title: "Comparison",
    blocks: [
      ...(hasMargin ? list(describeChanges(judged)) : []),
      ...tables,
      ...(hasIntervals ? [paragraph(INTERVAL_NOTE)] : []),
      ...(hasMargin ? [paragraph(describeRule(judged.margins))] : []),
    ],
  };
};

function compareTarget(target: TargetJudgement, scenario: ToldScenario): readonly Block[] {
  const hasMargin = scenario.margin !== null;
  const { reference, other } = target;
  // Its two names stand in the heading already.
  const unnamed = { targets: [{ ...target, reference: other }] };
  const reasons = hasMargin ? describeUnknowns(unnamed).map((line) => `~ ${line}.`) : describeDraws(target);
  const tables = compareTable(
    [target],
    {
      hasNames: false,
      sides: [shortenName(reference, LONGEST_HEAD), shortenName(other, LONGEST_HEAD)],
      hasWorse: hasMargin,
    },
    scenario.trials > 1 ? "Medians of trials:" : undefined,
  );
  return [
    heading(`${other} compared with ${reference}`),
    ...(isUntold(target)
      ? [
          {
            kind: "folded",
            summary: "The figures side by side, of which none shows a difference",
            blocks: tables,
          } as const,
        ]
      : tables),
    ...list(reasons.map((line) => markCode(line, scenario))),
  ];
}

/** Whether nothing is known of any figure: no test could find a difference, or no worse one, for want of trials or as they are in doubt. */
function isUntold(target: TargetJudgement): boolean {
  return shownFigures(target).every(
    ({ figures: { verdict, worse, reason, trialsNeeded } }) =>
      verdict === "~" &&
      worse === "unknown" &&
      (trialsNeeded !== undefined || (reason !== undefined && reason !== "WITHIN_NOISE")),
  );
}

/** Why no difference is claimed, and where. */
function describeDraws(target: TargetJudgement): readonly string[] {
  const shown = shownFigures(target);
  const draws = shown.filter(({ figures }) => figures.verdict === "~");
  return [...groupBy(draws, ({ figures }) => describeDraw(figures))].map(([reason, those]) => {
    const where = those.length === shown.length ? "" : ` (${describeFigurePlaces(those, shown)})`;
    return `~${where}: ${reason}`;
  });
}

/** `all metrics at 100, 300; p50 at 200`: loads of which the same is said together. */
function describeFigurePlaces(those: readonly ShownFigures[], shown: readonly ShownFigures[]): string {
  const byLoad = [...groupBy(those, ({ load }) => load)].map(([load, rows]) => ({
    load,
    metrics:
      rows.length > 1 && rows.length === shown.filter((one) => one.load === load).length
        ? "all metrics"
        : rows.map(({ name }) => name).join(", "),
  }));
  return [...groupBy(byLoad, ({ metrics }) => metrics)]
    .map(([metrics, loads]) => `${metrics} at ${loads.map(({ load }) => load).join(", ")}`)
    .join("; ");
}

interface ShownFigures {
  /** With the amount where a matrix has several of one load, as in the table. */
  readonly load: string;
  readonly name: string;
  readonly figures: MarginComparison;
}

/** What stands in the table: failed requests only where there are some. */
function shownFigures({ levels }: TargetJudgement): readonly ShownFigures[] {
  const isMatrix = distinctAmounts(levels.map(({ level }) => level)).length > 1;
  return levels.flatMap((row) =>
    METRIC_WORDS.filter(({ key }) => key !== "errors" || hasFailures(row)).map(({ key, name }) => ({
      load: `${formatCount(loadValue(row.level))}${isMatrix ? ` (${describeAmount(row.level)})` : ""}`,
      name,
      figures: row[key],
    })),
  );
}
