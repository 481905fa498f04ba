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
        one.points.map((point) => row(nameOf(one), [point.label ?? "", formatPlace(point.x), describePoint(point)])),
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

/** Returns the places along x where series have points: all of them, or, where these are very many, those with a tick or every so many-th. */
function chartPlaces(axis: ChartAxis, series: readonly ChartSeries[]): ChartPlaces {
  const places = new Map<ChartPoint["x"], string>();
  for (const point of series.flatMap(({ points }) => points)) {
    if (!places.has(point.x)) places.set(point.x, namePlace(axis, point));
  }
  const all = [...places].map(([x, words]) => ({ x, words }));
  const sorted = all.every(({ x }) => typeof x === "number") ? all.toSorted((a, b) => Number(a.x) - Number(b.x)) : all;
  const longest = Math.max(0, ...series.map(({ points }) => points.length));
  return { ...thin(axis, sorted), isShared: series.length === 1 || sorted.length < MUCH_MORE * longest };
}

function thin({ ticks = [] }: ChartAxis, all: ChartPlaces["places"]): Omit<ChartPlaces, "isShared"> {
  if (all.length <= MOST_ROWS) return { places: all, left: "" };
  const isLast = (at: number): boolean => at === all.length - 1;
  const marked = all.filter(({ x }, at) => ticks.includes(x) || isLast(at));
  const count = formatCount(all.length);
  if (marked.length > 3 && marked.length <= MOST_ROWS) {
    return { places: marked, left: `Of ${count} places along the axis those with a tick are listed, and the last.` };
  }
  const every = Math.ceil(all.length / MOST_ROWS);
  return {
    places: all.filter((_, at) => at % every === 0 || isLast(at)),
    left: `Of ${count} places along the axis every ${every === 2 ? "second" : `${every}th`} is listed, and the last.`,
  };
}
