import type { Result } from "../../model/result.js";
import { loadValue } from "../../stats/load.js";
import { formatCount } from "../format-number.js";
import type { TargetRamp } from "../ramps.js";
import type { ChartAxis, ChartPoint, ChartSeries } from "./chart-definition.js";
import { chartSubtitle } from "./chart-subtitle.js";
import type { RampSecond } from "../../stats/ramp-seconds.js";

/** The axis that users have, on the right. */
export const USERS_AXIS: ChartAxis = { label: "users", scale: "linear" };

/** Returns the users of a ramp as the quiet area behind the lines of a panel. */
export function usersSeries({ seconds }: TargetRamp, panel: number): ChartSeries {
  return {
    name: "users",
    shape: "area",
    // An area is grey, whatever its index.
    colorIndex: 0,
    dash: "solid",
    panel,
    points: pointsOf(seconds, ({ users }) => users),
  };
}

/** Returns a point for every second. */
export function pointsOf(
  seconds: readonly RampSecond[],
  value: (second: RampSecond) => number | null,
): readonly ChartPoint[] {
  return seconds.map((one) => ({ x: one.second, y: value(one) }));
}

/** Returns the last second of some ramps. */
export function lastSecond(ramps: readonly TargetRamp[]): number {
  return Math.max(0, ...ramps.flatMap(({ seconds }) => seconds.at(-1)?.second ?? []));
}

/** Returns how many users there are in the end. */
export function mostUsers(ramps: readonly TargetRamp[]): number {
  return Math.max(0, ...ramps.map(({ cell }) => loadValue(cell.level)));
}

/** Joins the scenario's name, what the chart is about and, with several trials, what is drawn of them. */
export function rampSubtitle(result: Result, ramps: readonly TargetRamp[], about: string): string {
  const trials = Math.max(0, ...ramps.map(({ cell }) => cell.measurements.length));
  const median = trials > 1 ? [`median of ${formatCount(trials)} trials in each second`] : [];
  return chartSubtitle(result, [about, ...median].join(" · "), false);
}
