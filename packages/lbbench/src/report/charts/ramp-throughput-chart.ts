import type { Result } from "../../model/result.js";
import { perSecond } from "../../stats/ramp-seconds.js";
import type { RampSecond } from "../../stats/ramp-seconds.js";
import { FAILURES } from "../../model/outcomes.js";
import { formatCount, formatRate } from "../format-number.js";
import { collectRamps } from "../ramps.js";
import type { TargetRamp } from "../ramps.js";
import type { ChartDefinition, ChartPoint } from "./chart-definition.js";
import { panelPerCurve } from "./panel-per-curve.js";
import { rampMarks } from "./ramp-marks.js";
import { lastSecond, mostUsers, pointsOf, rampSubtitle, USERS_AXIS, usersSeries } from "./ramp-series.js";
import { secondAxis } from "./second-axis.js";
import { countOf } from "../../stats/count-of.js";

/** A line of the chart: what it is of a second, as a count. */
export interface Line {
  readonly name: string;
  readonly colorIndex: number;
  readonly dash: "solid" | "dashed";
  readonly count: (second: RampSecond) => number;
}

const OK: Line = { name: "ok", colorIndex: 0, dash: "solid", count: ({ ok }) => ok };

/** Colours after that of `ok`, in the order of the classes; what is not told apart comes last. */
const FAILURE_LINES: readonly Line[] = [
  ...FAILURES.map(({ key, label }, index): Line => ({
    name: label,
    colorIndex: index + 1,
    dash: "dashed",
    count: ({ failures }) => failures[key] ?? 0,
  })),
  {
    name: "failed, not told how",
    colorIndex: 1,
    dash: "dashed",
    count: ({ failed, failures }) => (Object.keys(failures).length === 0 ? failed : 0),
  },
];

/** Returns the ways in which requests of some ramps failed, each with its colour; none when nothing failed. */
export function occurringFailures(ramps: readonly TargetRamp[]): readonly Line[] {
  return FAILURE_LINES.filter(({ count }) => ramps.some(({ seconds }) => seconds.some((one) => count(one) > 0)));
}

/** Returns ok responses and failures by second while users come, a panel per target; none for other loads. */
export function rampThroughputChart(result: Result): readonly ChartDefinition[] {
  const ramps = collectRamps(result);
  if (ramps.every(({ seconds }) => seconds.every(({ ok, failed }) => ok + failed === 0))) return [];
  const occurring = occurringFailures(ramps);
  const panelled = panelPerCurve(ramps.map(({ cell }) => cell.target));
  return [
    {
      id: "throughput",
      title: `${occurring.length === 0 ? "Throughput" : "Ok responses and failures"} by second as users rise to ${formatCount(mostUsers(ramps))}`,
      subtitle: rampSubtitle(result, ramps, panelled.about("ok responses: higher is better")),
      alt: `Requests per second, second by second. ${ramps.map(describeCourse).join(" ")}`,
      x: secondAxis(lastSecond(ramps)),
      y: { label: "requests per second", scale: "linear" },
      right: USERS_AXIS,
      panels: panelled.panels,
      series: ramps.flatMap((ramp, panel) => [
        ...[OK, ...occurring].map((line) => ({
          name: line.name,
          shape: "line" as const,
          dense: true,
          colorIndex: line.colorIndex,
          dash: line.dash,
          panel,
          points: line === OK ? ratesOf(ramp, line) : withoutIdleZeros(ratesOf(ramp, line)),
        })),
        usersSeries(ramp, panel),
      ]),
      ...rampMarks(result, ramps),
    },
  ];
}

function ratesOf({ seconds }: TargetRamp, { count }: Line): readonly ChartPoint[] {
  return pointsOf(seconds, (second) => perSecond(second, count(second)));
}

/** A line along the bottom, where nothing of the kind happens, would only hide others. */
function withoutIdleZeros(points: readonly ChartPoint[]): readonly ChartPoint[] {
  return points.map((point, index) =>
    [points[index - 1], point, points[index + 1]].some((near) => (near?.y ?? 0) > 0) ? point : { ...point, y: null },
  );
}

function describeCourse({ cell, seconds }: TargetRamp): string {
  const [first, ...others] = seconds;
  if (first === undefined) return `${cell.target}: no measurement.`;
  const best = others.reduce((a, b) => (perSecond(b, b.ok) > perSecond(a, a.ok) ? b : a), first);
  const failing = seconds.find(({ failed }) => failed > 0);
  const failures =
    failing === undefined
      ? "nothing failed"
      : `requests failed from second ${formatCount(failing.second)} on, with ${countOf(failing.users, "user")}`;
  return `${cell.target}: at most ${formatRate(perSecond(best, best.ok))} ok responses, in second ${formatCount(best.second)}; ${failures}.`;
}
