import type { Chart, Plugin } from "chart.js";
import { panelAxisId } from "./chart-datasets.js";
import type { ChartDefinition, ChartRule } from "./chart-definition.js";
import type { ChartStyle } from "./picture-style.js";

const LINE_WIDTH = 3;
const DASH = [12, 6];
const HALO = 7;
const DISTANCE = 4;
/** Between the words of neighbours, and from the end of the line. */
const ROOM = 14;
/** Between lines of text. */
const LEADING = 6;

/**
 * Draws a line across its panel for each rule, dashed where it has words, which stand at its right end: above, or below where
 * bars hang down to it. Those of neighbours stand side by side.
 */
export function rulesPlugin({ rules = [], y }: Pick<ChartDefinition, "rules" | "y">, style: ChartStyle): Plugin {
  return {
    id: "rules",
    afterDatasetsDraw: (chart) => {
      const placed: PlacedRule[] = [];
      const base = y.base ?? 0;
      for (const rule of rules) {
        // Words above and words below are in nobody's way.
        const isBelow = rule.y < base;
        const sameSide = placed.filter((one) => one.y < base === isBelow);
        const place = placeRule(chart, rule, sameSide, style);
        if (place !== undefined) placed.push(place);
      }
      for (const rule of placed) drawLine(chart, rule, style);
      for (const rule of placed) drawWords(chart, { ...rule, isBelow: rule.y < base }, style);
    },
  };
}

/** A rule, and where it is in pixels. */
interface PlacedRule extends ChartRule {
  readonly pixel: number;
  readonly left: number;
  readonly right: number;
}

function placeRule(
  { ctx, chartArea, scales }: Chart,
  rule: ChartRule,
  placed: readonly PlacedRule[],
  style: ChartStyle,
): PlacedRule | undefined {
  const pixel = scales[panelAxisId(rule.panel)]?.getPixelForValue(rule.y);
  if (pixel === undefined) return undefined;
  ctx.save();
  ctx.font = fontOf(style);
  const { width } = ctx.measureText(rule.label);
  ctx.restore();
  const near = placed.filter((one) => one.label !== "" && Math.abs(one.pixel - pixel) < style.tickSize + LEADING);
  const right = Math.min(chartArea.right, ...near.map(({ left }) => left)) - ROOM;
  return { ...rule, pixel, left: right - width, right };
}

function drawLine({ ctx, chartArea }: Chart, { pixel, label }: PlacedRule, style: ChartStyle): void {
  ctx.save();
  ctx.strokeStyle = style.text;
  ctx.lineWidth = LINE_WIDTH * style.lineScale;
  ctx.setLineDash(label === "" ? [] : DASH.map((length) => length * style.lineScale));
  ctx.beginPath();
  ctx.moveTo(chartArea.left, pixel);
  ctx.lineTo(chartArea.right, pixel);
  ctx.stroke();
  ctx.restore();
}

function drawWords(
  { ctx }: Chart,
  { pixel, left, label, isBelow }: PlacedRule & { readonly isBelow: boolean },
  style: ChartStyle,
): void {
  if (label === "") return;
  ctx.save();
  ctx.font = fontOf(style);
  ctx.textAlign = "left";
  ctx.textBaseline = isBelow ? "top" : "bottom";
  const edge = isBelow ? pixel + DISTANCE : pixel - DISTANCE;
  // Bars behind the words would make them hard to read.
  ctx.strokeStyle = style.background;
  ctx.lineWidth = HALO;
  ctx.lineJoin = "round";
  ctx.strokeText(label, left, edge);
  ctx.fillStyle = style.text;
  ctx.fillText(label, left, edge);
  ctx.restore();
}

function fontOf({ tickSize, fontFamily }: ChartStyle): string {
  return `${tickSize}px ${fontFamily}`;
}
