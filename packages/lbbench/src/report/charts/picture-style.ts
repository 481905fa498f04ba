/** Colours that people with any kind of colour vision tell apart (Okabe and Ito, 2008), the ones that are hard to see on white last. */
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

/** The shape of points for an index; starts again one shape further on, so that the first 64 differ in shape or colour. */
export function markerAt(index: number): (typeof MARKERS)[number] {
  const round = Math.floor(index / PALETTE.length);
  return MARKERS[(index + round) % MARKERS.length] ?? MARKERS[0];
}

/** How pictures look; sizes in pixels of a picture that is twice as fine as it is shown. */
export const PICTURE = {
  width: 1600,
  height: 900,
  /** A name of our own, so that another version of Inter on the machine is never taken for it. */
  fontFamily: "LbbenchInter",
  background: "#ffffff",
  text: "#1f2328",
  faintText: "#57606a",
  grid: "#e4e7eb",
  border: "#8c959f",
  whisker: "#24292f",
  /** Of areas, which stay behind lines and grid. */
  area: "#eceff3",
  areaEdge: "#c3cad3",
  palette: PALETTE as readonly string[],
  titleSize: 36,
  subtitleSize: 25,
  labelSize: 26,
  padding: 24,
  tickSize: 24,
  /** How thick lines and how large points are, against those of a picture. */
  lineScale: 1,
};

/** How every chart looks: colours as CSS writes them, sizes in pixels. */
export type ChartStyle = Readonly<Omit<typeof PICTURE, "width" | "height">>;

/** Room that each panel needs when there are several, and that title, legend and labels need together. */
const PANEL_HEIGHT = 320;
const FRAME_HEIGHT = 320;

/** Returns the height of a picture with so many panels, in pixels. */
export function pictureHeight(panels: number): number {
  return Math.max(PICTURE.height, FRAME_HEIGHT + panels * PANEL_HEIGHT);
}
