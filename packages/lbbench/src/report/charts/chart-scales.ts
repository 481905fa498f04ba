import type { Scale, ScaleOptions } from "chart.js";
import { formatTime } from "../format-number.js";
import { shortenName } from "../plain-line.js";
import type { ChartAxis, ChartDefinition } from "./chart-definition.js";
import { panelAxisId, rightAxisId } from "./chart-datasets.js";
import { chartFont, type ChartStyle } from "./picture-style.js";
import { rightTicks, spacedTicks, valueTicks } from "./axes.js";

type DrawnScale = ScaleOptions<"linear" | "logarithmic" | "category">;
/** Scales of chart.js by their ids. */
export type DrawnScales = Record<string, DrawnScale>;

/** Height of the room above a panel, in which its title stands, as a share of the panel's. */
const GAP_WEIGHT = 0.24;
const ROOM_AT_ENDS = 0.03;
/** Pixels of an axis beside its labels: the marks of its ticks, and what is between. */
const ROOM_AT_LABELS = 16;

/** Returns chart.js scales for a definition: `x`, and a value axis for each panel, one above the other. */
export function chartScales(definition: ChartDefinition, style: ChartStyle): DrawnScales {
  const panels = definition.panels.map((title, panel): readonly (readonly [string, DrawnScale])[] => {
    const values = [panelAxisId(panel), valueScale(definition, style)] as const;
    return title === "" ? [values] : [values, [`gap${panel}`, gapScale("left")]];
  });
  const rightPanels = definition.right === undefined ? [] : definition.panels.map(rightScales(definition, style));
  // chart.js stacks axes on the left from the bottom up, and those on the right from the top down.
  return Object.fromEntries([
    ["x", positionScale(definition.x, style)],
    ...panels.toReversed().flat(),
    ...rightPanels.flat(),
  ]);
}

function rightScales(
  definition: ChartDefinition,
  style: ChartStyle,
): (title: string, panel: number) => (readonly [string, DrawnScale])[] {
  const { min, max, ticks } = rightTicks(definition);
  return (title, panel) => {
    const scale: DrawnScale = {
      type: "linear",
      position: "right",
      min,
      max,
      stack: "right panels",
      stackWeight: 1,
      grid: { display: false },
      border: { display: false },
      ticks: { ...tickStyle(style), color: style.faintText, autoSkip: false, callback: formatTick },
      afterBuildTicks: placeTicks(ticks),
      afterFit: fitLabels(style),
    };
    const own = [rightAxisId(panel), scale] as const;
    return title === "" ? [own] : [[`rightGap${panel}`, gapScale("right")], own];
  };
}

function positionScale(axis: ChartAxis, style: ChartStyle): DrawnScale {
  const title = {
    display: axis.label !== "",
    text: axis.label,
    color: style.text,
    font: chartFont(style, style.labelSize),
  };
  const border = { color: style.border };
  const ticks = axis.ticks ?? [];
  if (axis.scale === "category") {
    return {
      type: "category",
      labels: ticks.map(String),
      title,
      border,
      grid: { display: false },
      ticks: { ...tickStyle(style), callback: shortenCategory(ticks, style) },
    };
  }
  const numbers = ticks.filter((tick) => typeof tick === "number");
  return {
    type: axis.scale === "log" ? "logarithmic" : "linear",
    ...endsWithRoom(numbers, axis),
    title,
    border,
    grid: { color: style.grid },
    ticks: { ...tickStyle(style), autoSkip: false, maxRotation: 0, callback: tickWriter(axis) },
    afterBuildTicks: placeTicks(spacedTicks(numbers, axis.scale)),
  };
}

function valueScale(definition: ChartDefinition, style: ChartStyle): DrawnScale {
  const { min, max, ticks } = valueTicks(definition);
  return {
    type: definition.y.scale === "log" ? "logarithmic" : "linear",
    position: "left",
    min,
    max,
    stack: "panels",
    stackWeight: 1,
    stacked: definition.series.some(({ stack }) => stack !== undefined),
    grid: { color: style.grid },
    border: { color: style.border },
    ticks: { ...tickStyle(style), autoSkip: false, callback: formatTick },
    afterBuildTicks: placeTicks(ticks),
    afterFit: fitLabels(style),
  };
}

/** Gives an axis the width of its labels, of which chart.js cuts off what is too much where many axes share the picture. */
function fitLabels({ tickSize, fontFamily }: ChartStyle): (axis: Scale) => void {
  return (axis) => {
    axis.ctx.save();
    axis.ctx.font = `${tickSize}px ${fontFamily}`;
    const widths = axis.ticks.map(({ label = "" }) => axis.ctx.measureText(String(label)).width);
    axis.ctx.restore();
    axis.width = Math.max(0, ...widths) + ROOM_AT_LABELS;
  };
}

function gapScale(position: "left" | "right"): DrawnScale {
  return {
    type: "linear",
    position,
    stack: position === "left" ? "panels" : "right panels",
    stackWeight: GAP_WEIGHT,
    grid: { display: false },
    border: { display: false },
    ticks: { display: false },
  };
}

function tickStyle(style: ChartStyle): { readonly color: string; readonly font: ReturnType<typeof chartFont> } {
  return { color: style.text, font: chartFont(style, style.tickSize) };
}

function placeTicks(values: readonly number[]): (axis: { ticks: { value: number }[] }) => void {
  return (axis) => {
    axis.ticks = values.map((value) => ({ value }));
  };
}

function tickWriter({ ticks = [], labels = [] }: ChartAxis): (value: number | string) => string {
  const texts = new Map(ticks.map((tick, index) => [tick, labels[index]]));
  return (value) => texts.get(value) ?? formatTick(value);
}

function formatTick(value: number | string): string {
  const text = typeof value === "number" ? formatTime(value) : value;
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Of a label that is turned for want of room, which takes its height from the panels. */
const FEWEST_CHARACTERS = 16;
/** Width of a character, as a share of its size. */
const CHARACTER = 0.55;

function shortenCategory(
  ticks: readonly (number | string)[],
  { tickSize }: ChartStyle,
): (this: Scale, _: unknown, index: number) => string {
  return function shorten(_, index) {
    const room = this.chart.width / ticks.length / (tickSize * CHARACTER);
    return shortenName(String(ticks[index] ?? ""), Math.max(FEWEST_CHARACTERS, Math.floor(room * USED_BY_LABELS)));
  };
}

/** Part of the width of a picture that is below the bars. */
const USED_BY_LABELS = 0.8;

function endsWithRoom(
  numbers: readonly number[],
  { scale, end = -Infinity }: ChartAxis,
): { min?: number; max?: number } {
  const [first, lastTick] = [numbers[0], numbers.at(-1)];
  if (first === undefined || lastTick === undefined) {
    return {};
  }
  const last = Math.max(lastTick, end);
  if (scale === "log") {
    const factor = (last / first) ** ROOM_AT_ENDS;
    return { min: first / factor, max: last * factor };
  }
  const room = (last - first) * ROOM_AT_ENDS;
  return { min: first - room, max: last + room };
}
