import { range, sumOf } from "../../stats/descriptive.js";
import { groupBy } from "../../stats/group-by.js";
import type { AxisName, ChartAxis, ChartDefinition, ChartPoint, ChartSeries } from "./chart-definition.js";

/** Returns what an axis shows: `latency (ms)`. */
export function axisLabel({ label, unit }: AxisName): string {
  return unit === undefined ? label : `${label} (${unit})`;
}

/** Returns what stands beside an axis, which says so where its scale is logarithmic: `latency (ms, log scale)`. */
export function axisTitle({ label, unit, scale }: ChartAxis): string {
  if (scale !== "log") return axisLabel({ label, unit });
  return axisLabel({ label, unit: unit === undefined ? "log scale" : `${unit}, log scale` });
}

/** From this ratio of largest to smallest on, a linear axis squeezes the small values together. */
const LOG_FROM_RATIO = 20;

/** Says whether values span so much that a logarithmic axis reads better; `linear` when one of them is not positive. */
export function chooseScale(values: readonly number[]): "linear" | "log" {
  const { low, high } = range(values.length === 0 ? [0] : values);
  return low > 0 && high / low > LOG_FROM_RATIO ? "log" : "linear";
}

const MOST_STEPS = 8;
const MOST_STEPS_IN_A_PANEL = 4;
/** The words of a rule stand beyond it. */
const ROOM_FOR_WORDS = 1.08;

/** Returns the id of the value axis of a panel. */
export function panelAxisId(panel: number, side: "left" | "right" = "left"): string {
  return `${side === "left" ? "y" : "right"}${panel}`;
}

/** Says whether bars of a series stand on those of others, or others on them. */
export function isPieceOfStack(one: ChartSeries, all: readonly ChartSeries[]): boolean {
  return (
    one.stack !== undefined &&
    all.some((other) => other !== one && other.panel === one.panel && other.stack === one.stack)
  );
}

/** Returns the ends and ticks of the value axis that hold every point, whisker and stack of bars of all panels, up to where it is cut. */
export function valueTicks({ series, y, panels, rules = [] }: ChartDefinition): ValueTicks {
  const lines = series
    .filter((one) => one.shape !== "area" && !isPieceOfStack(one, series))
    .flatMap(({ points }) => points.flatMap(extent));
  const bars = series.filter(({ stack }) => stack !== undefined);
  const stackPoints = bars.flatMap(({ panel, stack, points }) =>
    points.map((point) => ({ key: JSON.stringify([panel, stack, point.x]), high: Math.max(0, ...extent(point)) })),
  );
  const stacks = groupBy(stackPoints, ({ key }) => key).values();
  const heights = [...stacks].map((points) => sumOf(points, ({ high }) => high));
  const ruled = rules.map((rule) => rule.y * (rule.label === "" || y.scale === "log" ? 1 : ROOM_FOR_WORDS));
  const { cut = Infinity } = y;
  const all = [...lines, ...heights, ...ruled, y.base ?? [], y.end ?? []].flat().map((value) => Math.min(value, cut));
  const positive = all.filter((value) => value > 0);
  if (y.scale === "log" && positive.length > 0) {
    const { low, high } = range(positive);
    return logTicks(low, high);
  }
  const { low, high } = range([0, ...all]);
  return linearTicks(high, panels.length > 1 ? MOST_STEPS_IN_A_PANEL : MOST_STEPS, y.scale === "log" ? 0 : low);
}

/** Returns the ends and ticks of the axis on the right that hold every point of the areas. */
export function rightTicks({ series }: ChartDefinition): ValueTicks {
  const areas = series.filter(({ shape }) => shape === "area").flatMap(({ points }) => points.flatMap(extent));
  return linearTicks(range([0, ...areas]).high, MOST_STEPS_IN_A_PANEL);
}

function extent({ y, low, high, outliers = [] }: ChartPoint): number[] {
  return [y, low, high, ...outliers].filter((value) => typeof value === "number");
}

/** A tick, and where along its axis it stands: its middle and the width of its words, in pixels. */
export interface PlacedTick {
  readonly value: number;
  readonly pixel: number;
  readonly width: number;
}

