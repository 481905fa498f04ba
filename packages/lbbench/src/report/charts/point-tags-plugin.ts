import type { Chart, Plugin } from "chart.js";
import type { DrawnPoint } from "./chart-datasets.js";
import type { ChartDefinition } from "./chart-definition.js";
import type { ChartStyle } from "./picture-style.js";
import { crosses, isInside, overlaps, placesAround } from "./tag-places.js";
import type { Box, Place, Segment } from "./tag-places.js";

const POINT_RADIUS = 10;
const DISTANCE = 14;
const HALO = 7;

/** Writes the tags of points beside them, where there is room: those at the ends of lines first, best where no line is. */
export function pointTagsPlugin({ series }: Pick<ChartDefinition, "series">, style: ChartStyle): Plugin {
  const hasTags = series.some(({ points }) => points.some(({ tag }) => tag !== undefined));
  return {
    id: "pointTags",
    afterDatasetsDraw: (chart) => {
      if (hasTags) drawTags(chart, style);
    },
  };
}

/** The tag of a point, and where the point is. */
interface Tag extends Place {
  readonly text: string;
  readonly color: string;
  /** What it may not leave. */
  readonly panel: Box;
  /** Of the first or the last point of a line. */
  readonly isEnd: boolean;
}

function drawTags(chart: Chart, { tickSize, fontFamily, background, lineScale }: ChartStyle): void {
  const { ctx } = chart;
  const tags = collectTags(chart);
  const lines = collectLines(chart);
  const taken = tags.map((tag) => around(tag, POINT_RADIUS * lineScale));
  ctx.save();
  ctx.font = `${tickSize}px ${fontFamily}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.lineJoin = "round";
  for (const tag of [...tags.filter(({ isEnd }) => isEnd), ...tags.filter(({ isEnd }) => !isEnd)]) {
    const { width } = ctx.measureText(tag.text);
    const free = placesAround(tag, width, tickSize, DISTANCE * lineScale).filter(
      (place) => isInside(place, tag.panel) && !taken.some((other) => overlaps(place, other)),
    );
    const box = free.find((place) => !lines.some((line) => crosses(line, place))) ?? free[0];
    if (box === undefined) continue;
    taken.push(box);
    const middle = (box.top + box.bottom) / 2;
    // Lines behind the words would make them hard to read.
    ctx.strokeStyle = background;
    ctx.lineWidth = HALO * lineScale;
    ctx.strokeText(tag.text, box.left, middle);
    ctx.fillStyle = tag.color;
    ctx.fillText(tag.text, box.left, middle);
  }
  ctx.restore();
}

function collectTags(chart: Chart): readonly Tag[] {
  const { left, right } = chart.chartArea;
  return chart.data.datasets.flatMap(({ data, borderColor }, index) => {
    const { data: elements, yScale } = chart.getDatasetMeta(index);
    if (!chart.isDatasetVisible(index) || yScale === undefined) return [];
    const panel = { left, right, top: yScale.top, bottom: yScale.bottom };
    const tags = elements.flatMap((place, at): readonly Omit<Tag, "isEnd">[] => {
      const { tag, y } = (data[at] ?? {}) as Partial<DrawnPoint>;
      const isDrawn = tag !== undefined && typeof y === "number" && isInside(around(place, 0), panel);
      return isDrawn ? [{ text: tag, color: String(borderColor), x: place.x, y: place.y, panel }] : [];
    });
    return tags.map((tag, at) => ({ ...tag, isEnd: at === 0 || at === tags.length - 1 }));
  });
}

function collectLines(chart: Chart): readonly Segment[] {
  return chart.data.datasets.flatMap((_, index) => {
    if (!chart.isDatasetVisible(index)) return [];
    const places = chart.getDatasetMeta(index).data.map(({ x, y }) => ({ x, y }));
    return places.slice(1).flatMap((to, at): readonly Segment[] => {
      const from = places[at];
      const isDrawn = from !== undefined && [from.x, from.y, to.x, to.y].every(Number.isFinite);
      return isDrawn ? [{ from, to }] : [];
    });
  });
}

function around({ x, y }: Place, radius: number): Box {
  return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius };
}
