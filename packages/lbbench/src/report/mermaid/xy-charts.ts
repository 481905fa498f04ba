import { range } from "../../stats/descriptive.js";
import { groupBy } from "../../stats/group-by.js";
import type { ChartAxis, ChartDefinition, ChartMark, ChartPoint, ChartSeries } from "../charts/chart-definition.js";
import { axisLabel, linearTicks } from "../charts/axes.js";
import { formatCount } from "../../stats/format-number.js";

/** A Mermaid block and what cannot be said inside it. */
export interface XyChart {
  readonly panel: string;
  readonly code: string;
  readonly legend: readonly { readonly square: string; readonly name: string }[];
}

/** Colours that Mermaid is told to use, in order, and a character that looks like each: its charts have no legend. */
const COLORS = [
  ["#0969da", "🟦"],
  ["#e36209", "🟧"],
  ["#1a7f37", "🟩"],
  ["#8250df", "🟪"],
  ["#cf222e", "🟥"],
  ["#8a6343", "🟫"],
] as const;

/** Before what is marked, but not in the drawing. */
const MARK = "┆";

const MOST_PLACES = 40;
const MOST_TICKS = 6;
const SIGNIFICANT_DIGITS = 4;

interface Place {
  readonly words: string;
  readonly x: number | string;
}

/** A line of a chart, with its points by their places. */
interface Line extends ChartSeries {
  readonly at: ReadonlyMap<Place["x"], ChartPoint>;
}

/** Lines with figures at all of the same places, and those whose axis it has. */
type Block = ReturnType<typeof partsOf>[number] & {
  readonly panel: string;
  readonly drawnAlike: readonly ChartSeries[];
};

/**
 * Draws a chart as Mermaid `xychart` blocks: one for each panel and each group of its lines that have figures at the same places, at most
 * six at a time. Mermaid has no logarithmic axes, legends, gaps, whiskers, areas or second axis.
 *
 * Returns `undefined` for what Mermaid cannot draw: a chart whose lines do not share the places of their points, and one with values
 * below the base of its axis.
 */
export function xyCharts(definition: ChartDefinition): readonly XyChart[] | undefined {
  const { x, y, panels, series } = definition;
  const drawn = series
    .filter(({ shape }) => shape !== "area")
    .map((one): Line => ({ ...one, at: new Map(one.points.map((point) => [point.x, point])) }));
  const places = sharedPlaces(x, drawn);
  const { base } = y;
  // Bars grow from the lower end of the axis.
  const isBelow = base !== undefined && drawn.some(({ points }) => points.some((point) => (point.y ?? base) < base));
  if (places === undefined || isBelow) return undefined;
  const blocks = panels.flatMap((panel, index) => {
    const lines = drawn.filter((one) => one.panel === index);
    // On a linear axis that reaches over many decades the low lines would all be 0, so those drawn alike, as p50 and p99 are in
    // different dashes, get blocks of their own.
    const groups = y.scale === "log" ? [...groupBy(lines, ({ dash }) => dash).values()] : [lines];
    return groups.flatMap((group) => {
      const drawnAlike = y.scale === "log" ? group : drawn;
      return partsOf(group, x, places).map((part): Block => ({ ...part, panel, drawnAlike }));
    });
  });
  return blocks.map((block, index) => drawBlock(definition, block, index === 0));
}

/** The places of all points; `undefined` where they are too many to be shared, and not evenly spaced either. */
function sharedPlaces(
  { ticks, labels, scale }: ChartAxis,
  series: readonly ChartSeries[],
): readonly Place[] | undefined {
  if (ticks !== undefined && (labels !== undefined || scale === "category"))
    return ticks.map((x, index) => ({ x, words: labels?.[index] ?? String(x) }));
  const all = new Set(series.flatMap(({ points }) => points.map(({ x }) => x)));
  const places = [...all].toSorted((a, b) => Number(a) - Number(b));
  const steps = places.slice(1).map((x, index) => Number(x) - Number(places[index]));
  const isEven = steps.every((step) => Math.abs(step - (steps[0] ?? 0)) < 1e-9);
  const most = Math.max(0, ...series.map(({ points }) => points.length));
  const isShared = places.length <= most * 1.5 && (places.length <= MOST_PLACES || isEven);
  return isShared ? places.map((x) => ({ x, words: typeof x === "number" ? formatCount(x) : x })) : undefined;
}

/** Mermaid draws no gaps, so each block has lines with figures at all of its places; of many places, which have no words, a run without gaps. */
function partsOf(all: readonly Line[], { labels }: ChartAxis, places: readonly Place[]) {
  const has = (line: Line, { x }: Place): boolean => typeof line.at.get(x)?.y === "number";
  const drawn = all.filter((line) => places.some((place) => has(line, place)));
  // Percentiles that some lines have no figure for are left out, rather than drawing the others apart.
  const kept = labels === undefined ? places : places.filter((place) => drawn.every((line) => has(line, place)));
  const alike = groupBy(drawn, (line) => kept.map((place) => (has(line, place) ? "x" : "-")).join(""));
  return [...alike.values()].flatMap((lines) => {
    const told = kept.filter((place) => lines.slice(0, 1).some((line) => has(line, place)));
    const runs = told.length > MOST_PLACES ? runsOf(told, kept) : [told];
    return runs.flatMap((run) =>
      Array.from({ length: Math.ceil(lines.length / COLORS.length) }, (_, at) => ({
        places: run,
        lines: lines.slice(at * COLORS.length, (at + 1) * COLORS.length),
      })),
    );
  });
}

