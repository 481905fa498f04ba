import type { Result } from "../model/result.js";
import type { ReportFile } from "../plugin.js";
import { chartConfig } from "./charts/chart-config.js";
import { loadCanvas } from "./charts/load-canvas.js";
import { type ModelReporter, modelOf, type ReportModel } from "./report-model.js";
import { pictureHeight } from "./charts/picture-style.js";

/** Draws the charts of a result, a PNG each: `throughput.png`. Rejects with a `PngUnavailableError` when what draws is not there. */
export const pngReporter: ModelReporter = { format: "png", render: renderPng };

async function renderPng(source: Result | ReportModel): Promise<readonly ReportFile[]> {
  const { charts: definitions } = modelOf(source);
  if (definitions.length === 0) return [];
  const draw = await loadCanvas();
  return definitions.map((definition) => ({
    name: `${definition.id}.png`,
    content: draw(chartConfig(definition), pictureHeight(definition.panels.length)),
  }));
}