/** Leaves out ticks (rising) whose words would run into those of another; the first and the last always stay. */
export function thinTicks(ticks: readonly PlacedTick[], distance: number): readonly number[] {
  const last = ticks.at(-1);
  if (last === undefined) return [];
  const isClear = (a: PlacedTick, b: PlacedTick): boolean => b.pixel - a.pixel >= (a.width + b.width) / 2 + distance;
  const kept = ticks.slice(0, -1).reduce<readonly PlacedTick[]>((sofar, tick) => {
    const before = sofar.at(-1);
    return before === undefined || (isClear(before, tick) && isClear(tick, last)) ? [...sofar, tick] : sofar;
  }, []);
  const [first] = kept;
  const both = first === undefined || isClear(first, last) ? [...kept, last] : kept;
  return both.map(({ value }) => value);
}

/** Numbers people like on an axis: 1, 2 and 5 times powers of ten. */
const MANTISSAS = [1, 2, 5] as const;
/** Over more decades than this, 2 and 5 would crowd a logarithmic axis. */
const DECADES_WITH_MANTISSAS = 3;

/** Times a power of ten at which there is room for a tick beside it. */
const CLEAR_OF_A_POWER = 5;

/** A value axis: its ends, and where its ticks are. */
interface ValueTicks {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
}

/** Returns round ticks from 0, or from below `smallest`, to at least `largest`, with at most `most` steps; 0 to 1 when everything is 0. */
export function linearTicks(largest: number, most: number, smallest = 0): ValueTicks {
  const [top, bottom] = [Math.max(0, largest), Math.min(0, smallest)];
  const goal = top - bottom > 0 ? top - bottom : 1;
  const magnitude = 10 ** Math.floor(Math.log10(goal / most));
  const step = magnitude * ([1, 2, 2.5, 5, 10].find((mantissa) => mantissa * magnitude * most >= goal) ?? 10);
  const below = Math.ceil(roundOff(-bottom / step));
  const above = Math.ceil(roundOff((bottom < 0 ? top : goal) / step));
  const ticks = Array.from({ length: below + above + 1 }, (_, index) => roundOff((index - below) * step));
  return { min: below === 0 ? 0 : roundOff(-below * step), max: roundOff(above * step), ticks };
}

/** Returns ticks at 1, 2 and 5 times powers of ten (or powers alone) that enclose two positive numbers. */
export function logTicks(smallest: number, largest: number): ValueTicks {
  const first = Math.floor(Math.log10(smallest));
  const last = Math.ceil(Math.log10(largest));
  const candidates = Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index)).flatMap((power) =>
    MANTISSAS.map((mantissa) => roundOff(mantissa * power)),
  );
  const min = candidates.findLast((tick) => tick <= smallest) ?? smallest;
  const max = candidates.find((tick) => tick >= largest) ?? largest;
  const isWide = Math.log10(max / min) > DECADES_WITH_MANTISSAS;
  const isPower = (tick: number): boolean => Number.isInteger(roundOff(Math.log10(tick)));
  const ticks = candidates.filter((tick) => tick >= min && tick <= max && (!isWide || isPower(tick)));
  if (!isWide) return { min, max, ticks };
  // And the ends, unless the next power of ten is too close for both to be written beside the axis.
  const [lowest = max, highest = min] = [ticks[0], ticks.at(-1)];
  const low = lowest >= min * CLEAR_OF_A_POWER ? [min] : [];
  const high = highest * CLEAR_OF_A_POWER <= max ? [max] : [];
  return { min, max, ticks: [...low, ...ticks, ...high] };
}

function roundOff(value: number): number {
  return Number(value.toPrecision(12));
}

const MOST_SECONDS = 10;

/** Part of the axis that may be empty at its end for the sake of a round number there. */
const EMPTY_END = 0.1;

/** Returns an axis of seconds from 0 to the last, with whole ones as ticks. */
export function secondAxis(last: number): ChartAxis {
  const { ticks: round, max } = linearTicks(last, MOST_SECONDS);
  const long = max <= last * (1 + EMPTY_END) ? round : [...round.filter((tick) => tick < last), last];
  const ticks = last <= MOST_SECONDS ? Array.from({ length: last + 1 }, (_, second) => second) : long;
  return { label: "second", scale: "linear", ticks };
}
