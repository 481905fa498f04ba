import { type Block, paragraph, type Table, type TableCell } from "../document/block.js";
import { axisLabel } from "../charts/axes.js";
import type { ChartAxis, ChartDefinition, ChartPoint, ChartSeries } from "../charts/chart-definition.js";
import { describePoint, formatPlace, namePlace, tellMarks } from "../charts/chart-words.js";
import { formatCount } from "../../stats/format-number.js";

/**
 * Returns the points of a chart as tables, one for each panel: a row for each x and a column for each series, or, where every series has
 * places of its own, a row for each point. Of very many points some are left out, which is said.
 */
export function chartTables(chart: ChartDefinition): readonly Block[] {
  const { series, panels, marks = [] } = chart;
  return [
    ...panels.flatMap((panel, at) => {
      const listed = series.filter((one) => one.panel === at);
      return listed.length === 0 ? [] : tabulate(chart, panel, listed);
    }),
    ...tellMarks(marks).map(paragraph),
  ];
}

function tabulate({ title, x, y }: ChartDefinition, panel: string, series: readonly ChartSeries[]): readonly Block[] {
  const { places, isShared, left } = chartPlaces(x, series);
  const lookups = series.map(({ points }) => new Map(points.map((point) => [point.x, point])));
  const cellOf = (point?: ChartPoint): TableCell => ({ text: describePoint(point), value: point?.y ?? undefined });
  const placeCell = (place: ChartPoint["x"], text: string): TableCell => {
    return { text, value: typeof place === "number" ? place : x.values?.[x.ticks?.indexOf(place) ?? -1] };
  };
  const rows = isShared
    ? places.map(({ x: place, words }) => [
        placeCell(place, words),
        ...lookups.map((points) => cellOf(points.get(place))),
      ])
    : series.flatMap(({ name, points }) =>
        points.map((point) => {
          return [{ text: name }, { text: point.label ?? "" }, placeCell(point.x, formatPlace(point.x)), cellOf(point)];
        }),
      );
  const heads = isShared
    ? [axisLabel(x), ...series.map(({ name }) => name)]
    : ["Series", "Point", axisLabel(x), axisLabel(y)];
  const columns = heads.map((head, at) => ({ head, align: at === 0 ? ("left" as const) : ("right" as const) }));
  const caption = [title, ...(panel === "" ? [] : [panel]), axisLabel(y)].join(", ");
  const table: Table = { kind: "table", caption, lead: caption, columns, rows };
  return left === "" ? [table] : [table, paragraph(left)];
}

/** A longer table is not read; the result that comes with the page has all that was measured. */
const MOST_ROWS = 60;

/** Of so many times as many places as its longest series has, most would be empty in a table with a column for each series. */
const MUCH_MORE = 1.5;

/** Returns the places along x where series have points: all of them, or, where these are very many, every so many-th. */
function chartPlaces(axis: ChartAxis, series: readonly ChartSeries[]) {
  const points = new Map(series.flatMap((one) => one.points).map((point) => [point.x, point]));
  const all = [...points].map(([x, point]) => ({ x, words: namePlace(axis, point) }));
  const sorted = all.every(({ x }) => typeof x === "number") ? all.toSorted((a, b) => Number(a.x) - Number(b.x)) : all;
  const longest = Math.max(0, ...series.map((one) => one.points.length));
  const isShared = series.length === 1 || sorted.length < MUCH_MORE * longest;
  if (!isShared || sorted.length <= MOST_ROWS) return { places: sorted, isShared, left: "" };
  const every = Math.ceil(sorted.length / MOST_ROWS);
  const isByTick = axis.labels !== undefined;
  const which = isByTick ? "those with a tick are" : `${every === 2 ? "every second" : `one in ${every}`} is`;
  const isListed = (x: ChartPoint["x"], at: number) => (isByTick ? axis.ticks?.includes(x) : at % every === 0);
  return {
    places: sorted.filter(({ x }, at) => isListed(x, at) || at === sorted.length - 1),
    isShared,
    left: `Of ${formatCount(sorted.length)} places along the axis ${which} listed, and the last.`,
  };
}
