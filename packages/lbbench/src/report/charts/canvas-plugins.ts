/** What chart.js does not draw by itself: whiskers, outliers, panel titles, marks, rules and the words beside points. */
import type { Chart, Plugin } from "chart.js";
import { shortenCharacters } from "../plain-line.js";
import { axisLabel, axisTitle, panelAxisId } from "./axes.js";
import type { ChartDefinition, ChartPoint } from "./chart-definition.js";
import type { ChartStyle } from "./picture-style.js";

type Context = Chart["ctx"];

/** Paints with settings that hold until then, and returns what that returns. */
export function draw<Painted>(ctx: Context, settings: Partial<Context>, paint: () => Painted): Painted {
  ctx.save();
  Object.assign(ctx, settings);
  const painted = paint();
  ctx.restore();
  return painted;
}

/** Returns the plugins of a chart, in the order in which they draw. */
export function canvasPlugins(definition: ChartDefinition, style: ChartStyle): Plugin[] {
  return [
    {
      id: "background",
      // Before anything else, as a PNG without a background is black in dark viewers.
      beforeDraw: ({ ctx, width, height }) =>
        draw(ctx, { fillStyle: style.background }, () => ctx.fillRect(0, 0, width, height)),
    },
    trialsPlugin(style),
    {
      id: "labels",
      // Beneath the words of the point that is pointed at.
      afterDatasetsDraw: (chart) => {
        definition.panels.forEach((title, panel) => drawPanelTitle(chart, title, panel, style));
        drawValueLabel(chart, axisTitle(definition.y), "left", style);
        if (definition.right !== undefined) drawValueLabel(chart, axisLabel(definition.right), "right", style);
      },
    },
    guidesPlugin(definition, style),
    pointTagsPlugin(definition, style),
  ];
}

const CAP_HALF_WIDTH = 12;
const TRIAL_LINE = 3;
const OUTLIER_RADIUS = 8;

/** Draws a line from `low` to `high` at every point that has them, and a circle for each outlier: behind lines, over bars. */
function trialsPlugin({ whisker, lineScale }: ChartStyle): Plugin {
  const drawTrials = (chart: Chart, index: number): void => {
    const { ctx } = chart;
    const { type, data, yScale } = chart.getDatasetMeta(index);
    const { data: points = [], borderColor } = chart.data.datasets[index] ?? {};
    const strokeStyle = type === "bar" ? whisker : String(borderColor);
    const pixelOf = (value: number): number => yScale?.getPixelForValue(value) ?? 0;
    draw(ctx, { lineWidth: TRIAL_LINE * lineScale, strokeStyle }, () => {
      data.forEach((element, at) => {
        const { low, high, outliers = [] } = (points[at] ?? {}) as unknown as Partial<ChartPoint>;
        const { x } = element;
        if (!isInView(chart, x)) return;
        const widest = CAP_HALF_WIDTH * lineScale;
        const half = "width" in element ? Math.min(widest, Number(element.width) / 3) : widest;
        if (low !== undefined && high !== undefined) {
          const [bottom, top] = [pixelOf(low), pixelOf(high)];
          strokeLines(ctx, [
            [x - half, bottom, x + half, bottom],
            [x - half, top, x + half, top],
            [x, bottom, x, top],
          ]);
        }
        for (const value of outliers) {
          ctx.beginPath();
          ctx.arc(x, pixelOf(value), OUTLIER_RADIUS * lineScale, 0, 2 * Math.PI);
          ctx.stroke();
        }
      });
    });
  };
  const drawAt =
    (type: "line" | "bar") =>
    (chart: Chart, dataset: { readonly index: number }): void => {
      if (chart.getDatasetMeta(dataset.index).type === type) drawTrials(chart, dataset.index);
    };
  return { id: "trials", beforeDatasetDraw: drawAt("line"), afterDatasetDraw: drawAt("bar") };
}

/** Whether a place along x is in the part of the axis that is seen. */
function isInView({ chartArea: { left, right } }: Chart, x: number): boolean {
  return x >= left - 1 && x <= right + 1;
}

type Line = readonly [fromX: number, fromY: number, toX: number, toY: number];

function strokeLines(ctx: Context, lines: readonly Line[]): void {
  ctx.beginPath();
  for (const [fromX, fromY, toX, toY] of lines) {
    ctx.moveTo(fromX, fromY);
    ctx.lineTo(toX, toY);
  }
  ctx.stroke();
}

const PANEL_TITLE_DISTANCE = 14;

function drawPanelTitle(chart: Chart, title: string, panel: number, style: ChartStyle): void {
  const { ctx, chartArea, scales, width } = chart;
  const scale = scales[panelAxisId(panel)];
  if (scale === undefined || title === "") return;
  const { left } = chartArea;
  const font = `bold ${style.labelSize}px ${style.fontFamily}`;
  draw(ctx, { fillStyle: style.text, font, textAlign: "left", textBaseline: "bottom" }, () => {
    const text = fitText(ctx, title, width - left - style.padding);
    ctx.fillText(text, left, scale.top - PANEL_TITLE_DISTANCE * style.lineScale);
  });
}

