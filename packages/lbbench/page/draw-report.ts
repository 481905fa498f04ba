import type { ChartDefinition } from "../src/report/charts/chart-definition.js";
import { InteractiveChart } from "./chart/interactive-chart.js";
import { offerDownload } from "./download.js";
import { element, embeddedJson } from "./element.js";
import { makeSortable } from "./sort-table.js";

let charts: readonly InteractiveChart[] = [];

/**
 * Brings a report to life: draws its charts, lets its tables be sorted and its result be saved. Can be called again whenever the
 * content of `root` was replaced; charts keep their zoom, their scales and what was hidden.
 */
export function drawReport(root: ParentNode): void {
  for (const chart of charts) chart.destroy();
  charts = drawCharts(root);
  for (const table of root.querySelectorAll<HTMLTableElement>("table.sortable")) makeSortable(table);
  offerDownload(root);
}

function drawCharts(root: ParentNode): readonly InteractiveChart[] {
  const definitions = JSON.parse(embeddedJson(root, "chart-definitions") ?? "[]") as readonly ChartDefinition[];
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  return [...root.querySelectorAll<HTMLElement>("figure.chart[data-chart]")].flatMap((figure) => {
    const box = figure.querySelector<HTMLElement>(".chart-box");
    const definition = byId.get(figure.dataset["chart"] ?? "");
    if (box === null || definition === undefined) return [];
    try {
      return [new InteractiveChart(box, definition)];
    } catch (error) {
      // One chart that fails takes no other with it, and its figures are in the table below.
      box.replaceChildren(element("p", { class: "chart-note" }, `This chart could not be drawn: ${String(error)}`));
      return [];
    }
  });
}
