import type { ChartDefinition, ChartSeries } from "../charts/chart-definition.js";
import { chartPlaces } from "./chart-places.js";
import { describePoint, formatFigure } from "./describe-point.js";
import { markup } from "./markup.js";
import type { Content, Markup } from "./markup.js";

/** Of more series a panel gets a table of its own, so that none is wider than a screen of ordinary size. */
const MOST_SERIES = 6;

/**
 * Returns the points of a chart as tables: a row for each x and a column for each series, or, where every series has places of its
 * own along x, a row for each point. Curves that are computed between the points are left out, and of very many points some; both
 * is said.
 */
export function chartTables(chart: ChartDefinition): Markup {
  const hasPoints = chart.series.some(({ dense, shape }) => dense !== true && shape !== "area");
  const isComputed = ({ dense, shape }: ChartSeries): boolean => hasPoints && dense === true && shape === "line";
  const listed = chart.series.filter((one) => !isComputed(one));
  const names = [...new Set(chart.series.filter(isComputed).map(({ name }) => name))];
  const isSplit = chart.panels.length > 1 && listed.length > MOST_SERIES;
  const groups = isSplit
    ? chart.panels.map((panel, at) => ({ about: panel, series: listed.filter((one) => one.panel === at) }))
    : [{ about: "", series: listed }];
  return markup`${groups.filter(({ series }) => series.length > 0).map(({ about, series }) => tabulate(chart, about, series, isSplit))}
${names.length === 0 ? null : note(`Not listed, because it is computed from these points: ${names.join(", ")}.`)}
${(chart.marks ?? []).length === 0 ? null : note(`Marked: ${[...new Set((chart.marks ?? []).map(({ label }) => label))].join(", ")}.`)}`;
}

function tabulate(chart: ChartDefinition, about: string, series: readonly ChartSeries[], isSplit: boolean): Markup {
  const { title, x, y, panels } = chart;
  const nameOf = ({ name, panel }: ChartSeries): string => {
    const part = isSplit ? "" : (panels[panel] ?? "");
    return part === "" || part === name ? name : `${part}: ${name}`;
  };
  const { places, isShared, left } = chartPlaces(x, series);
  const lookups = series.map(({ points }) => new Map(points.map((point) => [point.x, point])));
  const body = isShared
    ? places.map(({ x: place, words }) =>
        row(
          words,
          lookups.map((points) => describePoint(points.get(place))),
        ),
      )
    : series.flatMap((one) =>
        one.points.map((point) => row(nameOf(one), [point.label ?? "", formatFigure(point.x), describePoint(point)])),
      );
  const heads = isShared ? [x.label, ...series.map(nameOf)] : ["Series", "Point", x.label, y.label];
  const caption = [title, ...(about === "" ? [] : [about]), y.label].join(", ");
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="compact">
<caption><span>${caption}</span></caption>
<thead><tr>${heads.map((head, at) => headCell(head, at))}</tr></thead>
<tbody>
${body}</tbody></table></div>
${left === "" ? null : note(left)}`;
}

function headCell(head: string, at: number): Markup {
  return markup`<th scope="col" class="${at === 0 ? "words" : "number"}">${head}</th>`;
}

function row(head: string, cells: readonly string[]): Content {
  return markup`<tr><th scope="row">${head}</th>${cells.map((cell) => markup`<td class="number">${cell}</td>`)}</tr>
`;
}

function note(text: string): Markup {
  return markup`<p class="note">${text}</p>`;
}
