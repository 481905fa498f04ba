import type { ChartDefinition, ChartPoint } from "./chart-definition.js";
import { groupBy } from "../../stats/group-by.js";
import { linearTicks, logTicks } from "./round-numbers.js";
import type { ValueTicks } from "./round-numbers.js";

const MOST_STEPS = 8;
const MOST_STEPS_IN_A_PANEL = 4;
/** The words of a rule stand beyond it. */
const ROOM_FOR_WORDS = 1.08;

/** Returns the ends and ticks of the value axis that hold every point, whisker and stack of bars of all panels. */
export function valueTicks({ series, y, panels, rules = [] }: ChartDefinition): ValueTicks {
  const lines = series
    .filter(({ stack, shape }) => stack === undefined && shape !== "area")
    .flatMap(({ points }) => points.flatMap(extent));
  const bars = series.filter(({ stack }) => stack !== undefined);
  const stackPoints = bars.flatMap(({ panel, stack, points }) =>
    points.map((point) => ({ key: JSON.stringify([panel, stack, point.x]), high: Math.max(0, ...extent(point)) })),
  );
  const heights = [...groupBy(stackPoints, ({ key }) => key).values()].map((group) =>
    group.reduce((sum, { high }) => sum + high, 0),
  );
  const bases = y.base === undefined ? [] : [y.base];
  const ruled = rules.map((rule) => rule.y * (rule.label === "" || y.scale === "log" ? 1 : ROOM_FOR_WORDS));
  const all = [...lines, ...heights, ...ruled, ...bases];
  const values = all.filter((value) => y.scale !== "log" || value > 0);
  const largest = values.reduce((max, value) => Math.max(max, value), 0);
  if (y.scale === "log" && largest > 0) {
    const smallest = values.reduce((min, value) => Math.min(min, value), largest);
    return logTicks(smallest, largest);
  }
  const smallest = values.reduce((min, value) => Math.min(min, value), 0);
  return linearTicks(largest, panels.length > 1 ? MOST_STEPS_IN_A_PANEL : MOST_STEPS, smallest);
}

/** Returns the ends and ticks of the axis on the right that hold every point of the areas. */
export function rightTicks({ series }: ChartDefinition): ValueTicks {
  const areas = series.filter(({ shape }) => shape === "area").flatMap(({ points }) => points.flatMap(extent));
  return linearTicks(
    areas.reduce((max, value) => Math.max(max, value), 0),
    MOST_STEPS_IN_A_PANEL,
  );
}

function extent({ y, low, high, outliers = [] }: ChartPoint): number[] {
  return [y, low, high, ...outliers].filter((value) => typeof value === "number");
}
