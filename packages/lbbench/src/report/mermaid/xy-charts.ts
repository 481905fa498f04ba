import { groupBy } from "../../stats/group-by.js";
import type { ChartDefinition, ChartPoint, ChartSeries } from "../charts/chart-definition.js";
import { linearTicks } from "../charts/axes.js";
import { formatCount } from "../format-number.js";

/** A line or the bars of a block, and the colour they have in it. */
interface LegendEntry {
  readonly square: string;
  readonly name: string;
}

/** A Mermaid block and what cannot be said inside it. */
export interface XyChart {
  /** Title of the panel it draws; empty where there is but one. */
  readonly panel: string;
  /** Mermaid's text, without a fence. */
  readonly code: string;
  readonly legend: readonly LegendEntry[];
}

/** Colours that Mermaid is told to use, in order, and a character that looks like each: its charts have no legend. */
const COLORS: readonly (readonly [color: string, square: string])[] = [
  ["#0969da", "🟦"],
  ["#e36209", "🟧"],
  ["#1a7f37", "🟩"],
  ["#8250df", "🟪"],
  ["#cf222e", "🟥"],
  ["#8a6343", "🟫"],
];
const MOST_PLACES = 40;
const MOST_TICKS = 6;
/** A point counts as one at a tick when it is this near to it, as a share of its x. */
const NEAR_TICK = 0.02;
const SIGNIFICANT_DIGITS = 4;

/** A value at a place of the axis. */
interface Place {
  readonly words: string;
  readonly x: number | string;
}

/**
 * Draws a chart as Mermaid `xychart` blocks: one for each panel, and for those of its lines that have figures at the same
 * places, at most six at a time. Mermaid has neither logarithmic axes nor legends, gaps, whiskers or a second axis, so the
 * first is drawn linearly, the second is told beside the block, and the others are left out, areas too.
 *
 * Returns `undefined` for a chart whose lines do not share the places of their points: Mermaid cannot draw it.
 */
export function xyCharts(definition: ChartDefinition): readonly XyChart[] | undefined {
  const drawn = definition.series.filter(({ shape }) => shape !== "area");
  const places = sharedPlaces(definition, drawn);
  if (places === undefined) return undefined;
  const shared = valueEnds(drawn);
  const groups = definition.panels.flatMap((panel, index) => {
    const inPanel = drawn.filter((one) => one.panel === index);
    return apart(inPanel, definition).flatMap((lines) => {
      const ends = definition.y.scale === "log" ? valueEnds(lines) : shared;
      return bySamePlaces(lines, placesOf(definition, lines, places)).map((group) => ({ panel, ends, group }));
    });
  });
  return groups.map(({ panel, ends, group }, index) =>
    drawGroup({ definition, panel, ends, isFirst: index === 0 }, group),
  );
}

/**
 * On a linear axis that reaches over many decades the low lines would all be 0, so those drawn alike, as p50 and p99 are in
 * different dashes, get blocks of their own.
 */
function apart(series: readonly ChartSeries[], { y }: ChartDefinition): readonly (readonly ChartSeries[])[] {
  return y.scale === "log" ? [...groupBy(series, ({ dash }) => dash).values()] : [series];
}

/** Percentiles that some lines have no figure for are left out, rather than drawing the others apart. */
function placesOf({ x }: ChartDefinition, lines: readonly ChartSeries[], all: readonly Place[]): readonly Place[] {
  if (x.labels === undefined) return all;
  const drawn = lines.filter(({ points }) => all.some((place) => valueAt(points, place.x) !== null));
  return all.filter((place) => drawn.every(({ points }) => valueAt(points, place.x) !== null));
}

interface Frame {
  readonly definition: ChartDefinition;
  readonly panel: string;
  readonly ends: { readonly min: number; readonly max: number };
  /** The first block of a chart tells what is seen in all of them. */
  readonly isFirst: boolean;
}

interface Group {
  readonly places: readonly Place[];
  readonly lines: readonly { readonly series: ChartSeries; readonly values: readonly number[] }[];
}

function drawGroup({ definition, panel, ends, isFirst }: Frame, group: Group): XyChart {
  const { lines } = group;
  const places = markPlaces(definition, group);
  const crosses = places.some(({ words }) => words.endsWith(CROSS)) ? ` (${CROSS.trim()}: did not hold)` : "";
  const { x, y } = definition;
  const palette = lines.map((_, index) => colorOf(index)[0]).join(", ");
  const isBars = lines.length === 1 && lines[0]?.series.shape === "bar";
  return {
    panel,
    legend: lines.map(({ series }, index) => ({ square: colorOf(index)[1], name: series.name })),
    code: [
      "---",
      "config:",
      "  themeVariables:",
      "    xyChart:",
      `      plotColorPalette: "${palette}"`,
      "---",
      "xychart-beta",
      `  accTitle: ${mermaidWords(panel === "" ? definition.title : `${definition.title}, ${panel}`)}`,
      ...(isFirst ? [`  accDescr: ${mermaidWords(definition.alt)}`] : []),
      `  x-axis ${quoteWords(`${withoutScale(x.label)}${crosses}`)} ${listPlaces(places)}`,
      `  y-axis ${quoteWords(withoutScale(y.label))} ${y.base ?? ends.min} --> ${ends.max}`,
      ...lines.map(({ values }) => `  ${isBars ? "bar" : "line"} [${values.map(formatValue).join(", ")}]`),
    ].join("\n"),
  };
}

