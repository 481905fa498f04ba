import { PALETTE } from "./palette.js";

/** How a chart looks, whatever its data are: colours as CSS writes them, sizes in pixels. */
export interface ChartStyle {
  readonly fontFamily: string;
  readonly background: string;
  readonly text: string;
  readonly faintText: string;
  readonly grid: string;
  readonly border: string;
  readonly whisker: string;
  /** Of areas, which stay behind lines and grid. */
  readonly area: string;
  readonly areaEdge: string;
  /** Colours of series, by their index; begins again after the last. */
  readonly palette: readonly string[];
  readonly titleSize: number;
  readonly subtitleSize: number;
  readonly labelSize: number;
  readonly padding: number;
  readonly tickSize: number;
  /** How thick lines and how large points are, where those of a PNG are 1. */
  readonly lineScale: number;
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
  area: "#eceff3",
  areaEdge: "#c3cad3",
  palette: PALETTE,
  titleSize: 36,
  subtitleSize: 25,
  labelSize: 26,
  padding: 24,
  tickSize: 24,
  lineScale: 1,
} as const satisfies ChartStyle & { readonly width: number; readonly height: number };

/** Returns chart.js's description of a style's font in a size. */
export function chartFont(
  { fontFamily }: ChartStyle,
  size: number,
): { readonly family: string; readonly size: number } {
  return { family: fontFamily, size };
}

/** Room that each panel needs when there are several, and that title, legend and labels need together. */
const PANEL_HEIGHT = 320;
const FRAME_HEIGHT = 320;

/** Returns the height of a picture with so many panels, in pixels. */
export function pictureHeight(panels: number): number {
  return Math.max(PICTURE.height, FRAME_HEIGHT + panels * PANEL_HEIGHT);
}
