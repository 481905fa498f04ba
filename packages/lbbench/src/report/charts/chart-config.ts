/** A chart's definition in the terms of chart.js: datasets, scales, title and legend. */
import type { Chart, ChartConfiguration, ChartDataset, LegendItem, Scale, ScaleOptions } from "chart.js";
import { formatTime } from "../../stats/format-number.js";
import { shortenName } from "../plain-line.js";
import { axisTitle, isPieceOfStack, panelAxisId, rightTicks, thinTicks, valueTicks } from "./axes.js";
import { canvasPlugins, draw, fitText, measureWords } from "./canvas-plugins.js";
import {
  type ChartAxis,
  type ChartDefinition,
  type ChartPoint,
  type ChartSeries,
  type LineDash,
  wholeSubtitle,
} from "./chart-definition.js";
import { type ChartStyle, colorAt, markerAt, PICTURE } from "./picture-style.js";
import { defined } from "../../stats/defined.js";

/** A chart as chart.js draws it. */
export type DrawnChart = ChartConfiguration<"line" | "bar", ChartPoint[]>;

/** Turns a definition into the configuration of a still chart.js picture; `style` is that of PNG unless told otherwise. */
export function chartConfig(definition: ChartDefinition, style: ChartStyle = PICTURE): DrawnChart {
  const { title, note, right } = definition;
  const { padding, titleSize, subtitleSize, text, faintText } = style;
  const atLabel = padding + style.labelSize * 2;
  const lines = [wholeSubtitle(definition), ...(note?.split("\n") ?? [])];
  return {
    // Every dataset has a type of its own; this is only what chart.js asks for.
    type: "line",
    data: { datasets: chartDatasets(definition, style) },
    options: {
      animation: false,
      responsive: false,
      devicePixelRatio: 1,
      layout: {
        padding: { top: padding, right: right === undefined ? padding * 2 : atLabel, bottom: padding, left: atLabel },
      },
      scales: chartScales(definition, style),
      plugins: {
        title: headLines([title], style, { size: titleSize, weight: "bold", color: text, bottom: 8 }),
        subtitle: headLines(lines, style, { size: subtitleSize, weight: "normal", color: faintText, bottom: 28 }),
        legend: drawnLegend(definition, style),
      },
    },
    plugins: canvasPlugins(definition, style),
  };
}

/** Lines above a chart, which are shortened as soon as there is a canvas that knows how wide they are. */
function headLines(
  lines: readonly string[],
  { fontFamily: family, padding }: ChartStyle,
  { size, weight, color, bottom }: Record<"size" | "bottom", number> & Record<"weight" | "color", string>,
): object {
  const text = ({ chart: { ctx, width } }: { readonly chart: Chart }): string[] =>
    draw(ctx, { font: `${weight} ${size}px ${family}` }, () =>
      lines.map((line) => fitText(ctx, line, width - 4 * padding)),
    );
  return { display: true, align: "start", color, text, font: { family, size, weight }, padding: { bottom } };
}

type DrawnDataset = ChartDataset<"line" | "bar", ChartPoint[]>;

const LONGEST_SERIES_NAME = 44;

const DASHES: Readonly<Record<LineDash, readonly number[]>> = { solid: [], dashed: [14, 9], dotted: [4, 7] };

function lineDash(dash: LineDash, { lineScale }: ChartStyle): number[] {
  return DASHES[dash].map((length) => length * lineScale);
}

