import type { Result } from "../model/result.js";
import type { ReportFile } from "../plugin.js";
import { chartConfig } from "./charts/chart-config.js";
import { loadCanvas } from "./charts/load-canvas.js";
import { pictureHeight } from "./charts/picture-style.js";
import { modelOf, type ReportModel } from "./report-model.js";

/** Draws the charts of a result, a PNG each: `throughput.png`. Rejects with a `PngUnavailableError` when what draws is not there. */
export async function renderPng(source: Result | ReportModel): Promise<readonly ReportFile[]> {
  const { charts } = modelOf(source);
  if (charts.length === 0) return [];
  const draw = await loadCanvas();
  return charts.map((chart) => ({
    name: `${chart.id}.png`,
    content: draw(chartConfig(chart), pictureHeight(chart.panels.length)),
  }));
}
