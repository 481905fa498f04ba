import type { LevelJudgement, TargetJudgement } from "../judge/compare-levels.js";
import { loadValue } from "../stats/load.js";
import { describeChange, METRIC_WORDS } from "./compare-words.js";
import type { MetricWords } from "./compare-words.js";
import { nameTarget } from "./compare-summary.js";
import { describeAmount, distinctAmounts, loadWords } from "./describe-level.js";
import { formatCount } from "./format-number.js";
import { shortenName } from "./shorten-name.js";

/** A column of the table of a comparison. */
export interface CompareColumn {
  readonly head: string;
  readonly align: "left" | "right";
}

/** The table of a comparison as plain text, words as they came; whoever renders it escapes them. */
export interface CompareTable {
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

/**
 * Lays out a comparison: a row for each target, level and metric; requests that failed only where there are some.
 *
 * @param hasNames whether there is a first column for the names of the targets; seven columns follow it.
 */
export function tabulateComparison(targets: readonly TargetJudgement[], hasNames: boolean): CompareTable {
  const places = targets.flatMap(placesOf);
  const columns = columnsFor(targets, hasNames);
  return {
    columns: columns.map(({ head, align }) => ({ head, align })),
    rows: places.map((place) => columns.map(({ cell }) => cell(place))),
  };
}

function columnsFor(targets: readonly TargetJudgement[], hasNames: boolean): readonly Cells[] {
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
    { head: "A", align: "right", cell: ({ row, words }) => figure(row[words.key].reference, words) },
    { head: "B", align: "right", cell: ({ row, words }) => figure(row[words.key].other, words) },
    {
      head: "Change (95 % interval)",
      align: "right",
      cell: ({ row, words }) => describeChange(row[words.key], words) || NO_FIGURE,
    },
    { head: "Difference", align: "left", cell: ({ row, words }) => row[words.key].verdict },
    {
      head: "Worse",
      align: "left",
      cell: ({ row, words }) => (row[words.key].worse === "unknown" ? "~" : row[words.key].worse),
    },
  ];
}

function placesOf(target: TargetJudgement): readonly Place[] {
  return target.levels.flatMap((row, at) =>
    METRIC_WORDS.filter(({ key }) => key !== "errors" || hasErrors(row)).map((words, index) => ({
      target,
      row,
      words,
      startsTarget: at === 0 && index === 0,
      startsLevel: index === 0,
    })),
  );
}

function hasErrors({ errors }: LevelJudgement): boolean {
  return errors.reference !== 0 || errors.other !== 0;
}

function figure(value: number | null, { figure: format }: MetricWords): string {
  return value === null ? NO_FIGURE : format(value);
}