/** Cuts places where others are missing between two of them. */
function runsOf(some: readonly Place[], all: readonly Place[]): readonly (readonly Place[])[] {
  const among = new Set(some);
  const runs: Place[][] = [[]];
  for (const place of all) {
    if (among.has(place)) runs.at(-1)?.push(place);
    else if (runs.at(-1)?.length !== 0) runs.push([]);
  }
  return runs.filter(({ length }) => length > 0);
}

/** @param isFirst whether it tells what is seen in all blocks of the chart. */
function drawBlock(definition: ChartDefinition, block: Block, isFirst: boolean): XyChart {
  const { title, alt, x, y } = definition;
  const { panel, lines, drawnAlike } = block;
  const marks = (definition.marks ?? []).filter((mark) => mark.panel === lines[0]?.panel);
  const words = markPlaces(marks, block);
  const crosses = words.some((one) => one.endsWith(CROSS)) ? ` (${CROSS.trim()}: did not hold)` : "";
  // A line of one point is nothing to see: such lines are bars beside each other, each under its name.
  const isTurned = block.places.length === 1 && lines.length > 1;
  const isBars = lines.length === 1 && (lines[0]?.shape === "bar" || block.places.length === 1);
  const colors = COLORS.slice(0, isTurned ? 1 : lines.length).map(([color]) => color);
  const cutOff = (value: number): number => Math.min(value, y.cut ?? Infinity);
  const values = drawnAlike.flatMap(({ points }) => points.flatMap((point) => point.y ?? [])).map(cutOff);
  // Round ends of the value axis.
  const { low, high } = range([0, ...values]);
  const { min, max } = linearTicks(high, MOST_TICKS, low);
  const listValues = ({ at }: Line): string =>
    block.places
      .map(({ x: place }) => Number(cutOff(at.get(place)?.y ?? 0).toPrecision(SIGNIFICANT_DIGITS)))
      .join(", ");
  return {
    panel,
    legend: [
      ...(isTurned ? [] : lines.map(({ name }, index) => ({ square: COLORS[index]?.[1] ?? "", name }))),
      ...marks.flatMap(({ whole }) => (whole === undefined ? [] : [{ square: MARK, name: whole }])),
    ],
    code: [
      "---",
      "config:",
      "  themeVariables:",
      "    xyChart:",
      `      plotColorPalette: "${colors.join(", ")}"`,
      "---",
      "xychart-beta",
      `  accTitle: ${mermaidWords(panel === "" ? title : `${title}, ${panel}`)}`,
      ...(isFirst ? [`  accDescr: ${mermaidWords(alt)}`] : []),
      isTurned
        ? `  x-axis ${quoteWords(`${axisLabel(x)}: ${words.join("")}${crosses}`)} [${lines.map(({ name }) => quoteWords(name)).join(", ")}]`
        : `  x-axis ${quoteWords(`${axisLabel(x)}${crosses}`)} ${listPlaces(block.places, words)}`,
      `  y-axis ${quoteWords(axisLabel(y))} ${y.base ?? min} --> ${max}`,
      ...(isTurned
        ? [`  bar [${lines.map(listValues).join(", ")}]`]
        : lines.map((line) => `  ${isBars ? "bar" : "line"} [${listValues(line)}]`)),
    ].join("\n"),
  };
}

/** Lines of many seconds stand on an axis of numbers, all others on words. */
function listPlaces(places: readonly Place[], words: readonly string[]): string {
  const [first, last] = [places[0]?.x, places.at(-1)?.x];
  const isLong = places.length > MOST_PLACES && typeof first === "number" && typeof last === "number";
  return isLong ? `${first} --> ${last}` : `[${words.map(quoteWords).join(", ")}]`;
}

const CROSS = " ×";

/** Mermaid marks no points, so what is marked of all lines at a place is said in its words: `64 ×`, `32 (limit)`. */
function markPlaces(marks: readonly ChartMark[], { places, lines }: Block): readonly string[] {
  return places.map(({ x, words }) => {
    const short = marks.find((mark) => mark.x === x)?.short;
    const isBroken = lines.every(({ at }) => at.get(x)?.decision === "broken");
    return isBroken ? `${words}${CROSS}` : `${words}${short === undefined ? "" : ` (${short})`}`;
  });
}

/** Words on one line without what Mermaid, or the fence around its block, could take for something else, such as its entities and comments. */
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

function quoteWords(words: string): string {
  return `"${mermaidWords(words)}"`;
}
