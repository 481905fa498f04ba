import type { LevelJudgement, TargetJudgement } from "../judge/compare-targets.js";
import { loadValue } from "../stats/load.js";
import { describeChange, describeDifferenceWord, METRIC_WORDS, type MetricWords } from "./compare-words.js";
import { hasIntervals, nameTarget } from "./compare-sentences.js";
import { describeAmount, distinctAmounts, loadWords } from "./describe-level.js";
import { formatCount } from "../stats/format-number.js";
import { shortenName } from "./plain-line.js";

/** A column of the table of a comparison. */
interface CompareColumn {
  readonly head: string;
  readonly align: "left" | "right";
}

/** The table of a comparison as plain text, words as they came; whoever renders it escapes them. */
interface CompareTable {
  readonly columns: readonly CompareColumn[];
  readonly rows: readonly (readonly string[])[];
}

/** Longer names would make the table wider than a page. */
const LONGEST_NAME = 24;
const NO_FIGURE = "–";

/** One metric of one target at one level. */
interface Place {
  readonly target: TargetJudgement;
  readonly row: LevelJudgement;
  readonly words: MetricWords;
  /** Whether it is the first of its target, and of its level; what the line above says is left out. */
  readonly startsTarget: boolean;
  readonly startsLevel: boolean;
}

interface Cells extends CompareColumn {
  readonly cell: (place: Place) => string;
}

/** Which columns there are. */
export interface CompareLayout {
  /** Whether there is a first column for the names of the targets. */
  readonly hasNames: boolean;
  /** Heads of the two sides; `A` and `B` by default. */
  readonly sides?: readonly [reference: string, other: string];
  /** Whether there is a last column that says what is worse beyond the margin; so by default. */
  readonly hasWorse?: boolean;
}

/**
 * Lays out a comparison: a row for each target, level and metric; requests that failed only where there are some. Beside the
 * columns of the layout there are six.
 */
export function tabulateComparison(targets: readonly TargetJudgement[], layout: CompareLayout): CompareTable {
  const places = targets.flatMap(placesOf);
  const columns = columnsFor(targets, layout);
  return {
    columns: columns.map(({ head, align }) => ({ head, align })),
    rows: places.map((place) => columns.map(({ cell }) => cell(place))),
  };
}

const WORSE: Cells = {
  head: "Worse",
  align: "left",
  cell: ({ row, words }) => (row[words.key].worse === "unknown" ? "~" : row[words.key].worse),
};

function columnsFor(
  targets: readonly TargetJudgement[],
  { hasNames, sides = ["A", "B"], hasWorse = true }: CompareLayout,
): readonly Cells[] {
  const levels = targets.flatMap((target) => target.levels.map(({ level }) => level));
  const hasAmounts = distinctAmounts(levels).length > 1;
  const name: Cells = {
    head: "Target",
    align: "left",
    cell: ({ target, startsTarget }) => (startsTarget ? shortenName(nameTarget(target), LONGEST_NAME) : ""),
  };
  return [
    ...(hasNames ? [name] : []),
    {
      head: loadWords(levels).column,
      align: "right",
      cell: ({ row: { level }, startsLevel }) => {
        const amount = hasAmounts ? ` (${describeAmount(level)})` : "";
        return startsLevel ? `${formatCount(loadValue(level))}${amount}` : "";
      },
    },
    { head: "Metric", align: "left", cell: ({ words }) => words.head },
    { head: sides[0], align: "right", cell: ({ row, words }) => figure(row[words.key].reference, words) },
    { head: sides[1], align: "right", cell: ({ row, words }) => figure(row[words.key].other, words) },
    {
      head: hasIntervals(targets) ? "Change (95 % interval)" : "Change",
      align: "right",
      cell: ({ row, words }) => describeChange(row[words.key], words) || NO_FIGURE,
    },
    { head: "Difference", align: "left", cell: ({ row, words }) => describeDifferenceWord(row[words.key]) },
    ...(hasWorse ? [WORSE] : []),
  ];
}

function placesOf(target: TargetJudgement): readonly Place[] {
  return target.levels.flatMap((row, at) =>
    METRIC_WORDS.filter(({ key }) => key !== "errors" || hasFailures(row)).map((words, index) => ({
      target,
      row,
      words,
      startsTarget: at === 0 && index === 0,
      startsLevel: index === 0,
    })),
  );
}

/** Whether requests failed at a level, on either side. */
export function hasFailures({ errors }: LevelJudgement): boolean {
  return errors.reference !== 0 || errors.other !== 0;
}

function figure(value: number | null, { figure: format }: MetricWords): string {
  return value === null ? NO_FIGURE : format(value);
}
