import { type ChartStyle, PICTURE } from "../../src/report/charts/picture-style.js";

/** From this width on, in CSS pixels, a chart has the room of a desktop. */
const WIDE = 560;

/** Colours for the dark: paper and ink are those of the style sheet. */
const DARK = {
  background: "#15181c",
  text: "#e4e7eb",
  faintText: "#a6aeb9",
  grid: "#2a3038",
  border: "#59636f",
  whisker: "#e4e7eb",
  area: "#222931",
  areaEdge: "#414b57",
  // Those of the picture in the same order, lighter where they would sink into the dark; black is white here.
  palette: ["#4ba3e3", "#ff8a47", "#2fc79a", "#e59bc4", "#8fd0f7", "#f2b134", "#f0f3f6", "#f7ee7a"],
};

/** Returns how charts look in the page, for a width in CSS pixels; half as large as in a picture, which is twice as fine. */
export function pageStyle(isDark: boolean, width: number): ChartStyle {
  const isWide = width >= WIDE;
  return {
    ...PICTURE,
    ...(isDark ? DARK : {}),
    fontFamily: "system-ui, sans-serif",
    titleSize: 18,
    subtitleSize: 13,
    labelSize: isWide ? 13 : 12,
    tickSize: isWide ? 12 : 11,
    padding: isWide ? 8 : 3,
    lineScale: isWide ? 0.5 : 0.4,
  };
}

const PANEL_HEIGHT = 160;
const FRAME_HEIGHT = 110;
const LOWEST = 320;
const HIGHEST = 480;

/** Returns the height of a chart with so many panels in a width, in CSS pixels; its legend is in it. */
export function pageHeight(panels: number, width: number): number {
  const usual = Math.min(HIGHEST, Math.max(LOWEST, Math.round(width / 2)));
  return panels === 1 ? usual : Math.max(usual, FRAME_HEIGHT + panels * PANEL_HEIGHT);
}