function colorOf(index: number): readonly [color: string, square: string] {
  return COLORS[index % COLORS.length] ?? ["#0969da", "🟦"];
}

/** Lines of many seconds stand on an axis of numbers, all others on words. */
function listPlaces(places: readonly Place[]): string {
  const [first, last] = [places[0]?.x, places.at(-1)?.x];
  if (places.length > MOST_PLACES && typeof first === "number" && typeof last === "number")
    return `${first} --> ${last}`;
  return `[${places.map(({ words }) => quoteWords(words)).join(", ")}]`;
}

/** The places of all points; `undefined` where they are too many to be shared, and not evenly spaced either. */
function sharedPlaces({ x: axis }: ChartDefinition, series: readonly ChartSeries[]): readonly Place[] | undefined {
  const { ticks, labels } = axis;
  if (ticks !== undefined && labels !== undefined)
    return ticks.map((x, index) => ({ x, words: labels[index] ?? String(x) }));
  if (axis.scale === "category" && ticks !== undefined) return ticks.map((x) => ({ x, words: String(x) }));
  const places = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].toSorted(
    (a, b) => Number(a) - Number(b),
  );
  const most = Math.max(0, ...series.map(({ points }) => points.length));
  const isShared = places.length <= most * 1.5 && (places.length <= MOST_PLACES || isEven(places));
  return isShared ? places.map((x) => ({ x, words: typeof x === "number" ? formatCount(x) : x })) : undefined;
}

const CROSS = " ×";

/** Mermaid marks no points, so what is marked of all lines at a place is said in its words: `64 ×`, `32 (limit)`. */
function markPlaces({ marks = [] }: ChartDefinition, { places, lines }: Group): readonly Place[] {
  return places.map(({ x, words }) => {
    const short = marks.find((mark) => mark.x === x)?.short;
    const isBroken = lines.every(({ series }) => series.points.find((point) => point.x === x)?.decision === "broken");
    return { x, words: isBroken ? `${words}${CROSS}` : `${words}${short === undefined ? "" : ` (${short})`}` };
  });
}

function isEven(places: readonly (number | string)[]): boolean {
  const steps = places.slice(1).map((x, index) => Number(x) - Number(places[index]));
  return steps.every((step) => Math.abs(step - (steps[0] ?? 0)) < 1e-9);
}

/** Mermaid draws no gaps, so each block has lines with figures at all of its places. */
function bySamePlaces(series: readonly ChartSeries[], places: readonly Place[]): readonly Group[] {
  const found = series.flatMap((one) => {
    const values = places.map(({ x }) => valueAt(one.points, x));
    return values.every((value) => value === null) ? [] : [{ series: one, values }];
  });
  const groups = groupBy(found, ({ values }) => values.map((value) => (value === null ? "-" : "x")).join(""));
  return [...groups.values()].flatMap((alike) =>
    chunk(alike, COLORS.length).map((lines) => ({
      places: places.filter((_, index) => lines[0]?.values[index] !== null),
      lines: lines.map((line) => ({ ...line, values: line.values.filter((value) => value !== null) })),
    })),
  );
}

function valueAt(points: readonly ChartPoint[], x: number | string): number | null {
  const exact = points.find((point) => point.x === x);
  if (exact !== undefined || typeof x === "string") return exact?.y ?? null;
  const near = points.find((point) => typeof point.x === "number" && Math.abs(point.x - x) <= NEAR_TICK * Math.abs(x));
  return near?.y ?? null;
}

/** Round ends of a value axis for these series. */
function valueEnds(series: readonly ChartSeries[]): Frame["ends"] {
  const values = series.flatMap(({ points }) => points.flatMap(({ y }) => y ?? []));
  return linearTicks(Math.max(0, ...values), MOST_TICKS, Math.min(0, ...values));
}

/** An axis that is not drawn logarithmically shall not be said to be. */
function withoutScale(label: string): string {
  return label.replace(/, log scale\)/, ")").replace(" (log scale)", "");
}

function formatValue(value: number): string {
  return String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));
}

function chunk<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/**
 * Returns words on one line, without what Mermaid, or the fence around its block, could take for something else: quotes, back
 * quotes, braces, `<`, `>`, `#` and `;`, between which its entities stand, and `%%`, which begins a comment.
 */
function mermaidWords(words: string): string {
  return words
    .replaceAll(/["`]/g, "'")
    .replaceAll(/[<{]/g, "(")
    .replaceAll(/[>}]/g, ")")
    .replaceAll(";", ",")
    .replaceAll(/[#\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/%{2,}/g, "%")
    .trim();
}

/** Returns words as a quoted text of Mermaid. */
function quoteWords(words: string): string {
  return `"${mermaidWords(words)}"`;
}
