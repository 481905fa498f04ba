/** How targets compare: with the reference of their run, level by level, and of two results, metric by metric. */
import type { OverallComparison } from "../../judge/compare-overall.js";
import {
  isToldTogether,
  type LevelJudgement,
  type TargetJudgement,
  verdictOf,
  worseOf,
} from "../../judge/compare-targets.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import {
  comparedAt,
  describeChange,
  describeDifferenceWord,
  describeRule,
  describeUnknown,
  hasIntervals,
  INTERVAL_NOTE,
  METRIC_WORDS,
  metricsAt,
  nameTarget,
  type MetricWords,
  type ToldMetric,
  TONES,
} from "../compare-words.js";
import { levelFormatter, loadWords } from "../describe-level.js";
import { joinWords, shortenName } from "../plain-line.js";
import type { ReportModel } from "../report-model.js";
import {
  type Block,
  type Column,
  createTable,
  type Inlines,
  list,
  marked,
  NO_FIGURE,
  paragraph,
  rightColumn,
  strong,
  type Table,
  type TableCell,
  wordColumn,
} from "./block.js";
import { defined } from "../../stats/defined.js";

interface RowMetric extends ToldMetric {
  /** Whether it is part of what is claimed of several levels together. */
  readonly isTogether: boolean;
}

interface Row {
  readonly target: TargetJudgement;
  /** Absent where all levels of the target are told together. */
  readonly level?: LevelJudgement;
  readonly metrics: readonly RowMetric[];
  /** `50`, with the amount where a matrix has several of one load. */
  readonly load: string;
}

const LONGEST_NAME = 40;

/** How every other target changes against the reference, level by level; nothing where no change can be told: the verdict says why. */
export function comparison({ result: { scenario }, comparison: judged }: ReportModel): readonly Block[] {
  const { targets, margins } = judged;
  const [first] = targets;
  const hasMargin = scenario.margin !== null;
  const all = targets.flatMap((target) => target.levels.map(({ level }) => level));
  const formatLevel = levelFormatter(all);
  const rows = targets.flatMap((target): readonly Row[] => {
    const { levels, overall } = target;
    const own = levels.map((level): Row => {
      const metrics = metricsAt(level).map((told) => {
        return { ...told, isTogether: isToldTogether(target, level.level, told.words.key) };
      });
      return { target, level, metrics, load: formatLevel(level.level) };
    });
    return overall === undefined || overall.verdict === "~" ? own : [...own, { target, metrics: [], load: "together" }];
  });
  if (first === undefined || rows.length === 0 || (!hasMargin && !rows.some(isTested))) return [];
  const isOneReference = targets.every(({ reference }) => reference === first.reference);
  const nameOf = (target: TargetJudgement): string => (isOneReference ? target.other : nameTarget(target));
  const columns: readonly Column<Row>[] = [
    wordColumn("Target", ({ target }) => nameOf(target)),
    rightColumn(loadWords(all).column, ({ level, load }) => ({ text: load, value: level && loadValue(level.level) })),
    ...METRIC_WORDS.filter((words) => rows.some(({ metrics }) => metrics.some((told) => told.words === words))).map(
      (words) => rightColumn<Row>(words.label, (row) => metricCell(row, words)),
    ),
    ...(hasMargin ? [WORSE] : []),
  ];
  const against = isOneReference ? shortenName(first.reference, LONGEST_NAME) : "the reference";
  const lead = `Change against ${against}${scenario.trials > 1 ? ", of the medians of trials" : ""}:`;
  return [
    createTable({ caption: "Comparison", lead }, columns, rows),
    ...list(describeDraws(rows, nameOf)),
    ...(hasIntervals(targets) ? [paragraph(marked(INTERVAL_NOTE))] : []),
    ...(hasMargin ? [paragraph(describeRule(margins, targets))] : []),
  ];
}

/** Whether any figure could be told: there were trials enough, and it is not in doubt. */
function isTested({ level }: Row): boolean {
  if (level === undefined) return true;
  return comparedAt(level).some(
    ({ figures }) =>
      figures.kind === "tested" &&
      (figures.verdict !== "~" || figures.worse !== "unknown" || figures.open?.why === "WITHIN_NOISE"),
  );
}

const WORSE = wordColumn<Row>("Worse", ({ level, target }) => {
  if (level === undefined) {
    const worse = target.overall?.worse ?? "no";
    return worse === "yes" ? { text: IS_WORSE.yes, tone: "bad" } : IS_WORSE[worse];
  }
  const all = comparedAt(level);
  const worse = all.filter(({ figures }) => worseOf(figures) === "yes").map(({ words: { name } }) => name);
  if (worse.length > 0) return { text: [strong(worse.join(", "))], tone: "bad" };
  return all.some(({ figures }) => worseOf(figures) === "unknown") ? "not known" : "no";
});

