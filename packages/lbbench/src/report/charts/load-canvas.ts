import type { Plugin } from "chart.js";
import type { DrawnChart } from "./chart-config.js";
import { PICTURE } from "./picture-style.js";

/** Draws a chart at once, and resolves with its PNG: another one can be drawn while this one is compressed. */
export type DrawChart = (config: DrawnChart, height: number) => Promise<Uint8Array>;

/** What is used of a canvas. node-canvas compresses beside this thread by a callback, @napi-rs/canvas by `encode`. */
interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly getContext: (kind: "2d") => { readonly drawImage: (image: Canvas, x: number, y: number) => void };
  readonly encode?: (format: "png") => Promise<Uint8Array>;
  toBuffer: (onDone: (error: Error | null, buffer: Uint8Array) => void, type: "image/png") => void;
}

/** What is used of a canvas' module: node-canvas registers fonts by `registerFont`, @napi-rs/canvas by the other. */
interface CanvasModule {
  readonly createCanvas: (width: number, height: number) => Canvas;
  readonly GlobalFonts?: {
    readonly has: (family: string) => boolean;
    readonly registerFromPath: (path: string, family: string) => unknown;
  };
  readonly registerFont?: (path: string, font: { readonly family: string; readonly weight: string }) => void;
}

/**
 * Loads what draws pictures, and the font that comes with it; it is heavy, so only who draws calls it.
 * Rejects with a {@link PngUnavailableError} when the canvas, which is optional, is missing or does not load.
 */
export async function loadCanvas(): Promise<DrawChart> {
  const { ChartJSNodeCanvas, FONTS, module } = await loadModules();
  registerFonts(module, FONTS);
  return (config, height) => {
    const drawing = new ChartJSNodeCanvas({ width: PICTURE.width, height });
    const copy = module.createCanvas(PICTURE.width, height);
    const plugins = [...(config.plugins ?? []), takeCopy(copy)];
    drawing.renderToBufferSync({ ...config, plugins } as Parameters<typeof drawing.renderToBufferSync>[0]);
    return encode(copy);
  };
}

async function loadModules() {
  try {
    const { findCanvas, ...modules } = await import("#chart-canvas");
    return { ...modules, module: findCanvas() as CanvasModule };
  } catch (cause) {
    throw new PngUnavailableError(
      `PNG charts are left out: @napi-rs/canvas, which draws them, does not load (${firstLine(cause)}). ` +
        "Install it with `npm install @napi-rs/canvas`, or leave out the format png",
      { cause },
    );
  }
}

/**
 * Copies what is drawn, because chartjs-node-canvas clears its canvas when it is done, and lets it compress nothing: it would do
 * so on this thread, for as long as drawing takes.
 */
function takeCopy(copy: Canvas): Plugin {
  return {
    id: "takeCopy",
    afterRender: (chart) => {
      const drawn = chart.canvas as unknown as Canvas;
      copy.getContext("2d").drawImage(drawn, 0, 0);
      drawn.toBuffer = () => {};
    },
  };
}

function encode(canvas: Canvas): Promise<Uint8Array> {
  if (canvas.encode !== undefined) return canvas.encode("png");
  return new Promise((resolve, reject) => {
    canvas.toBuffer((error, buffer) => (error === null ? resolve(buffer) : reject(error)), "image/png");
  });
}

function registerFonts(
  canvas: CanvasModule,
  fonts: readonly { readonly path: string; readonly weight: string }[],
): void {
  if (canvas.GlobalFonts?.has(PICTURE.fontFamily) === true) {
    return;
  }
  for (const { path, weight } of fonts) {
    if (canvas.GlobalFonts !== undefined) {
      canvas.GlobalFonts.registerFromPath(path, PICTURE.fontFamily);
    } else {
      canvas.registerFont?.(path, { family: PICTURE.fontFamily, weight });
    }
  }
}

function firstLine(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.split("\n", 1)[0] ?? message;
}

/** Pictures cannot be drawn: an optional package is missing or does not load. The message says what to install. */
export class PngUnavailableError extends Error {
  override readonly name = "PngUnavailableError";
  readonly code = "PNG_UNAVAILABLE";
}
