import type { Chart, Plugin } from "chart.js";
import { panelAxisId } from "./chart-datasets.js";
import type { ChartDefinition, ChartMark } from "./chart-definition.js";
import { PICTURE } from "./picture-style.js";

const LINE_WIDTH = 2;
const DASH = [10, 6];
const LABEL_DISTANCE = 8;
const HALO = 7;
const FONT = `${PICTURE.tickSize}px ${PICTURE.fontFamily}`;
const LINE_HEIGHT = PICTURE.tickSize + 6;

/** Draws a line through its panel for each mark, with its words above; those of neighbours stand below one another. */
export function marksPlugin({ marks = [] }: Pick<ChartDefinition, "marks">): Plugin {
  return {
    id: "marks",
    afterDatasetsDraw: (chart) => {
      const placed: PlacedMark[] = [];
      for (const mark of marks) {
        const place = placeMark(chart, mark);
        if (place === undefined) continue;
        const inTheWay = placed.filter(
          (one) => one.panel === mark.panel && one.left <= place.right && place.left <= one.right,
        );
        placed.push({ ...place, row: Math.max(-1, ...inTheWay.map(({ row }) => row)) + 1 });
      }
      for (const mark of placed) drawLine(chart, mark);
      for (const mark of placed) drawWords(chart, mark);
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

function placeMark({ ctx, chartArea, scales }: Chart, mark: ChartMark): Omit<PlacedMark, "row"> | undefined {
  const pixel = scales["x"]?.getPixelForValue(mark.x);
  if (pixel === undefined) return undefined;
  ctx.save();
  ctx.font = FONT;
  const { width } = ctx.measureText(mark.label);
  ctx.restore();
  const isRight = pixel + LABEL_DISTANCE + width <= chartArea.right;
  const left = isRight ? pixel + LABEL_DISTANCE : pixel - LABEL_DISTANCE - width;
  return { ...mark, pixel, left, right: left + width };
}

function drawLine({ ctx, scales }: Chart, { panel, pixel }: PlacedMark): void {
  const axis = scales[panelAxisId(panel)];
  if (axis === undefined) return;
  ctx.save();
  ctx.strokeStyle = PICTURE.faintText;
  ctx.lineWidth = LINE_WIDTH;
  ctx.setLineDash(DASH);
  ctx.beginPath();
  ctx.moveTo(pixel, axis.top);
  ctx.lineTo(pixel, axis.bottom);
  ctx.stroke();
  ctx.restore();
}

function drawWords({ ctx, scales }: Chart, { panel, left, label, row }: PlacedMark): void {
  const axis = scales[panelAxisId(panel)];
  if (axis === undefined) return;
  const top = axis.top + row * LINE_HEIGHT + 3;
  ctx.save();
  ctx.font = FONT;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  // Lines behind the words would make them hard to read.
  ctx.strokeStyle = PICTURE.background;
  ctx.lineWidth = HALO;
  ctx.lineJoin = "round";
  ctx.strokeText(label, left, top);
  ctx.fillStyle = PICTURE.text;
  ctx.fillText(label, left, top);
  ctx.restore();
}