/** Writes the label that all axes of a side share along its edge. */
function drawValueLabel(chart: Chart, label: string, side: "left" | "right", style: ChartStyle): void {
  const { ctx, chartArea, width } = chart;
  const isLeft = side === "left";
  const font = `${style.labelSize}px ${style.fontFamily}`;
  const fromEdge = style.padding + style.labelSize / 2;
  const fillStyle = isLeft ? style.text : style.faintText;
  draw(ctx, { fillStyle, font, textAlign: "center", textBaseline: "middle" }, () => {
    ctx.translate(isLeft ? fromEdge : width - fromEdge, (chartArea.top + chartArea.bottom) / 2);
    ctx.rotate(((isLeft ? -1 : 1) * Math.PI) / 2);
    ctx.fillText(label, 0, 0);
  });
}

/** Shortens a text to a width in pixels, the middle replaced by `…`, as names often differ at their ends. */
export function fitText(ctx: Context, text: string, width: number): string {
  const fits = (one: string): boolean => ctx.measureText(one).width <= width;
  if (fits(text)) return text;
  const characters = Array.from(text);
  let [shortEnough, tooLong] = [1, characters.length];
  while (tooLong - shortEnough > 1) {
    const middle = Math.floor((shortEnough + tooLong) / 2);
    if (fits(shortenCharacters(characters, middle))) shortEnough = middle;
    else tooLong = middle;
  }
  return shortenCharacters(characters, shortEnough);
}

const HALO = 7;

/** Writes words in the font of ticks, with a halo, as lines and bars behind them would make them hard to read. */
function writeWords(
  ctx: Context,
  { background, tickSize, fontFamily, lineScale }: ChartStyle,
  [text, left, y]: readonly [text: string, left: number, y: number],
  textBaseline: "top" | "middle" | "bottom",
  fillStyle: string,
): void {
  const font = `${tickSize}px ${fontFamily}`;
  const halo = { strokeStyle: background, lineWidth: HALO * lineScale, lineJoin: "round" } as const;
  draw(ctx, { font, textAlign: "left", textBaseline, fillStyle, ...halo }, () => {
    ctx.strokeText(text, left, y);
    ctx.fillText(text, left, y);
  });
}

