import { needsNames, type ResultComparison } from "../judge/compare-results.js";
import {
  isAnswered,
  type LevelJudgement,
  type MarginComparison,
  type TargetJudgement,
  worseOf,
} from "../judge/compare-targets.js";
import { describeComparison } from "./headline.js";
import {
  describeChange,
  describeDifferences,
  describeDifferenceWord,
  describeMargin,
  describeReach,
  describeRule,
  hasIntervals,
  INTERVAL_NOTE,
  metricsAt,
  type MetricWords,
  nameTarget,
} from "./compare-words.js";
import { levelFormatter, loadWords } from "./describe-level.js";
import {
  type Column,
  createTable,
  heading,
  type Inlines,
  list,
  marked,
  NO_FIGURE,
  paragraph,
  strong,
  type Table,
  wordColumn,
} from "./document/block.js";
import { formatTimestamp } from "../stats/iso-time.js";
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
    ...targets.filter(({ levels }) => levels.length > 0).map((target) => tabulate(target, needsNames(targets))),
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

interface Row {
  readonly level: LevelJudgement;
  readonly words: MetricWords;
  readonly figures: MarginComparison;
  readonly startsLevel: boolean;
}

function tabulate(target: TargetJudgement, hasName: boolean): Table {
  const levels = target.levels.map(({ level }) => level);
  const formatLevel = levelFormatter(levels);
  const side = (head: string, key: "reference" | "other"): Column<Row> => ({
    head,
    align: "right",
    cell: ({ words, figures }) => {
      const value = figures[key];
      return value === null ? NO_FIGURE : words.figure(value);
    },
  });
  const columns: readonly Column<Row>[] = [
    {
      head: loadWords(levels).column,
      align: "right",
      cell: ({ level, startsLevel }) => (startsLevel ? formatLevel(level.level) : ""),
    },
    wordColumn("Metric", ({ words }) => words.head),
    side("A", "reference"),
    side("B", "other"),
    {
      head: hasIntervals([target]) ? "Change (95 % interval)" : "Change",
      align: "right",
      cell: ({ words, figures }) => describeChange(figures, words) || NO_FIGURE,
    },
    wordColumn("Difference", ({ figures }) => describeDifferenceWord(figures)),
    wordColumn("Worse", ({ figures }) => WORSE[worseOf(figures)]),
  ];
  const rows = target.levels.flatMap((level) =>
    metricsAt(level).map((told, at): Row => ({ level, ...told, startsLevel: at === 0 })),
  );
  return createTable({ caption: "Comparison", lead: hasName ? `${nameTarget(target)}:` : undefined }, columns, rows);
}

const WORSE: Readonly<Record<"yes" | "no" | "unknown", Inlines>> = {
  yes: [strong("yes")],
  no: "no",
  unknown: "not known",
};