function chartDatasets(definition: ChartDefinition, style: ChartStyle): DrawnDataset[] {
  const { series, x, y } = definition;
  const covering = countCoveringLines(definition);
  return series.map((one, index) => {
    const { shape, name, panel, points } = one;
    const looks = {
      bar: () => ({
        ...barLooks(one, style),
        // A low bar must not vanish; but pieces that are all made longer would add up to a stack that nothing measured.
        ...defined({ base: y.base, minBarLength: isPieceOfStack(one, series) ? undefined : 4 * style.lineScale }),
      }),
      line: () => ({
        ...lineLooks(one, style, covering[index] ?? 0),
        clip: y.cut !== undefined && ({ left: false, right: false, bottom: false, top: 0 } as const),
      }),
      area: () => ({
        borderColor: style.areaEdge,
        backgroundColor: style.area,
        borderWidth: 2 * style.lineScale,
        pointRadius: 0,
        fill: "origin",
        // What has a higher order is drawn first.
        order: 1,
      }),
    };
    const data = points.map((point) => ({
      ...point,
      x: x.scale === "category" || shape === "bar" ? String(point.x) : point.x,
      // Without this, nothing would get the bar that is drawn for next to nothing.
      y: shape === "bar" && point.y === (y.base ?? 0) ? null : point.y,
    }));
    return {
      type: shape === "bar" ? "bar" : "line",
      label: shortenName(name, LONGEST_SERIES_NAME),
      yAxisID: panelAxisId(panel, shape === "area" ? "right" : "left"),
      data,
      ...looks[shape](),
    } as DrawnDataset;
  });
}

function barLooks({ points, colorIndex, stack, name }: ChartSeries, style: ChartStyle) {
  const color = colorAt(colorIndex, style.palette);
  return {
    backgroundColor: points.map(({ isBounded }) => (isBounded ? style.background : color)),
    borderColor: color,
    borderWidth: points.map(({ isBounded }) => (isBounded ? 4 * style.lineScale : 0)),
    pointStyle: "rect",
    maxBarThickness: 130 * style.lineScale,
    categoryPercentage: 0.75,
    // Series without a stack stand side by side, each a stack of its own.
    stack: stack ?? name,
  };
}

/** By this much a line is thicker, and its points larger, for each line that covers it, so that its edges are seen. */
const THICKER = { line: 5, point: 3 };

function lineLooks({ points, colorIndex, dash, dense = false }: ChartSeries, style: ChartStyle, covering: number) {
  const { lineScale, background } = style;
  const color = colorAt(colorIndex, style.palette);
  const marker = markerAt(colorIndex);
  const radius = 8 + THICKER.point * covering;
  const isAlone = (index: number): boolean =>
    [points[index - 1], points[index + 1]].every((near) => (near?.y ?? null) === null);
  const looks = points.map(({ decision, isBounded }, index) => {
    // Where points are many, only what has no neighbour to be joined with.
    if (dense) return { radius: isAlone(index) ? 5 : 0, shape: marker, fill: color };
    // A cross has no area to be seen by.
    if (decision === "broken") return { radius: 1.5 * radius, shape: "crossRot" as const, fill: color };
    return { radius, shape: marker, fill: decision === "unclear" || isBounded ? background : color };
  });
  const isFine = dense && dash === "dotted";
  const width = dense ? (isFine ? 2.5 : 4) : 5 + THICKER.line * covering;
  return {
    borderColor: color,
    backgroundColor: color,
    // Where a line turns back, its corner would look out behind the point.
    borderJoinStyle: "round",
    borderWidth: width * lineScale,
    borderDash: isFine ? [3 * lineScale, 5 * lineScale] : lineDash(dash, style),
    pointRadius: looks.map((look) => look.radius * lineScale),
    pointStyle: looks.map(({ shape }) => shape),
    pointBackgroundColor: looks.map(({ fill }) => fill),
    ...defined({ pointBorderWidth: dense ? undefined : 4 * lineScale }),
    spanGaps: false,
  };
}

/** Where values are along an axis, in a unit of its own. */
function placeOn({ scale }: Pick<ChartAxis, "scale">): (value: number) => number {
  return scale === "log" ? Math.log : (value) => value;
}

const CLOSE = 0.012;

/** A line is hidden when no more than this share of its points shows; else it is seen where it comes from and goes to. */
const FEW_SHOW = 0.25;

/** More lines on one another cannot be told apart however thick they are. */
const MOST_COVERING = 5;