/** Returns the width of words in the font of ticks, in pixels. */
export function measureWords(ctx: Context, { tickSize, fontFamily }: ChartStyle, text: string): number {
  return draw(ctx, { font: `${tickSize}px ${fontFamily}` }, () => ctx.measureText(text).width);
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function boxAt(left: number, top: number, width: number, height: number): Box {
  return { left, top, right: left + width, bottom: top + height };
}

/** Whether a box lies on none of others. */
function isFree(box: Box, taken: readonly Box[]): boolean {
  return !taken.some(
    (one) => box.left < one.right && one.left < box.right && box.top < one.bottom && one.top < box.bottom,
  );
}

const BETWEEN_LINES = 6;
const FROM_MARK = 14;
const ABOVE_WORDS = 3;
const MOST_ROWS = 12;
const FROM_RULE = 4;
/** Between the words of neighbours, and from the end of the line. */
const BESIDE_WORDS = 14;

/**
 * Draws marks and rules, and over their lines the words, none on others. A mark is a line down its panel with words beside its top. A rule
 * is a line across its panel, dashed where it has words, which stand above its end, or below where bars hang down to it.
 */
function guidesPlugin({ marks = [], rules = [], y: { base = 0 } }: ChartDefinition, style: ChartStyle): Plugin {
  const { tickSize, lineScale, text, faintText } = style;
  const drawGuides = (chart: Chart): void => {
    const { ctx, chartArea, scales } = chart;
    const { left, right } = chartArea;
    const stroke = (line: Line, strokeStyle: string, width: number, dash: readonly number[]): void =>
      draw(ctx, { strokeStyle, lineWidth: width * lineScale }, () => {
        ctx.setLineDash(dash.map((length) => length * lineScale));
        strokeLines(ctx, [line]);
      });
    const taken: Box[] = [];
    const written: (() => void)[] = [];
    const write = (words: string, baseline: "top" | "bottom", boxes: readonly Box[]): void => {
      const box = boxes.find((one) => isFree(one, taken)) ?? boxes.at(-1);
      if (box === undefined || words === "") return;
      taken.push(box);
      written.push(() => writeWords(ctx, style, [words, box.left, box[baseline]], baseline, text));
    };
    for (const { panel, label, y } of rules) {
      const at = scales[panelAxisId(panel)]?.getPixelForValue(y) ?? 0;
      stroke([left, at, right, at], text, 3, label === "" ? [] : [12, 6]);
      const [width, height] = [measureWords(ctx, style, label), tickSize + BETWEEN_LINES];
      const top = y < base ? at + FROM_RULE : at - FROM_RULE - height;
      const ends = [right, ...taken.map((one) => one.left)];
      const places = ends.map((end) => boxAt(end - BESIDE_WORDS - width, top, width, height));
      write(label, y < base ? "top" : "bottom", places);
    }
    const placedMarks = marks
      .map(({ panel, label, x }) => ({
        label,
        axis: scales[panelAxisId(panel)] ?? { top: 0, bottom: 0 },
        at: scales["x"]?.getPixelForValue(x) ?? 0,
      }))
      .filter(({ at }) => isInView(chart, at));
    for (const { label, at, axis } of placedMarks) {
      const away = FROM_MARK * lineScale;
      // With what keeps the words of the next mark apart.
      const [width, height] = [measureWords(ctx, style, label) + away, tickSize + BETWEEN_LINES * lineScale];
      const from = at + width <= right ? at + away : at - away - width;
      const top = axis.top + ABOVE_WORDS * lineScale;
      const rows = Array.from({ length: MOST_ROWS }, (_, row) => boxAt(from, top + row * height, width, height));
      write(label, "top", rows);
    }
    for (const { axis, at } of placedMarks) {
      // Through no words.
      const crossed = taken
        .filter((box) => box.left < at && at < box.right && box.top < axis.bottom && axis.top < box.bottom)
        .toSorted((one, other) => one.top - other.top);
      let from = axis.top;
      for (const { top, bottom } of [...crossed, { top: axis.bottom, bottom: axis.bottom }]) {
        if (top - from > tickSize) stroke([at, from, at, top], faintText, 2, [10, 6]);
        from = bottom;
      }
    }
    for (const words of written) words();
  };
  return { id: "guides", afterDatasetsDraw: drawGuides };
}

const FROM_POINT = 14;

/** Writes the tags of points beside them, on the side where they hide least of the lines; a tag without room is left out. */
export function pointTagsPlugin({ series }: Pick<ChartDefinition, "series">, style: ChartStyle): Plugin {
  const hasTags = series.some(({ points }) => points.some(({ tag }) => tag !== undefined));
  return {
    id: "pointTags",
    afterDatasetsDraw: (chart) => {
      if (hasTags) drawTags(chart, style);
    },
  };
}

const PLACES = 100;

function drawTags(chart: Chart, style: ChartStyle): void {
  const { tickSize: height, lineScale } = style;
  const { ctx, chartArea } = chart;
  const lines = chart.data.datasets.map(({ data, borderColor }, index) => {
    const { data: elements, yScale: panel = chartArea } = chart.getDatasetMeta(index);
    return elements.flatMap(({ x, y }, at) => {
      const { tag, y: value } = (data[at] ?? {}) as unknown as Partial<ChartPoint>;
      return typeof value === "number" ? [{ x, y, tag, panel, color: String(borderColor) }] : [];
    });
  });
  const along = lines.flatMap((line) =>
    line.slice(1).flatMap((to, at) => {
      const from = line[at] ?? to;
      return Array.from({ length: PLACES }, (_, place) => ({
        x: from.x + ((to.x - from.x) * place) / PLACES,
        y: from.y + ((to.y - from.y) * place) / PLACES,
      }));
    }),
  );
  const hidden = ({ left, right, top, bottom }: Box): number =>
    along.filter(({ x, y }) => x > left && x < right && y > top && y < bottom).length;
  const away = FROM_POINT * lineScale;
  const taken = lines.flat().map(({ x, y }) => boxAt(x - away, y - away, 2 * away, 2 * away));
  for (const { x, y, tag, panel, color } of lines.flat()) {
    if (tag === undefined) continue;
    const width = measureWords(ctx, style, tag);
    const sides = [
      [x + away, y - height / 2],
      [x - away - width, y - height / 2],
      [x - width / 2, y - away - height],
      [x - width / 2, y + away],
    ] as const;
    // Words beside a point at the edge of a panel may leave it by half of their height.
    const hasRoom = (box: Box): boolean =>
      box.left >= chartArea.left &&
      box.right <= chartArea.right &&
      box.top >= panel.top - height / 2 &&
      box.bottom <= panel.bottom + height / 2 &&
      isFree(box, taken);
    const boxes = sides.map(([left, top]) => boxAt(left, top, width, height));
    const [box] = boxes.filter(hasRoom).toSorted((one, other) => hidden(one) - hidden(other));
    if (box === undefined) continue;
    taken.push(box);
    writeWords(ctx, style, [tag, box.left, box.top + height / 2], "middle", color);
  }
}
