import type { TargetJudgement } from "../../judge/compare-targets.js";
import { SCALES } from "../../judge/metrics.js";
import type { Result } from "../../model/result.js";
import type { ChangeAxis } from "./change-axis.js";
import type { ChartDefinition, ChartPoint, ChartRule, ChartSeries } from "./chart-definition.js";
import { COMPARED_METRICS, type ComparedMetric } from "./compared-metrics.js";
import { nameSides, placeOf } from "./comparison-words.js";
import { panelPerCurve } from "./panel-per-curve.js";

/** Colours of the metrics where each target has a panel. */
const METRIC_COLORS: Readonly<Record<ComparedMetric, number>> = { throughput: 0, p50: 2, p99: 1 };

/** What is drawn where, and what a subtitle says of it. */
interface Layout extends Pick<ChartDefinition, "panels" | "series"> {
  readonly rules: readonly ChartRule[];
  readonly about: string;
}

/** A panel for each metric, in which each target has bars. */
export function panelPerMetric({ scenario }: Result, targets: readonly TargetJudgement[], axis: ChangeAxis): Layout {
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
export function panelPerTarget({ scenario }: Result, targets: readonly TargetJudgement[], axis: ChangeAxis): Layout {
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
