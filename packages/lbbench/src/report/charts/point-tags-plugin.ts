import type { Chart, Plugin } from "chart.js";
import type { DrawnPoint } from "./chart-datasets.js";
import type { ChartDefinition } from "./chart-definition.js";
import type { ChartStyle } from "./picture-style.js";

const POINT_RADIUS = 10;
const DISTANCE = 14;
const HALO = 7;
/** A word at a corner of a point is clear of it at this part of the distance. */
const AT_CORNER = 0.6;

/**
 * Writes the tags of points beside them: those at the ends of lines first, best where no line is. A tag for which there is no room, or only
 * where it would be nearer to another point, is left out.
 */
export function pointTagsPlugin({ series }: Pick<ChartDefinition, "series">, style: ChartStyle): Plugin {
  const hasTags = series.some(({ points }) => points.some(({ tag }) => tag !== undefined));
  return {
    id: "pointTags",
    afterDatasetsDraw: (chart) => {
      if (hasTags) drawTags(chart, style);
    },
  };
}

/** A place in a picture, in pixels. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** A rectangle of a picture, in pixels. */
interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A piece of a line, from one point to the next. */
type Segment = readonly [from: Place, to: Place];

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
  const shown = chart.data.datasets.flatMap((_, index) => (chart.isDatasetVisible(index) ? [index] : []));
  const tags = shown.flatMap((index) => tagsOf(chart, index, tickSize / 2));
  const lines = shown.map((index) => chart.getDatasetMeta(index).data.map(({ x, y }): Place => ({ x, y })));
  const segments = lines.flatMap(segmentsOf);
  const points = lines.flat().filter(isDrawn);
  const taken = points.map((point) => around(point, POINT_RADIUS * lineScale));
  ctx.save();
  ctx.font = `${tickSize}px ${fontFamily}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.lineJoin = "round";
  for (const tag of [...tags.filter(({ isEnd }) => isEnd), ...tags.filter(({ isEnd }) => !isEnd)]) {
    const { width } = ctx.measureText(tag.text);
    const free = placesAround(tag, width, tickSize, DISTANCE * lineScale).filter(
      (box) =>
        isInside(box, tag.panel) &&
        !taken.some((other) => overlaps(box, other)) &&
        points.every((other) => distance(other, box) >= distance(tag, box)),
    );
    const box = free.find((place) => !segments.some((segment) => crosses(segment, place))) ?? free[0];
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

/** @param beyond by how much words beside a point at the edge of the panel may leave it, above and below. */
function tagsOf(chart: Chart, index: number, beyond: number): readonly Tag[] {
  const { left, right } = chart.chartArea;
  const { data: elements, yScale } = chart.getDatasetMeta(index);
  const { data = [], borderColor } = chart.data.datasets[index] ?? {};
  if (yScale === undefined) return [];
  const panel = { left, right, top: yScale.top - beyond, bottom: yScale.bottom + beyond };
  const tags = elements.flatMap((place, at): readonly Omit<Tag, "isEnd">[] => {
    const { tag, y } = (data[at] ?? {}) as Partial<DrawnPoint>;
    const isShown = tag !== undefined && typeof y === "number" && isInside(around(place, 0), panel);
    return isShown ? [{ text: tag, color: String(borderColor), x: place.x, y: place.y, panel }] : [];
  });
  return tags.map((tag, at) => ({ ...tag, isEnd: at === 0 || at === tags.length - 1 }));
}

function segmentsOf(points: readonly Place[]): readonly Segment[] {
  return points.slice(1).flatMap((to, at): readonly Segment[] => {
    const from = points[at];
    return from !== undefined && isDrawn(from) && isDrawn(to) ? [[from, to]] : [];
  });
}

function isDrawn({ x, y }: Place): boolean {
  return Number.isFinite(x) && Number.isFinite(y);
}

/** Where a word may stand beside a point, in the order in which it reads best: at its sides, then at its corners. */
function placesAround({ x, y }: Place, width: number, height: number, away: number): readonly Box[] {
  const corner = away * AT_CORNER;
  const places = [
    [x + away, y - height / 2],
    [x - away - width, y - height / 2],
    [x - width / 2, y - away - height],
    [x - width / 2, y + away],
    [x + corner, y + corner],
    [x + corner, y - corner - height],
    [x - corner - width, y - corner - height],
    [x - corner - width, y + corner],
  ] as const;
  return places.map(([left, top]) => ({ left, top, right: left + width, bottom: top + height }));
}

function around({ x, y }: Place, radius: number): Box {
  return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius };
}

/** Whether a box lies in another, edges included. */
function isInside(box: Box, outer: Box): boolean {
  return box.left >= outer.left && box.right <= outer.right && box.top >= outer.top && box.bottom <= outer.bottom;
}

/** Whether two boxes have more than an edge in common. */
function overlaps(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/** From a point to the nearest edge of a box; 0 inside. */
function distance({ x, y }: Place, { left, right, top, bottom }: Box): number {
  return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
}

/** Whether a segment goes through a box: what of it is beyond each side is cut off, until nothing or a piece is left. */
function crosses([from, to]: Segment, box: Box): boolean {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const sides = [
    [-dx, from.x - box.left],
    [dx, box.right - from.x],
    [-dy, from.y - box.top],
    [dy, box.bottom - from.y],
  ] as const;
  let [start, end] = [0, 1];
  for (const [slope, room] of sides) {
    if (slope === 0 && room < 0) return false;
    if (slope < 0) start = Math.max(start, room / slope);
    if (slope > 0) end = Math.min(end, room / slope);
  }
  return start <= end;
}
