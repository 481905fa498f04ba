import type { Result } from "../../model/result.js";
import { loadValue } from "../../stats/load.js";
import type { RampSecond } from "../../stats/ramp-seconds.js";
import { formatCount, formatTime } from "../format-number.js";
import { collectRamps } from "../ramps.js";
import type { TargetRamp } from "../ramps.js";
import { chooseScale } from "./axis-scale.js";
import type { ChartDefinition, ChartSeries } from "./chart-definition.js";
import { panelPerCurve } from "./panel-per-curve.js";
import { rampMarks } from "./ramp-marks.js";
import { lastSecond, mostUsers, pointsOf, rampSubtitle, USERS_AXIS, usersSeries } from "./ramp-series.js";
import { secondAxis } from "./second-axis.js";
import { countOf } from "../../stats/count-of.js";

type Figure = "p50" | "p90" | "p99" | "max";

/** The last is drawn first, so that the median lies on top. */
const LINES: readonly { readonly key: Figure; readonly colorIndex: number; readonly dash: ChartSeries["dash"] }[] = [
  { key: "p50", colorIndex: 0, dash: "solid" },
  { key: "p90", colorIndex: 2, dash: "solid" },
  { key: "p99", colorIndex: 1, dash: "solid" },
  { key: "max", colorIndex: 6, dash: "dotted" },
];

/** Returns latency by second while users come, a panel per target; none for other loads, and when nothing was answered. */
export function rampLatencyChart(result: Result): readonly ChartDefinition[] {
  const ramps = collectRamps(result);
  const values = ramps.flatMap(({ seconds }) =>
    seconds.flatMap((second) => LINES.flatMap(({ key }) => second[key] ?? [])),
  );
  if (values.length === 0) return [];
  const scale = chooseScale(values);
  const lines = LINES.filter(({ key }) => ramps.some(({ seconds }) => seconds.some((second) => second[key] !== null)));
  const panelled = panelPerCurve(ramps.map(panelTitle));
  return [
    {
      id: "latency",
      title: `Latency by second as users rise to ${formatCount(mostUsers(ramps))}`,
      subtitle: rampSubtitle(result, ramps, panelled.about("ok responses, lower is better")),
      alt: `Latency of ok responses in milliseconds, second by second. ${ramps.map(describeCourse).join(" ")}`,
      x: secondAxis(lastSecond(ramps)),
      y: { label: scale === "log" ? "latency (ms, log scale)" : "latency (ms)", scale },
      right: USERS_AXIS,
      panels: panelled.panels,
      series: ramps.flatMap((ramp, panel) => [
        ...lines.map(({ key, colorIndex, dash }) => ({
          name: key,
          shape: "line" as const,
          dense: true,
          colorIndex,
          dash,
          panel,
          points: pointsOf(ramp.seconds, (second) => second[key]),
        })),
        usersSeries(ramp, panel),
      ]),
      ...rampMarks(result, ramps),
    },
  ];
}

function panelTitle({ cell, seconds }: TargetRamp): string {
  return seconds.some(({ p50 }) => p50 !== null) ? cell.target : `${cell.target}: no ok response`;
}

function describeCourse({ cell, seconds }: TargetRamp): string {
  const answered = seconds.filter((second): second is RampSecond & { readonly p50: number } => second.p50 !== null);
  const [first, last] = [answered[0], answered.at(-1)];
  if (first === undefined || last === undefined) return `${cell.target}: no ok response.`;
  const course = `median ${formatTime(first.p50)} with ${countOf(first.users, "user")}, ${formatTime(last.p50)} with ${formatCount(last.users)}`;
  const isCut = last.users < loadValue(cell.level);
  return `${cell.target}: ${course}${isCut ? ", then no ok response" : ""}.`;
}
