import type { DrawnChart } from "./chart-config.js";
import { PICTURE } from "./picture-style.js";

/** Draws a chart, and returns its PNG. */
export type DrawChart = (config: DrawnChart, height: number) => Uint8Array;

/** What is used of a canvas' module: node-canvas registers fonts by `registerFont`, @napi-rs/canvas by the other. */
interface CanvasModule {
  readonly GlobalFonts?: {
    readonly has: (family: string) => boolean;
    readonly registerFromPath: (path: string, family: string) => unknown;
  };
  readonly registerFont?: (path: string, font: { readonly family: string; readonly weight: string }) => void;
}

/**
 * Loads what draws pictures, and its font; it is heavy, so only who draws calls it.
 * Rejects with a {@link PngUnavailableError} when the canvas, which is optional, is missing or does not load.
 */
export async function loadCanvas(): Promise<DrawChart> {
  const { ChartJSNodeCanvas, FONTS, module } = await loadModules();
  registerFonts(module, FONTS);
  return (config, height) => {
    const drawing = new ChartJSNodeCanvas({ width: PICTURE.width, height });
    return drawing.renderToBufferSync(config as Parameters<typeof drawing.renderToBufferSync>[0], "image/png");
  };
}

async function loadModules() {
  try {
    const { findCanvas, ...modules } = await import("#chart-canvas");
    return { ...modules, module: findCanvas() as CanvasModule };
  } catch (cause) {
    const [why = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n", 1);
    throw new PngUnavailableError(
      `PNG charts are left out: @napi-rs/canvas, which draws them, does not load (${why}). ` +
        "Install it with `npm install @napi-rs/canvas`, or leave out the format png",
      { cause },
    );
  }
}

function registerFonts(
  canvas: CanvasModule,
  fonts: readonly { readonly path: string; readonly weight: string }[],
): void {
  const { GlobalFonts } = canvas;
  const { fontFamily: family } = PICTURE;
  if (GlobalFonts?.has(family) === true) return;
  for (const { path, weight } of fonts) {
    if (GlobalFonts === undefined) canvas.registerFont?.(path, { family, weight });
    else GlobalFonts.registerFromPath(path, family);
  }
}

/** Pictures cannot be drawn: an optional package is missing or does not load. The message says what to install. */
export class PngUnavailableError extends Error {
  override readonly name = "PngUnavailableError";
  readonly code = "PNG_UNAVAILABLE";
}
