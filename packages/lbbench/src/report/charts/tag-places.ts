/** A place in a picture, in pixels. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A rectangle of a picture, in pixels. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A piece of a line, from one point to the next. */
export interface Segment {
  readonly from: Place;
  readonly to: Place;
}

/** A word at a corner of a point is clear of it at this part of the distance. */
const AT_CORNER = 0.6;

/** Returns where a word may stand beside a point, in the order in which it reads best: at its sides, then at its corners. */
export function placesAround({ x, y }: Place, width: number, height: number, distance: number): readonly Box[] {
  const corner = distance * AT_CORNER;
  const places = [
    [x + distance, y - height / 2],
    [x - distance - width, y - height / 2],
    [x - width / 2, y - distance - height],
    [x - width / 2, y + distance],
    [x + corner, y + corner],
    [x + corner, y - corner - height],
    [x - corner - width, y - corner - height],
    [x - corner - width, y + corner],
  ] as const;
  return places.map(([left, top]) => ({ left, top, right: left + width, bottom: top + height }));
}

/** Says whether a box lies in another, edges included. */
export function isInside(box: Box, outer: Box): boolean {
  return box.left >= outer.left && box.right <= outer.right && box.top >= outer.top && box.bottom <= outer.bottom;
}

/** Says whether two boxes have more than an edge in common. */
export function overlaps(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/** Says whether a segment goes through a box: what of it is beyond each side is cut off, until nothing or a piece is left. */
export function crosses({ from, to }: Segment, box: Box): boolean {
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
