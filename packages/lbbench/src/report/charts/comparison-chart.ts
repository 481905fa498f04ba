import {
  intervalOf,
  type LevelJudgement,
  type MarginComparison,
  type ReferenceComparison,
  type TargetJudgement,
} from "../../judge/compare-targets.js";
import { type ComparedMetric, SCALES, speedsOf } from "../../judge/metrics.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { describeAmount, distinctAmounts, loadWords } from "../describe-level.js";
import { formatCount } from "../../stats/format-number.js";
import { plainLine } from "../plain-line.js";
import type { ChartPoint, ChartRow, ChartRule, RowSeries } from "./chart-definition.js";
import type { Sweep } from "./curves.js";

/** Metrics that change in percent; of failed requests it would be in percent of often nothing. All levels of a run have the same. */
function metricsOf({ levels }: TargetJudgement): readonly ComparedMetric[] {
  return levels[0] === undefined ? [] : speedsOf(levels[0].level);
}

/** How the speeds change against the reference, with the interval of each change; none where fewer than half of the levels have one. */
export function comparisonChart({ result }: Sweep, { targets }: ReferenceComparison): readonly ChartRow[] {
  const shown = targets.filter((target) => {
    const drawn = target.levels.filter((row) => metricsOf(target).some((key) => intervalOf(row[key]) !== null));
    return drawn.length > 0 && drawn.length * 2 >= target.levels.length;
  });
  const [first] = shown;
  if (first === undefined) return [];
  const axis = chooseChangeAxis(shown);
  const metrics = metricsOf(first);
  const isSameReference = shown.every(({ reference }) => reference === first.reference);
  const isComparedOnce = new Set(shown.map(({ other }) => other)).size === shown.length;
  const { margin } = result.scenario;
  const placeIn = result.scenario.targets.map(({ name }) => name);
  const better = (key: ComparedMetric): string => (SCALES[key].worse === "lower" ? "higher" : "lower");
  const lineAt = (panel: number, change: number, label: string): ChartRule => ({ panel, y: axis.at(change), label });
  return [
    {
      id: "comparison",
      title: `Change against ${isSameReference ? first.reference : "another target"}`,
      about: shown.length === 1 ? first.other : "level by level",
      whiskers: "95 % interval of the change",
      notes: describeMissing(targets, axis),
      x: {
        label: loadWords(first.levels.map(({ level }) => level)).axis,
        scale: "category",
        ticks: first.levels.map((row) => placeOf(first, row)),
      },
      y: axis.y,
      panels: metrics.map((key) => `${key} (${better(key)} is better)`),
      series: shown.flatMap((target, at) =>
        metrics.map((key, panel): RowSeries => ({
          name: nameSides(target, shown),
          shape: "bar",
          // That of the target in other charts, unless it is compared with several.
          colorIndex: isComparedOnce ? Math.max(0, placeIn.indexOf(target.other)) : at,
          panel,
          points: target.levels.map((row) => changePoint(placeOf(target, row), row[key], axis)),
        })),
      ),
      rules: metrics.flatMap((key, panel) => [
        lineAt(panel, 0, ""),
        ...(margin ? [lineAt(panel, SCALES[key].bound({ margin, errorMargin: 0 }), "margin")] : []),
      ]),
    },
  ];
}

/** A change without an interval is left out: a bar alone would look certain. */
function changePoint(x: string, figures: MarginComparison | undefined, { at, y }: ChangeAxis): ChartPoint {
  const [change, interval] = [figures?.change ?? null, intervalOf(figures)];
  // A factor of 0, as of a throughput that came to nothing, has no place on a logarithmic axis.
  const isDrawn = (one: number): boolean => y.scale !== "log" || at(one) > 0;
  if (change === null || interval === null || ![change, interval.low, interval.high].every(isDrawn))
    return { x, y: null };
  return { x, y: at(change), low: at(interval.low), high: at(interval.high) };
}

/** The name of a target, and what it is compared with where that is not the same for all. */
function nameSides({ reference, other }: TargetJudgement, all: readonly TargetJudgement[]): string {
  return all.every((target) => target.reference === reference) ? other : `${other} against ${reference}`;
}

/** Says where there is no bar: for want of an interval, or of a place for 0 on a logarithmic axis; and that a bar of no length is no missing one. */
function describeMissing(targets: readonly TargetJudgement[], axis: ChangeAxis): readonly string[] {
  const missing = targets.flatMap((target) => {
    const metrics = metricsOf(target);
    const lacking = metrics.flatMap((key) => {
      const rows = target.levels.filter((row) => changePoint("", row[key], axis).y === null);
      const places = rows.map((row) => placeOf(target, row)).join(" / ");
      return rows.length === 0 ? [] : [{ key, where: rows.length === target.levels.length ? "every level" : places }];
    });
    return [...groupBy(lacking, ({ where }) => where)].map(([where, those]) => {
      const named = those.length === metrics.length ? "" : `, ${those.map(({ key }) => key).join(" and ")}`;
      return `no bar: ${plainLine(nameSides(target, targets))}${named} at ${where} (no interval, or a fall to 0)`;
    });
  });
  const isUnchanged = targets
    .flatMap(changesOf)
    .some((figures) => intervalOf(figures) !== null && figures.change === 0);
  return [...missing, ...(isUnchanged ? ["no bar but a whisker: no change"] : [])];
}

function changesOf(target: TargetJudgement): readonly MarginComparison[] {
  return target.levels.flatMap((row) => metricsOf(target).flatMap((key) => row[key] ?? []));
}

function placeOf({ levels }: TargetJudgement, { level }: LevelJudgement): string {
  const hasAmounts = distinctAmounts(levels.map((row) => row.level)).length > 1;
  const load = formatCount(loadValue(level));
  return hasAmounts ? `${load}, ${describeAmount(level)}` : load;
}

/** Beyond these changes, a linear axis squeezes the others together. */
const LINEAR_CHANGES = { low: -0.7, high: 1.5 };

type ChangeAxis = ReturnType<typeof chooseChangeAxis>;

/** In percent, or as a factor where changes are too far apart for that. */
function chooseChangeAxis(targets: readonly TargetJudgement[]) {
  const changes = targets.flatMap(changesOf).flatMap((figures) => {
    const interval = intervalOf(figures);
    return interval === null ? [] : [figures.change ?? 0, interval.low, interval.high];
  });
  const isWide = Math.min(...changes) < LINEAR_CHANGES.low || Math.max(...changes) > LINEAR_CHANGES.high;
  return isWide
    ? { y: { label: "times the reference", scale: "log", base: 1 } as const, at: (change: number) => 1 + change }
    : { y: { label: "change (%)", scale: "linear", base: 0 } as const, at: (change: number) => 100 * change };
}
