import type {
  LevelJudgement,
  MarginComparison,
  ReferenceComparison,
  TargetJudgement,
} from "../../judge/compare-targets.js";
import { SCALES } from "../../judge/metrics.js";
import type { Result } from "../../model/result.js";
import { countOf } from "../../stats/count-of.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { METRIC_WORDS } from "../compare-words.js";
import { describeAmount, distinctAmounts, loadWords } from "../describe-level.js";
import { formatChange, formatCount } from "../format-number.js";
import { plainLine } from "../plain-line.js";
import type { ChartDefinition, ChartPoint, ChartRule, ChartSeries } from "./chart-definition.js";
import { joinNotes } from "./chart-words.js";
import { panelPerCurve } from "./curves.js";

/** With more targets than this, bars of each in a panel per metric cannot be told apart. */
const MOST_TARGETS_IN_A_PANEL = 4;

/**
 * Returns how throughput, p50 and p99 of the other targets change against the reference, level by level, with the interval of
 * each change; none where no interval can be given, as with too few trials.
 */
export function comparisonChart(result: Result, { targets }: ReferenceComparison): readonly ChartDefinition[] {
  const shown = targets.filter(({ levels }) =>
    levels.some((level) => COMPARED_METRICS.some((key) => level[key].interval)),
  );
  const [first] = shown;
  if (first === undefined) return [];
  const axis = chooseChangeAxis(shown);
  const levels = first.levels.map(({ level }) => level);
  const against = describeReference(shown);
  const layout = shown.length > MOST_TARGETS_IN_A_PANEL ? panelPerTarget : panelPerMetric;
  const { panels, series, rules, about } = layout(result, shown, axis);
  return [
    {
      id: "comparison",
      title: `Change against ${against}`,
      subtitle: [result.scenario.name, about, "whiskers: 95 % interval of the change"].join(" · "),
      ...joinNotes(describeNothing(shown, axis), ...describeMissing(targets)),
      alt: `Change of the medians against ${against}. ${shown.map((target) => describeTarget(target, shown)).join(" ")}`,
      x: { label: loadWords(levels).axis, scale: "category", ticks: first.levels.map(placeOf(first)) },
      y: axis.y,
      panels,
      series,
      rules,
    },
  ];
}

/** Colours of the metrics where each target has a panel. */
const METRIC_COLORS: Readonly<Record<ComparedMetric, number>> = { throughput: 0, p50: 2, p99: 1 };

/** What is drawn where, and what a subtitle says of it. */
interface Layout extends Pick<ChartDefinition, "panels" | "series"> {
  readonly rules: readonly ChartRule[];
  readonly about: string;
}

/** A panel for each metric, in which each target has bars. */
function panelPerMetric({ scenario }: Result, targets: readonly TargetJudgement[], axis: ChangeAxis): Layout {
  const only = targets.length === 1 ? targets[0] : undefined;
  return {
    panels: COMPARED_METRICS.map((key) => `${key} (${SCALES[key].worse === "lower" ? "higher" : "lower"} is better)`),
    about: only === undefined ? "level by level" : only.other,
    series: targets.flatMap((target) =>
      COMPARED_METRICS.map((key, panel): ChartSeries => ({
        name: nameSides(target, targets),
        shape: "bar",
        // That of the target in other charts, unless it is compared with several.
        colorIndex: isComparedOnce(targets)
          ? Math.max(
              0,
              scenario.targets.findIndex(({ name }) => name === target.other),
            )
          : targets.indexOf(target),
        dash: "solid",
        panel,
        points: pointsOf(target, key, axis),
      })),
    ),
    rules: COMPARED_METRICS.flatMap((key, panel) => [
      noChange(panel, axis),
      ...marginRules(scenario.margin, [key], panel, axis),
    ]),
  };
}

function isComparedOnce(targets: readonly TargetJudgement[]): boolean {
  return new Set(targets.map(({ other }) => other)).size === targets.length;
}

/** A panel for each target, in which each metric has bars. */
function panelPerTarget({ scenario }: Result, targets: readonly TargetJudgement[], axis: ChangeAxis): Layout {
  const { panels, about } = panelPerCurve(targets.map((target) => nameSides(target, targets)));
  return {
    panels,
    about: about("throughput: higher is better, p50 and p99: lower"),
    series: targets.flatMap((target, panel) =>
      COMPARED_METRICS.map((key): ChartSeries => ({
        name: key,
        shape: "bar",
        colorIndex: METRIC_COLORS[key],
        dash: "solid",
        panel,
        points: pointsOf(target, key, axis),
      })),
    ),
    rules: targets.flatMap((_, panel) => [
      noChange(panel, axis),
      ...marginRules(scenario.margin, ["throughput", "p99"], panel, axis),
    ]),
  };
}

function noChange(panel: number, { at }: ChangeAxis): ChartRule {
  return { panel, y: at(0), label: "" };
}

function marginRules(
  margin: number | null,
  metrics: readonly ComparedMetric[],
  panel: number,
  { at }: ChangeAxis,
): readonly ChartRule[] {
  if (margin === null || margin === 0) return [];
  return metrics.map((key) => ({
    panel,
    y: at(SCALES[key].bound({ margin, errorMargin: 0 })),
    label: "margin",
  }));
}

/** A change without an interval is left out: a bar alone would look certain. */
function pointsOf(target: TargetJudgement, key: ComparedMetric, { at, y }: ChangeAxis): readonly ChartPoint[] {
  // A factor of 0, as of a throughput that came to nothing, has no place on a logarithmic axis.
  const isDrawn = (change: number): boolean => y.scale !== "log" || at(change) > 0;
  return target.levels.map((row): ChartPoint => {
    const { change, interval } = row[key];
    const x = placeOf(target)(row);
    if (change === null || interval === null || ![change, interval.low, interval.high].every(isDrawn))
      return { x, y: null };
    return { x, y: at(change), low: at(interval.low), high: at(interval.high) };
  });
}

