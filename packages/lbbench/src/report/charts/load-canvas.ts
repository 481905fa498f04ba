import { createRequire } from "node:module";
import { PngUnavailableError } from "../png-unavailable-error.js";
import type { DrawnChart } from "./chart-config.js";
import { PICTURE } from "./picture-style.js";

/** Draws a chart as a PNG. */
export type DrawChart = (config: DrawnChart, height: number) => Uint8Array;

/** What is used of `canvas`: node-canvas registers fonts by `registerFont`, its stand-in @napi-rs/canvas by the other. */
interface CanvasModule {
  readonly GlobalFonts?: {
    readonly has: (family: string) => boolean;
    readonly registerFromPath: (path: string, family: string) => unknown;
  };
  readonly registerFont?: (path: string, font: { readonly family: string; readonly weight: string }) => void;
}

const FONTS = [
  { file: "@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf", weight: "normal" },
  { file: "@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf", weight: "bold" },
] as const;

/**
 * Loads what draws pictures, and the font that comes with it; it is heavy, so only who draws calls it.
 * Rejects with a {@link PngUnavailableError} when one of the optional packages is missing or does not load.
 */
export async function loadCanvas(): Promise<DrawChart> {
  try {
    const { ChartJSNodeCanvas } = await import("chartjs-node-canvas");
    registerFonts();
    return (config, height) => {
      const canvas = new ChartJSNodeCanvas({ width: PICTURE.width, height });
      return canvas.renderToBufferSync(config as Parameters<typeof canvas.renderToBufferSync>[0]);
    };
  } catch (cause) {
    throw new PngUnavailableError(
      "PNG charts need chart.js, chartjs-node-canvas (with a canvas that loads here) and @expo-google-fonts/inter, " +
        `but: ${firstLine(cause)}. Install them with ` +
        "`npm install chart.js chartjs-node-canvas @expo-google-fonts/inter` " +
        'and, where canvas cannot be built, `"overrides": {"canvas": "npm:@napi-rs/canvas@^1.1.1"}` in package.json; ' +
        "or leave out the format png",
      { cause },
    );
  }
}

function registerFonts(): void {
  const require = createRequire(import.meta.url);
  // `canvas` is a dependency of chartjs-node-canvas and not ours, so it is looked for from there.
  const canvas = createRequire(require.resolve("chartjs-node-canvas"))("canvas") as CanvasModule;
  if (canvas.GlobalFonts?.has(PICTURE.fontFamily) === true) {
    return;
  }
  for (const { file, weight } of FONTS) {
    const path = require.resolve(file);
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