function metricCell({ target: { overall }, level, metrics }: Row, words: MetricWords): Inlines | TableCell {
  if (level === undefined) return words.key === overall?.metric ? overallCell(overall, words) : NO_FIGURE;
  const told = metrics.find((one) => one.words === words);
  return told === undefined ? NO_FIGURE : changeCell(told);
}

/** Of the mean of several levels: `+28.4 % (+14.0 to +42.1) faster`. */
function overallCell({ change, interval, isAtLeast, verdict }: OverallComparison, words: MetricWords): TableCell {
  const told = describeChange({ change, interval, ...defined({ atLeast: isAtLeast ? change : undefined }) }, words);
  return { text: `${told} ${verdict}`, value: change, tone: TONES.get(verdict) };
}

/** Whether a change says nothing of its own level. */
function isWordless({ figures, isTogether }: RowMetric): boolean {
  return isTogether && verdictOf(figures) === "~";
}

/** `-21.3 % (-25.1 to -16.8) slower`, with ` (5 of 6 trials)` where some were left out, or with `~` where no difference is claimed, here or of several levels together. */
function changeCell(metric: RowMetric): TableCell {
  const { words, figures } = metric;
  const { change, reference, other } = figures;
  if (reference === null || other === null) return { text: NO_FIGURE };
  const verdict = verdictOf(figures);
  const told = change === null ? `${words.figure(reference)} → ${words.figure(other)}` : describeChange(figures, words);
  const word = verdict === "~" ? verdict : describeDifferenceWord(figures);
  const text = isWordless(metric) ? told : `${told} ${word}`;
  return { text, value: change ?? undefined, tone: TONES.get(verdict) };
}

/** Why no difference is claimed, and at which loads; of which target where there are several. */
function describeDraws(rows: readonly Row[], nameOf: (target: TargetJudgement) => string): readonly string[] {
  const all = rows.flatMap(({ metrics, load, target }) => metrics.map((metric) => ({ ...metric, load, target })));
  const own = all.filter(({ isTogether }) => !isTogether);
  const names = new Set(rows.map(({ target }) => nameOf(target)));
  const draws = own.filter(({ figures }) => verdictOf(figures) === "~");
  const reasons = [...groupBy(draws, ({ figures }) => describeUnknown(figures.open))].map(([reason, those]) => {
    const ofTargets = [...groupBy(those, ({ target }) => nameOf(target))].map(([name, alike]) => {
      return { name, loads: [...new Set(alike.map(({ load }) => load))].join(", ") };
    });
    const places = [...groupBy(ofTargets, ({ loads }) => loads)].map(([loads, alike]) => {
      return `at ${loads}${alike.length === names.size ? "" : ` of ${joinWords(alike.map(({ name }) => name))}`}`;
    });
    return `~${those.length === own.length ? "" : ` ${places.join(", ")}`}: ${reason}`;
  });
  return [
    ...reasons,
    ...(all.some(isWordless)
      ? ["a change without a word: told together with the other levels, and not by itself"]
      : []),
  ];
}

interface MetricRow extends ToldMetric {
  readonly level: LevelJudgement;
  readonly startsLevel: boolean;
}

/** How a target of one result compares with that of another, a row for each level and metric. */
export function metricTable(target: TargetJudgement, hasName: boolean): Table {
  const levels = target.levels.map(({ level }) => level);
  const formatLevel = levelFormatter(levels);
  const side = (head: string, key: "reference" | "other"): Column<MetricRow> =>
    rightColumn(head, ({ words, figures: { [key]: value } }) => (value === null ? NO_FIGURE : words.figure(value)));
  const change = hasIntervals([target]) ? "Change (95 % interval)" : "Change";
  const columns: readonly Column<MetricRow>[] = [
    rightColumn(loadWords(levels).column, ({ level, startsLevel }) => (startsLevel ? formatLevel(level.level) : "")),
    wordColumn("Metric", ({ words }) => words.head),
    side("A", "reference"),
    side("B", "other"),
    rightColumn(change, ({ words, figures }) => describeChange(figures, words) || NO_FIGURE),
    wordColumn("Difference", ({ figures }) => describeDifferenceWord(figures)),
    wordColumn("Worse", ({ figures }) => IS_WORSE[worseOf(figures)]),
  ];
  const rows = target.levels.flatMap((level) =>
    metricsAt(level).map((told, at): MetricRow => ({ level, ...told, startsLevel: at === 0 })),
  );
  return createTable({ caption: "Comparison", lead: hasName ? `${nameTarget(target)}:` : undefined }, columns, rows);
}

const IS_WORSE: Readonly<Record<"yes" | "no" | "unknown", Inlines>> = {
  yes: [strong("yes")],
  no: "no",
  unknown: "not known",
};
