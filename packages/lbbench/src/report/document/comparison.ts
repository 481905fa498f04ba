import type { LevelJudgement, TargetJudgement } from "../../judge/compare-targets.js";
import { groupBy } from "../../stats/group-by.js";
import { describeChanges, describeUnknowns, hasIntervals, nameTarget } from "../compare-sentences.js";
import {
  comparedAt,
  describeChange,
  describeDraw,
  describeRule,
  INTERVAL_NOTE,
  METRIC_WORDS,
  metricsAt,
  type MetricWords,
  type ToldMetric,
  TONES,
} from "../compare-words.js";
import { levelFormatter, loadWords } from "../describe-level.js";
import { shortenName } from "../plain-line.js";
import type { Section } from "../report-model.js";
import {
  type Column,
  createTable,
  list,
  loadColumn,
  markCode,
  marked,
  NO_FIGURE,
  paragraph,
  strong,
  type TableCell,
  wordColumn,
} from "./block.js";

interface Row {
  readonly target: TargetJudgement;
  readonly level: LevelJudgement;
  readonly metrics: readonly ToldMetric[];
  /** `50`, with the amount where a matrix has several of one load. */
  readonly load: string;
}

const LONGEST_NAME = 40;

/** How every other target changes against the reference, level by level; nothing where no change can be told: the verdict says why. */
export const comparison: Section = ({ result: { scenario }, comparison: judged }) => {
  const { targets, margins } = judged;
  const [first] = targets;
  const hasMargin = scenario.margin !== null;
  const all = targets.flatMap((target) => target.levels.map(({ level }) => level));
  const formatLevel = levelFormatter(all);
  const rows = targets.flatMap((target) =>
    target.levels.map((level): Row => ({
      target,
      level,
      metrics: metricsAt(level),
      load: formatLevel(level.level),
    })),
  );
  if (first === undefined || rows.length === 0 || (!hasMargin && !rows.some(isTested))) return null;
  const isOneReference = targets.every(({ reference }) => reference === first.reference);
  const columns: readonly Column<Row>[] = [
    wordColumn("Target", ({ target }) => (isOneReference ? target.other : nameTarget(target))),
    loadColumn(loadWords(all).column, ({ level }) => level.level, formatLevel),
    ...METRIC_WORDS.filter((words) => rows.some((row) => tellIn(row, words))).map((words): Column<Row> => ({
      head: words.head.replace(/ \(.*/, ""),
      align: "right",
      cell: (row) => {
        const told = tellIn(row, words);
        return told === undefined ? NO_FIGURE : changeCell(told);
      },
    })),
    ...(hasMargin ? [WORSE] : []),
  ];
  const against = isOneReference ? shortenName(first.reference, LONGEST_NAME) : "the reference";
  const lead = `Change against ${against}${scenario.trials > 1 ? ", of the medians of trials" : ""}:`;
  const reasons = hasMargin ? describeUnknowns(judged).map((line) => `Not known: ${line}.`) : describeDraws(rows);
  return {
    id: "comparison",
    title: "Comparison",
    blocks: [
      ...(hasMargin ? list(describeChanges(judged)) : []),
      createTable({ caption: "Comparison", lead }, columns, rows),
      ...list(reasons.map((line) => markCode(line, scenario))),
      ...(hasIntervals(targets) ? [paragraph(marked(INTERVAL_NOTE))] : []),
      ...(hasMargin ? [paragraph(describeRule(margins, targets))] : []),
    ],
  };
};

function tellIn({ metrics }: Row, asked: MetricWords): ToldMetric | undefined {
  return metrics.find(({ words }) => words === asked);
}

/** Whether any figure could be told: there were trials enough, and it is not in doubt. */
function isTested({ level }: Row): boolean {
  return comparedAt(level).some(({ figures: { verdict, worse, reason, trialsNeeded } }) => {
    const isNoise = reason === "WITHIN_NOISE" || (reason === undefined && trialsNeeded === undefined);
    return verdict !== "~" || worse !== "unknown" || isNoise;
  });
}

const WORSE = wordColumn<Row>("Worse", ({ level }) => {
  const all = comparedAt(level);
  const worse = all.filter(({ figures }) => figures.worse === "yes").map(({ words: { name } }) => name);
  if (worse.length > 0) return { text: [strong(worse.join(", "))], tone: "bad" };
  return all.some(({ figures }) => figures.worse === "unknown") ? "not known" : "no";
});

/** `-21.3 % (-25.1 to -16.8) slower`, or with `~` where no difference is claimed. */
function changeCell({ words, figures }: ToldMetric): TableCell {
  const { verdict, change, reference, other } = figures;
  if (reference === null || other === null) return { text: NO_FIGURE };
  const tone = TONES.get(verdict);
  const told = change === null ? `${words.figure(reference)} → ${words.figure(other)}` : describeChange(figures, words);
  return { text: `${told} ${verdict}`, ...(change === null ? {} : { value: change }), ...(tone && { tone }) };
}

/** Why no difference is claimed, and at which loads. */
function describeDraws(rows: readonly Row[]): readonly string[] {
  const figures = rows.flatMap(({ metrics, load }) => metrics.map(({ figures }) => ({ load, figure: figures })));
  const draws = figures.filter(({ figure }) => figure.verdict === "~");
  return [...groupBy(draws, ({ figure }) => describeDraw(figure))].map(([reason, those]) => {
    const loads = [...new Set(those.map(({ load }) => load))].join(", ");
    return `~${those.length === figures.length ? "" : ` at ${loads}`}: ${reason}`;
  });
}
