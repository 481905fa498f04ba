import type { LevelJudgement, MarginComparison, TargetJudgement } from "../../judge/compare-targets.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { describeChanges, describeUnknowns, hasIntervals, nameTarget } from "../compare-sentences.js";
import {
  describeChange,
  describeDraw,
  describeRule,
  hasFailures,
  INTERVAL_NOTE,
  METRIC_WORDS,
} from "../compare-words.js";
import { describeAmount, distinctAmounts, loadWords } from "../describe-level.js";
import { formatCount } from "../../stats/format-number.js";
import { shortenName } from "../plain-line.js";
import type { Section } from "../report-model.js";
import { type Column, createTable, list, NO_FIGURE, paragraph, strong, type TableCell } from "./block.js";
import { markCode } from "./mark-code.js";

/** A target at one level beside its reference. */
interface Row {
  readonly target: TargetJudgement;
  readonly level: LevelJudgement;
  /** `50`, with the amount where a matrix has several of one load. */
  readonly load: string;
}

/**
 * How every other target changes against the reference, level by level, judged where there is a margin. Nothing with a single target,
 * nor where no change of any target can be told: the verdict says why.
 */
export const comparison: Section = ({ result: { scenario }, comparison: judged }) => {
  const { targets, margins } = judged;
  const compared = targets.filter(({ levels }) => levels.length > 0);
  const [first] = compared;
  const hasMargin = scenario.margin !== null;
  if (first === undefined || (!hasMargin && compared.every(isUntold))) return null;
  const levels = compared.flatMap((target) => target.levels.map(({ level }) => level));
  const isMatrix = distinctAmounts(levels).length > 1;
  const rows = compared.flatMap((target) =>
    target.levels.map((level): Row => {
      const amount = isMatrix ? ` (${describeAmount(level.level)})` : "";
      return { target, level, load: `${formatCount(loadValue(level.level))}${amount}` };
    }),
  );
  const untold = new Set(compared.filter(isUntold));
  const isOneReference = compared.every(({ reference }) => reference === first.reference);
  const shown = METRIC_WORDS.filter(({ key }) => key !== "errors" || rows.some(({ level }) => hasFailures(level)));
  const columns: readonly Column<Row>[] = [
    { head: "Target", align: "left", cell: ({ target }) => (isOneReference ? target.other : nameTarget(target)) },
    {
      head: loadWords(levels).column,
      align: "right",
      cell: ({ load, level }) => ({ text: load, value: loadValue(level.level) }),
    },
    ...shown.map((words): Column<Row> => ({
      head: words.head.replace(/ \(.*/, ""),
      align: "right",
      cell: ({ level, target }) =>
        words.key === "errors" && !hasFailures(level)
          ? NO_FIGURE
          : changeCell(level[words.key], describeChange(level[words.key], words), untold.has(target)),
    })),
    ...(hasMargin ? [WORSE] : []),
  ];
  const against = isOneReference ? shortenName(first.reference, LONGEST_NAME) : "the reference";
  const lead = `Change against ${against}${scenario.trials > 1 ? ", of the medians of trials" : ""}:`;
  const reasons = hasMargin ? describeUnknowns({ targets: compared }).map((line) => `~ ${line}.`) : describeDraws(rows);
  return {
    id: "comparison",
    title: "Comparison",
    blocks: [
      ...(hasMargin ? list(describeChanges(judged)) : []),
      createTable({ caption: "Comparison", lead }, columns, rows),
      ...list(reasons.map((line) => markCode(line, scenario))),
      ...(hasIntervals(compared) ? [paragraph(INTERVAL_NOTE)] : []),
      ...(hasMargin ? [paragraph(describeRule(margins))] : []),
    ],
  };
};

/** Longer names would make a sentence hard to read. */
const LONGEST_NAME = 40;

const WORSE: Column<Row> = {
  head: "Worse",
  align: "left",
  cell: ({ level }) => {
    const worse = METRIC_WORDS.filter(({ key }) => level[key].worse === "yes").map(({ name }) => name);
    if (worse.length > 0) return { text: [strong(worse.join(", "))], tone: "bad" };
    return METRIC_WORDS.some(({ key }) => level[key].worse === "unknown") ? "~" : "no";
  },
};

const GOOD: ReadonlySet<MarginComparison["verdict"]> = new Set(["faster", "fewer"]);

/** Whether no figure could be told, for want of trials or because it is in doubt. */
function isUntold({ levels }: TargetJudgement): boolean {
  return levels.every((row) =>
    METRIC_WORDS.every(({ key }) => {
      const { verdict, worse, reason, trialsNeeded } = row[key];
      const isTested = reason === "WITHIN_NOISE" || (reason === undefined && trialsNeeded === undefined);
      return verdict === "~" && worse === "unknown" && !isTested;
    }),
  );
}

/** `-21.3 % (-25.1 to -16.8) slower`, or with `~` where no difference is claimed; the change alone where none could be told. */
function changeCell({ verdict, change }: MarginComparison, text: string, isAlone: boolean): TableCell {
  if (change === null) return { text: NO_FIGURE };
  if (isAlone) return { text, value: change };
  const tone = GOOD.has(verdict) ? "good" : "bad";
  return { text: `${text} ${verdict}`, value: change, ...(verdict === "~" ? {} : { tone }) };
}

/** Why no difference is claimed, and at which loads. */
function describeDraws(rows: readonly Row[]): readonly string[] {
  const figures = rows.flatMap((row) =>
    METRIC_WORDS.filter(({ key }) => key !== "errors" || hasFailures(row.level)).map(({ key }) => ({
      ...row,
      figures: row.level[key],
    })),
  );
  const draws = figures.filter(({ figures: { verdict } }) => verdict === "~");
  return [...groupBy(draws, (one) => describeDraw(one.figures))].map(([reason, those]) => {
    const loads = [...new Set(those.map(({ load }) => load))].join(", ");
    return `~${those.length === figures.length ? "" : ` at ${loads}`}: ${reason}`;
  });
}
