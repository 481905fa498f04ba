import type { ChartDefinition } from "../charts/chart-definition.js";
import { chartTables } from "./chart-tables.js";
import { markup } from "./markup.js";
import type { Markup } from "./markup.js";

/** Returns the place of a chart: its words, an empty box that the page's script draws into, and its points as a table. */
export function chartFigure(chart: ChartDefinition): Markup {
  const { id, title, subtitle, note, alt } = chart;
  const notes = (note ?? "").split("\n").filter((line) => line !== "");
  return markup`<figure class="chart" id="chart-${id}" data-chart="${id}">
<figcaption><h3>${title}</h3><p class="subtitle">${subtitle}</p>${notes.map((line) => markup`<p class="note">${line}</p>`)}</figcaption>
<div class="chart-box"></div>
<details class="chart-data"><summary>Figures of this chart</summary>
<p class="alt">${alt}</p>
${chartTables(chart)}
</details>
</figure>
`;
}
