/** The bundle of chart.js and chartjs-node-canvas that `pictures/build.mjs` makes; it takes what draws from {@link findCanvas}. */
declare module "#chart-canvas" {
  export { ChartJSNodeCanvas } from "chartjs-node-canvas";
  /** The module that makes canvases; throws when there is none, or when it does not load. */
  export function findCanvas(): unknown;
  /** The font that comes along: paths of TTF files. */
  export const FONTS: readonly { readonly path: string; readonly weight: string }[];
}