/** Counts for each series by how many others, drawn after it, its line is hidden. What is listed first is drawn last. */
function countCoveringLines(definition: ChartDefinition): readonly number[] {
  const { series, y } = definition;
  const { min, max } = valueTicks(definition);
  const place = placeOn(y);
  const nearby = (place(max) - place(min)) * CLOSE;
  const covers = (over: ChartSeries, { points }: ChartSeries): boolean => {
    const covering = new Map(over.points.map((point) => [point.x, point.y]));
    const drawn = points.flatMap((point) =>
      point.y === null ? [] : [{ at: point.y, over: covering.get(point.x) ?? null }],
    );
    const shown = drawn.filter((one) => one.over === null || Math.abs(place(one.at) - place(one.over)) > nearby);
    return drawn.length > 0 && shown.length <= FEW_SHOW * drawn.length;
  };
  const lines = series.map((one) => (one.shape === "line" && one.dense !== true ? one : undefined));
  return lines.map((one, index) => {
    const over = lines
      .slice(0, index)
      .filter((other) => other !== undefined && one?.panel === other.panel && covers(other, one));
    return Math.min(MOST_COVERING, over.length);
  });
}

const LEGEND_LINE = 50;
const LEGEND_BOX = 18;

/** Returns one entry for each name: a piece of the line where lines differ by their dashes, else the marker of a line or the box of a bar. */
export function chartLegend({ series }: ChartDefinition, style: ChartStyle) {
  const measured = series.filter(({ dense, shape }) => dense !== true && shape !== "area");
  const isByDash = new Set(measured.map(({ dash }) => dash)).size > 1 || measured.length === 0;
  const names = series.map(({ name }) => name);
  const items = series.flatMap(({ name, shape, dash, colorIndex, dense }, datasetIndex): LegendItem[] => {
    if (names.indexOf(name) !== datasetIndex) return [];
    const isShared = series.some((other) => other.name === name && other.colorIndex !== colorIndex);
    const color = isShared ? style.faintText : colorAt(colorIndex, style.palette);
    const isArea = shape === "area";
    const isLine = !isArea && (isByDash || dense === true);
    return [
      {
        datasetIndex,
        text: shortenName(name, LONGEST_SERIES_NAME),
        fontColor: style.text,
        fillStyle: isArea ? style.area : color,
        strokeStyle: isArea ? style.areaEdge : color,
        lineWidth: (isArea ? 2 : 5) * style.lineScale,
        lineDash: isLine ? lineDash(dash, style) : [],
        pointStyle: isLine ? "line" : shape === "line" ? markerAt(colorIndex) : "rect",
      },
    ];
  });
  return { items, isByDash };
}

function drawnLegend(definition: ChartDefinition, style: ChartStyle): object {
  const { items, isByDash } = chartLegend(definition, style);
  const size = LEGEND_BOX * style.lineScale;
  const pointStyleWidth = isByDash ? LEGEND_LINE * style.lineScale : undefined;
  const font = { family: style.fontFamily, size: style.labelSize };
  const labels = { color: style.text, font, padding: size, boxHeight: size, usePointStyle: true, pointStyleWidth };
  return { position: "bottom", labels: { ...labels, generateLabels: () => items } };
}

type DrawnScale = ScaleOptions<"linear" | "logarithmic" | "category">;

/** Height of the room above a panel, in which its title stands, as a share of the panel's. */
const GAP_WEIGHT = 0.24;

/** Returns chart.js scales for a definition: `x`, and a value axis for each panel, one above the other. */
function chartScales(definition: ChartDefinition, style: ChartStyle): Record<string, DrawnScale> {
  const { panels, x, right } = definition;
  const stackOf = (side: "left" | "right") => {
    const values = valueScale(definition, side, style);
    return panels.map((title, panel): readonly (readonly [string, DrawnScale])[] => [
      [panelAxisId(panel, side), values],
      ...(title === "" ? [] : [[`${side === "left" ? "gap" : "rightGap"}${panel}`, gapScale(side)] as const]),
    ]);
  };
  const onRight = right === undefined ? [] : stackOf("right");
  // chart.js stacks axes on the left from the bottom up, and those on the right from the top down.
  return Object.fromEntries([
    ["x", positionScale(x, style)],
    ...stackOf("left").toReversed().flat(),
    ...onRight.flatMap((scales) => scales.toReversed()),
  ]);
}

const ROOM_AT_LABELS = 16;

