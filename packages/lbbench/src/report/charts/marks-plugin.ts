import type { Chart, Plugin } from "chart.js";
import { panelAxisId } from "./chart-datasets.js";
import type { ChartDefinition, ChartMark } from "./chart-definition.js";
import type { ChartStyle } from "./picture-style.js";

const LINE_WIDTH = 2;
const DASH = [10, 6];
const LABEL_DISTANCE = 14;
const HALO = 7;
const ROOM_BETWEEN_LINES = 6;
const ROOM_ABOVE_WORDS = 3;

/** Draws a line through its panel for each mark, with its words above; those of neighbours stand below one another. */
export function marksPlugin({ marks = [] }: Pick<ChartDefinition, "marks">, style: ChartStyle): Plugin {
  return {
    id: "marks",
    afterDatasetsDraw: (chart) => {
      const placed: PlacedMark[] = [];
      for (const mark of marks) {
        const place = placeMark(chart, mark, style);
        if (place === undefined) continue;
        const inTheWay = placed.filter(
          (one) => one.panel === mark.panel && one.left <= place.right && place.left <= one.right,
        );
        placed.push({ ...place, row: Math.max(-1, ...inTheWay.map(({ row }) => row)) + 1 });
      }
      for (const mark of placed) drawLine(chart, mark, style);
      for (const mark of placed) drawWords(chart, mark, style);
    },
  };
}

/** A mark, and where it is in pixels; its words are in a row of their own where others would be in their way. */
interface PlacedMark extends ChartMark {
  readonly pixel: number;
  readonly left: number;
  readonly right: number;
  readonly row: number;
}

function fontOf({ tickSize, fontFamily }: ChartStyle): string {
  return `${tickSize}px ${fontFamily}`;
}

function placeMark(
  { ctx, chartArea, scales }: Chart,
  mark: ChartMark,
  style: ChartStyle,
): Omit<PlacedMark, "row"> | undefined {
  const pixel = scales["x"]?.getPixelForValue(mark.x);
  if (pixel === undefined) return undefined;
  ctx.save();
  ctx.font = fontOf(style);
  const { width } = ctx.measureText(mark.label);
  ctx.restore();
  const distance = LABEL_DISTANCE * style.lineScale;
  const isRight = pixel + distance + width <= chartArea.right;
  const left = isRight ? pixel + distance : pixel - distance - width;
  return { ...mark, pixel, left, right: left + width };
}

function drawLine({ ctx, scales }: Chart, { panel, pixel }: PlacedMark, style: ChartStyle): void {
  const axis = scales[panelAxisId(panel)];
  if (axis === undefined) return;
  ctx.save();
  ctx.strokeStyle = style.faintText;
  ctx.lineWidth = LINE_WIDTH * style.lineScale;
  ctx.setLineDash(DASH.map((length) => length * style.lineScale));
  ctx.beginPath();
  ctx.moveTo(pixel, axis.top);
  ctx.lineTo(pixel, axis.bottom);
  ctx.stroke();
  ctx.restore();
}

function drawWords({ ctx, scales }: Chart, { panel, left, label, row }: PlacedMark, style: ChartStyle): void {
  const axis = scales[panelAxisId(panel)];
  if (axis === undefined) return;
  const { tickSize, lineScale } = style;
  const top = axis.top + row * (tickSize + ROOM_BETWEEN_LINES * lineScale) + ROOM_ABOVE_WORDS * lineScale;
  ctx.save();
  ctx.font = fontOf(style);
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  // Lines behind the words would make them hard to read.
  ctx.strokeStyle = style.background;
  ctx.lineWidth = HALO * lineScale;
  ctx.lineJoin = "round";
  ctx.strokeText(label, left, top);
  ctx.fillStyle = style.text;
  ctx.fillText(label, left, top);
  ctx.restore();
}
