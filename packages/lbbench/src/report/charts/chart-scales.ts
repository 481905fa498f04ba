import type { Scale, ScaleOptions } from "chart.js";
import { formatTime } from "../format-number.js";
import type { ChartAxis, ChartDefinition } from "./chart-definition.js";
import { panelAxisId, rightAxisId } from "./chart-datasets.js";
import { PICTURE, pictureFont } from "./picture-style.js";
import { spacedTicks } from "./spaced-ticks.js";
import { rightTicks, valueTicks } from "./value-ticks.js";

type DrawnScale = ScaleOptions<"linear" | "logarithmic" | "category">;
/** Scales of chart.js by their ids. */
export type DrawnScales = Record<string, DrawnScale>;

/** Height of the room above a panel, in which its title stands, as a share of the panel's. */
const GAP_WEIGHT = 0.24;
const ROOM_AT_ENDS = 0.03;
/** Pixels of an axis beside its labels: the marks of its ticks, and what is between. */
const ROOM_AT_LABELS = 16;

/** Returns chart.js scales for a definition: `x`, and a value axis for each panel, one above the other. */
export function chartScales(definition: ChartDefinition): DrawnScales {
  const panels = definition.panels.map((title, panel): readonly (readonly [string, DrawnScale])[] => {
    const values = [panelAxisId(panel), valueScale(definition)] as const;
    return title === "" ? [values] : [values, [`gap${panel}`, gapScale("left")]];
  });
  const rightPanels = definition.right === undefined ? [] : definition.panels.map(rightScales(definition));
  // chart.js stacks axes on the left from the bottom up, and those on the right from the top down.
  return Object.fromEntries([["x", positionScale(definition.x)], ...panels.toReversed().flat(), ...rightPanels.flat()]);
}

function rightScales(definition: ChartDefinition): (title: string, panel: number) => (readonly [string, DrawnScale])[] {
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
      ticks: { ...TICK_STYLE, color: PICTURE.faintText, autoSkip: false, callback: formatTick },
      afterBuildTicks: placeTicks(ticks),
      afterFit: fitLabels,
    };
    const own = [rightAxisId(panel), scale] as const;
    return title === "" ? [own] : [[`rightGap${panel}`, gapScale("right")], own];
  };
}

function positionScale(axis: ChartAxis): DrawnScale {
  const title = {
    display: axis.label !== "",
    text: axis.label,
    color: PICTURE.text,
    font: pictureFont(PICTURE.labelSize),
  };
  const border = { color: PICTURE.border };
  const ticks = axis.ticks ?? [];
  if (axis.scale === "category") {
    return { type: "category", labels: ticks.map(String), title, border, grid: { display: false }, ticks: TICK_STYLE };
  }
  const numbers = ticks.filter((tick) => typeof tick === "number");
  return {
    type: axis.scale === "log" ? "logarithmic" : "linear",
    ...endsWithRoom(numbers, axis),
    title,
    border,
    grid: { color: PICTURE.grid },
    ticks: { ...TICK_STYLE, autoSkip: false, maxRotation: 0, callback: formatTick },
    afterBuildTicks: placeTicks(spacedTicks(numbers, axis.scale)),
  };
}

function valueScale(definition: ChartDefinition): DrawnScale {
  const { min, max, ticks } = valueTicks(definition);
  return {
    type: definition.y.scale === "log" ? "logarithmic" : "linear",
    position: "left",
    min,
    max,
    stack: "panels",
    stackWeight: 1,
    stacked: definition.series.some(({ stack }) => stack !== undefined),
    grid: { color: PICTURE.grid },
    border: { color: PICTURE.border },
    ticks: { ...TICK_STYLE, autoSkip: false, callback: formatTick },
    afterBuildTicks: placeTicks(ticks),
    afterFit: fitLabels,
  };
}

/** Gives an axis the width of its labels, of which chart.js cuts off what is too much where many axes share the picture. */
function fitLabels(axis: Scale): void {
  axis.ctx.save();
  axis.ctx.font = `${PICTURE.tickSize}px ${PICTURE.fontFamily}`;
  const widths = axis.ticks.map(({ label = "" }) => axis.ctx.measureText(String(label)).width);
  axis.ctx.restore();
  axis.width = Math.max(0, ...widths) + ROOM_AT_LABELS;
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

const TICK_STYLE = { color: PICTURE.text, font: pictureFont(PICTURE.tickSize) } as const;

function placeTicks(values: readonly number[]): (axis: { ticks: { value: number }[] }) => void {
  return (axis) => {
    axis.ticks = values.map((value) => ({ value }));
  };
}

function formatTick(value: number | string): string {
  const text = typeof value === "number" ? formatTime(value) : value;
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

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
