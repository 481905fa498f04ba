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
  titleSize: 36,
  subtitleSize: 25,
  labelSize: 26,
  padding: 24,
  tickSize: 24,
} as const;

/** Returns chart.js's description of the picture's font in a size. */
export function pictureFont(size: number): { readonly family: string; readonly size: number } {
  return { family: PICTURE.fontFamily, size };
}

/** Room that each panel needs when there are several, and that title, legend and labels need together. */
const PANEL_HEIGHT = 320;
const FRAME_HEIGHT = 320;

/** Returns the height of a picture with so many panels, in pixels. */
export function pictureHeight(panels: number): number {
  return Math.max(PICTURE.height, FRAME_HEIGHT + panels * PANEL_HEIGHT);
}
