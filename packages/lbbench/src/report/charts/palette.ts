/**
 * Eight colours that people with any kind of colour vision tell apart (Okabe and Ito, "Color Universal Design", 2008),
 * the ones that are hard to see on white last.
 */
export const PALETTE = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#e69f00",
  "#000000",
  "#f0e442",
] as const;

/** Shapes of points, so that colour is not the only difference; as many as colours, under chart.js's names. */
const MARKERS = ["circle", "rect", "triangle", "rectRot", "star", "crossRot", "cross", "rectRounded"] as const;

/** Returns the colour of a palette for an index; starts again after the last. */
export function colorAt(index: number, palette: readonly string[]): string {
  return palette[index % palette.length] ?? PALETTE[0];
}

/**
 * Returns the shape of points for an index; starts again after the last, one shape further on, so that no two of the first 64
 * have both shape and colour in common.
 */
export function markerAt(index: number): (typeof MARKERS)[number] {
  const round = Math.floor(index / PALETTE.length);
  return MARKERS[(index + round) % MARKERS.length] ?? MARKERS[0];
}