function valueScale(definition: ChartDefinition, position: "left" | "right", style: ChartStyle): DrawnScale {
  const isLeft = position === "left";
  const { min, max, ticks } = isLeft ? valueTicks(definition) : rightTicks(definition);
  return {
    type: isLeft && definition.y.scale === "log" ? "logarithmic" : "linear",
    stacked: isLeft && definition.series.some(({ stack }) => stack !== undefined),
    position,
    min,
    max,
    stack: `${position} panels`,
    stackWeight: 1,
    grid: isLeft ? { color: style.grid } : { display: false },
    border: isLeft ? { color: style.border } : { display: false },
    ticks: { ...tickStyle(style), color: isLeft ? style.text : style.faintText, autoSkip: false, callback: formatTick },
    afterBuildTicks: (axis: Scale) => {
      axis.ticks = ticks.map((value) => ({ value }));
    },
    // chart.js cuts off what is too wide where many axes share the picture.
    afterFit: (axis: Scale) => {
      const widths = axis.ticks.map(({ label = "" }) => measureWords(axis.ctx, style, String(label)));
      axis.width = Math.max(0, ...widths) + ROOM_AT_LABELS;
    },
  };
}

function gapScale(position: "left" | "right"): DrawnScale {
  const none = { display: false };
  const stack = `${position} panels`;
  return { type: "linear", position, stack, stackWeight: GAP_WEIGHT, grid: none, border: none, ticks: none };
}

/** Of a label that is turned for want of room, which takes its height from the panels. */
const FEWEST_CHARACTERS = 16;
/** Width of a character, as a share of its size, and part of the width of a picture that is below the bars. */
const CHARACTER = 0.55;
const USED_BY_LABELS = 0.8;
const BETWEEN_TICKS = 16;

function positionScale(axis: ChartAxis, style: ChartStyle): DrawnScale {
  const { ticks = [], labels = [] } = axis;
  const text = axisTitle(axis);
  const font = { family: style.fontFamily, size: style.labelSize };
  const common = {
    title: { display: text !== "", text, color: style.text, font },
    border: { color: style.border },
  };
  if (axis.scale === "category") {
    const callback = function shorten(this: Scale, _: unknown, index: number): string {
      const room = (this.chart.width * USED_BY_LABELS) / ticks.length / (style.tickSize * CHARACTER);
      return shortenName(String(ticks[index] ?? ""), Math.max(FEWEST_CHARACTERS, Math.floor(room)));
    };
    const scale = { type: "category", labels: ticks.map(String), grid: { display: false } } as const;
    return { ...common, ...scale, ticks: { ...tickStyle(style), callback } };
  }
  const numbers = ticks.filter((tick) => typeof tick === "number");
  const place = placeOn(axis);
  const texts = new Map(ticks.map((tick, index) => [tick, labels[index]]));
  const callback = (value: number | string): string => texts.get(value) ?? formatTick(value);
  return {
    ...common,
    type: axis.scale === "log" ? "logarithmic" : "linear",
    ...endsWithRoom(numbers, axis),
    grid: { color: style.grid },
    ticks: { ...tickStyle(style), autoSkip: false, maxRotation: 0, callback },
    // As far as there is room for their words.
    afterBuildTicks: (built: Scale) => {
      const perPixel = (place(built.max) - place(built.min)) / built.width;
      const placed = numbers.map((value) => {
        const pixel = (place(value) - place(built.min)) / perPixel;
        return { value, pixel, width: measureWords(built.ctx, style, callback(value)) };
      });
      built.ticks = thinTicks(placed, BETWEEN_TICKS * style.lineScale).map((value) => ({ value }));
    },
  };
}

function tickStyle({ text, fontFamily, tickSize }: ChartStyle) {
  return { color: text, font: { family: fontFamily, size: tickSize } };
}

function formatTick(value: number | string): string {
  const text = typeof value === "number" ? formatTime(value) : value;
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

const ROOM_AT_ENDS = 0.03;

function endsWithRoom(
  numbers: readonly number[],
  { scale, end = -Infinity }: ChartAxis,
): { min?: number; max?: number } {
  const [first, lastTick] = [numbers[0], numbers.at(-1)];
  if (first === undefined || lastTick === undefined) return {};
  const last = Math.max(lastTick, end);
  if (scale === "log") {
    const factor = (last / first) ** ROOM_AT_ENDS;
    return { min: first / factor, max: last * factor };
  }
  const room = (last - first) * ROOM_AT_ENDS;
  return { min: first - room, max: last + room };
}
