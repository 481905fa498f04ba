import type { ChartAxis, ChartDefinition, ChartPoint, ChartSeries } from "../charts/chart-definition.js";
import { describePoint, formatPlace, namePlace } from "../charts/chart-words.js";
import { formatCount } from "../../stats/format-number.js";
import { type Content, markup, type Markup } from "./markup.js";

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

/**
 * Returns the points of a chart as tables, one for each panel: a row for each x and a column for each series, or, where every series has
 * places of its own along x, a row for each point. Curves that are computed between the points are left out, and of very many points
 * some; both is said.
 */
export function chartTables(chart: ChartDefinition): Markup {
  const { series, panels, marks = [] } = chart;
  const hasPoints = series.some(({ dense, shape }) => dense !== true && shape !== "area");
  const isComputed = ({ dense, shape }: ChartSeries): boolean => hasPoints && dense === true && shape === "line";
  const names = [...new Set(series.filter(isComputed).map(({ name }) => name))];
  const tables = panels.map((panel, at) => {
    const listed = series.filter((one) => one.panel === at && !isComputed(one));
    return listed.length === 0 ? null : tabulate(chart, panel, listed);
  });
  return markup`${tables}
${names.length === 0 ? null : note(`Not listed, because it is computed from these points: ${names.join(", ")}.`)}
${marks.length === 0 ? null : note(`Marked: ${[...new Set(marks.map(({ label }) => label))].join(", ")}.`)}`;
}

function tabulate({ title, x, y }: ChartDefinition, panel: string, series: readonly ChartSeries[]): Markup {
  const { places, isShared, left } = chartPlaces(x, series);
  const lookups = series.map(({ points }) => new Map(points.map((point) => [point.x, point])));
  const body = isShared
    ? places.map(({ x: place, words }) =>
        row(
          words,
          lookups.map((points) => describePoint(points.get(place))),
        ),
      )
    : series.flatMap(({ name, points }) =>
        points.map((point) => row(name, [point.label ?? "", formatPlace(point.x), describePoint(point)])),
      );
  const heads = isShared ? [x.label, ...series.map(({ name }) => name)] : ["Series", "Point", x.label, y.label];
  const caption = [title, ...(panel === "" ? [] : [panel]), y.label].join(", ");
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

/** A table of more rows is nothing that anybody reads; the result that comes with the page has all that was measured. */
const MOST_ROWS = 60;

/** Of so many times as many places as its longest series has, most would be empty in a table with a column for each series. */
const MUCH_MORE = 1.5;

/** Where the points of several series lie along x. */
interface ChartPlaces {
  readonly places: readonly { readonly x: ChartPoint["x"]; readonly words: string }[];
  /** Whether the series have most of these places in common. */
  readonly isShared: boolean;
  /** Says which places were left out; empty for none. */
  readonly left: string;
}

/** Returns the places along x where series have points: all of them, or, where these are very many, every so many-th. */
function chartPlaces(axis: ChartAxis, series: readonly ChartSeries[]): ChartPlaces {
  const points = new Map(series.flatMap((one) => one.points).map((point) => [point.x, point]));
  const all = [...points].map(([x, point]) => ({ x, words: namePlace(axis, point) }));
  const sorted = all.every(({ x }) => typeof x === "number") ? all.toSorted((a, b) => Number(a.x) - Number(b.x)) : all;
  const longest = Math.max(0, ...series.map((one) => one.points.length));
  const isShared = series.length === 1 || sorted.length < MUCH_MORE * longest;
  if (sorted.length <= MOST_ROWS) return { places: sorted, isShared, left: "" };
  const every = Math.ceil(sorted.length / MOST_ROWS);
  const isTick = ({ x }: { readonly x: ChartPoint["x"] }, at: number): boolean =>
    axis.labels === undefined ? at % every === 0 : axis.ticks?.includes(x) === true;
  const which =
    axis.labels === undefined ? `every ${every === 2 ? "second" : `${every}th`} is` : "those with a tick are";
  return {
    places: sorted.filter((place, at) => isTick(place, at) || at === sorted.length - 1),
    isShared,
    left: `Of ${formatCount(sorted.length)} places along the axis ${which} listed, and the last.`,
  };
}