/** The reference, where all have the same. */
function describeReference(targets: readonly TargetJudgement[]): string {
  const [first, ...others] = new Set(targets.map(({ reference }) => reference));
  return first === undefined || others.length > 0 ? "another target" : first;
}

/** The name of a target, and what it is compared with where that is not the same for all. */
function nameSides({ reference, other }: TargetJudgement, all: readonly TargetJudgement[]): string {
  return all.every((target) => target.reference === reference) ? other : `${other} against ${reference}`;
}

/** What fell to 0 has no place on a logarithmic axis, and must not go unnoticed. */
function describeNothing(targets: readonly TargetJudgement[], { y }: ChangeAxis): string {
  const fallen = targets.filter(({ levels }) => levels.some(({ throughput }) => throughput.change === -1));
  return y.scale !== "log" || fallen.length === 0
    ? ""
    : `not drawn: throughput that came to nothing, of ${fallen.map(({ other }) => plainLine(other)).join(", ")}`;
}

/** Says where there is no bar for want of an interval, and that a bar of no length is no missing one. */
function describeMissing(targets: readonly TargetJudgement[]): readonly string[] {
  const missing = targets.flatMap((target) => {
    const byReason = groupBy(
      target.levels.flatMap((row) => {
        const lacking = COMPARED_METRICS.filter((key) => row[key].interval === null);
        const [key] = lacking;
        if (key === undefined) return [];
        const figures = lacking.length === COMPARED_METRICS.length ? "" : `${lacking.join(" and ")} `;
        return [{ row, words: `${figures}${shortReason(row[key])}` }];
      }),
      ({ words }) => words,
    );
    return [...byReason].map(([words, rows]) => {
      const isAll = rows.length === target.levels.length;
      const where = isAll ? "" : ` at ${rows.map(({ row }) => placeOf(target)(row)).join(" / ")}`;
      return `no bar: ${plainLine(nameSides(target, targets))}${where} (${words})`;
    });
  });
  const isUnchanged = targets.some(({ levels }) =>
    levels.some((level) => COMPARED_METRICS.some((key) => level[key].interval !== null && level[key].change === 0)),
  );
  return [...missing, ...(isUnchanged ? ["no bar but a whisker: no change"] : [])];
}

function shortReason({ change, reason }: MarginComparison): string {
  if (change === null) return "not measured on both sides";
  return reason === "TOO_FEW_TRIALS" || reason === "SINGLE_TRIAL" ? "too few trials for an interval" : "not compared";
}

/** The load, and the amount as well where a matrix has several of one load. */
export function placeOf({ levels }: TargetJudgement): (row: LevelJudgement) => string {
  const hasAmounts = distinctAmounts(levels.map(({ level }) => level)).length > 1;
  return ({ level }) =>
    hasAmounts ? `${formatCount(loadValue(level))}, ${describeAmount(level)}` : formatCount(loadValue(level));
}

/** Says of each metric how far it changes, and at how many levels that is more than noise. */
export function describeTarget(target: TargetJudgement, all: readonly TargetJudgement[]): string {
  const { levels } = target;
  const parts = COMPARED_METRICS.flatMap((key) => {
    const changes = levels.flatMap((level) => (level[key].interval === null ? [] : (level[key].change ?? [])));
    if (changes.length === 0) return [];
    const [least, most] = [Math.min(...changes), Math.max(...changes)].map(formatChange);
    const span = least === most ? least : `${least} to ${most}`;
    return [`${key} ${span}${describeClear(levels.map((level) => level[key]))}`];
  });
  return `${nameSides(target, all)}: ${parts.join("; ")}.`;
}

/** At how many levels there is more than noise. */
function describeClear(comparisons: readonly MarginComparison[]): string {
  const words = (["faster", "slower"] as const).flatMap((word) => {
    const count = comparisons.filter(({ verdict }) => verdict === word).length;
    return count === 0 ? [] : [`${word} at ${formatCount(count)} of ${countOf(comparisons.length, "level")}`];
  });
  return words.length === 0 ? " (no clear difference)" : ` (${words.join(", ")})`;
}

/** Metrics that change in percent; of failed requests it would be in percent of often nothing. */
const COMPARED_METRICS = METRIC_WORDS.flatMap(({ key }) => (key === "errors" ? [] : [key]));

/** One of {@link COMPARED_METRICS}. */
export type ComparedMetric = (typeof COMPARED_METRICS)[number];

/** Beyond these changes, a linear axis squeezes the others together. */
const LINEAR_CHANGES = { low: -0.7, high: 1.5 };

/** How a change (a ratio less one) is drawn. */
interface ChangeAxis {
  readonly y: ChartDefinition["y"];
  readonly at: (change: number) => number;
}

const PERCENT: ChangeAxis = {
  y: { label: "change (%)", scale: "linear", base: 0 },
  at: (change) => 100 * change,
};

const TIMES: ChangeAxis = {
  y: { label: "times the reference (log scale)", scale: "log", base: 1 },
  at: (change) => 1 + change,
};

/** In percent, or as a factor where changes are too far apart for that. */
function chooseChangeAxis(targets: readonly TargetJudgement[]): ChangeAxis {
  const changes = targets
    .flatMap(({ levels }) => levels.flatMap((level) => COMPARED_METRICS.map((key) => level[key])))
    .flatMap(({ change, interval }) => (interval === null ? [] : [change ?? 0, interval.low, interval.high]));
  return Math.min(...changes) < LINEAR_CHANGES.low || Math.max(...changes) > LINEAR_CHANGES.high ? TIMES : PERCENT;
}
