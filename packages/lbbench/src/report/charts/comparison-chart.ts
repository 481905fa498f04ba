import type { Result } from "../../model/result.js";
import { loadWords } from "../describe-level.js";
import { compareOf } from "../reference-comparison.js";
import { chooseChangeAxis } from "./change-axis.js";
import type { ChartDefinition } from "./chart-definition.js";
import { panelPerMetric, panelPerTarget } from "./comparison-layout.js";
import { COMPARED_METRICS } from "./compared-metrics.js";
import { describeMissing, describeNothing, describeReference, describeTarget, placeOf } from "./comparison-words.js";
import { joinNotes } from "./join-notes.js";

/** With more targets than this, bars of each in a panel per metric cannot be told apart. */
const MOST_TARGETS_IN_A_PANEL = 4;

/**
 * Returns how throughput, p50 and p99 of the other targets change against the reference, level by level, with the interval of
 * each change; none where no interval can be given, as with too few trials.
 */
export function comparisonChart(result: Result): readonly ChartDefinition[] {
  const { targets } = compareOf(result);
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
