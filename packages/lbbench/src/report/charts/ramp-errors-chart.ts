import type { Result } from "../../model/result.js";
import { perSecond } from "../../stats/ramp-seconds.js";
import { formatCount, formatRate } from "../format-number.js";
import { collectRamps } from "../ramps.js";
import type { TargetRamp } from "../ramps.js";
import type { ChartDefinition, ChartSeries } from "./chart-definition.js";
import { panelPerCurve } from "./panel-per-curve.js";
import { rampMarks } from "./ramp-marks.js";
import { lastSecond, mostUsers, pointsOf, rampSubtitle, USERS_AXIS, usersSeries } from "./ramp-series.js";
import { occurringFailures } from "./ramp-throughput-chart.js";
import { secondAxis } from "./second-axis.js";
import { countOf } from "../../stats/count-of.js";

/** Failures that are a smaller part of the ok responses than this lie along the bottom of the chart of both. */
const HARD_TO_SEE = 0.1;

/**
 * Returns failed requests by second and class on an axis of their own, a panel per target in which something failed; none when
 * nothing failed, and where the chart of throughput, which has them too, shows them as well.
 */
export function rampErrorsChart(result: Result): readonly ChartDefinition[] {
  const all = collectRamps(result);
  const ramps = all.filter(({ seconds }) => seconds.some(({ failed }) => failed > 0));
  const highest = (count: "ok" | "failed", of: readonly TargetRamp[]): number =>
    Math.max(0, ...of.flatMap(({ seconds }) => seconds.map((second) => perSecond(second, second[count]))));
  const isSeen = ramps.every((ramp) => highest("failed", [ramp]) >= HARD_TO_SEE * highest("ok", all));
  if (isSeen) return [];
  const panelled = panelPerCurve(ramps.map(({ cell }) => cell.target));
  return [
    {
      id: "errors",
      title: `Failed requests by second as users rise to ${formatCount(mostUsers(ramps))}`,
      subtitle: rampSubtitle(result, ramps, panelled.about("by class; lower is better")),
      alt: `Failed requests per second, second by second. ${ramps.map(describeWorst).join(" ")}`,
      x: secondAxis(lastSecond(ramps)),
      y: { label: "failed requests per second", scale: "linear" },
      right: USERS_AXIS,
      panels: panelled.panels,
      series: ramps.flatMap((ramp, panel) => [
        ...occurringFailures(ramps).map(({ name, colorIndex, count }): ChartSeries => ({
          name,
          shape: "line",
          dense: true,
          colorIndex,
          dash: "solid",
          panel,
          points: pointsOf(ramp.seconds, (second) => perSecond(second, count(second))),
        })),
        usersSeries(ramp, panel),
      ]),
      ...rampMarks(result, ramps),
    },
  ];
}

function describeWorst({ cell, seconds }: TargetRamp): string {
  const failing = seconds.filter(({ failed }) => failed > 0);
  const [first] = failing;
  if (first === undefined) return `${cell.target}: nothing failed.`;
  const worst = failing.reduce((a, b) => (perSecond(b, b.failed) > perSecond(a, a.failed) ? b : a), first);
  return `${cell.target}: in ${formatCount(failing.length)} of ${countOf(seconds.length, "second")}, at most ${formatRate(perSecond(worst, worst.failed))} in second ${formatCount(worst.second)} with ${countOf(worst.users, "user")}.`;
}
