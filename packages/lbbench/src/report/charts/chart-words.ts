/** The words of charts that come from what they show: by one rule each, for all charts. */
import { range } from "../../stats/descriptive.js";
import { groupBy } from "../../stats/group-by.js";
import type { Cell } from "../cells.js";
import { describeLoads } from "../describe-level.js";
import { describeState } from "../describe-run.js";
import { DECISION_WORDS } from "../describe-search.js";
import { formatCount, formatTime } from "../../stats/format-number.js";
import { plainLine } from "../plain-line.js";
import { axisLabel, isPieceOfStack, valueTicks } from "./axes.js";
import type { ChartAxis, ChartDefinition, ChartMark, ChartPoint, ChartSeries } from "./chart-definition.js";
import type { Curve } from "./curves.js";

const PLACE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });

/** Returns a place along an axis: a level or a second in full, else to the thousandth. */
export function formatPlace(x: ChartPoint["x"]): string {
  return typeof x === "string" ? x : PLACE.format(x);
}

/** Names the place of a point: by itself, by the words of its tick, or by its number. */
export function namePlace({ ticks = [], labels = [] }: ChartAxis, { x, label }: ChartPoint): string {
  return label ?? labels[ticks.indexOf(x)] ?? formatPlace(x);
}

function formatValue(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : formatTime(value);
}

/** Returns the value of a point, with its whisker and the trials that lie far from it; `–` where there is none. */
export function describePoint(point: ChartPoint | undefined): string {
  if (point === undefined || point.y === null) return "–";
  const { y, outliers = [], decision } = point;
  const far = outliers.length === 0 ? "" : `, outliers ${outliers.map(formatValue).join(", ")}`;
  const decided = decision === undefined ? "" : `, ${DECISION_WORDS[decision]}`;
  return `${formatValue(y)}${describeWhisker(point)}${far}${decided}`;
}

function describeWhisker({ low, high }: ChartPoint): string {
  return low === undefined || high === undefined ? "" : ` (${formatValue(low)} to ${formatValue(high)})`;
}

/** Of more series only the highest point is told; of more than the second number it is said how many are left out. */
const MOST_TOLD_WHOLE = 6;
const MOST_TOLD = 9;

/**
 * Says what a chart shows: `Shows requests/s by connections. single: 90 at 1, highest 400 at 50, 380 at 1,000.` It tells the
 * points with a tag, else those at ticks with words, else the first, the lowest, the highest and the last; of many series the highest.
 */
export function altText({ x, y, right, panels, series, marks = [], rules = [] }: Omit<ChartDefinition, "alt">): string {
  const drawn = series.filter(({ points }) => points.some((point) => point.y !== null));
  const told = drawn.slice(0, MOST_TOLD).map((one) => {
    const panel = panels[one.panel] ?? "";
    const names = [panel === one.name ? "" : panel, one.name].filter((name) => name !== "");
    return `${names.join(", ")}: ${tellPoints(one, x, y.base !== undefined, drawn.length > MOST_TOLD_WHOLE)}.`;
  });
  const labels = [y, right ?? []].flat().map(axisLabel).join(" and ");
  const lines = rules.flatMap(({ label, y: at }) => (label === "" ? [] : [`${label} at ${formatValue(at)}`]));
  const left = drawn.length - MOST_TOLD;
  return [
    `Shows ${labels}${x.label === "" ? "" : ` by ${axisLabel(x)}`}.`,
    ...told,
    ...(left > 0 ? [`This text leaves out ${formatCount(left)} of ${formatCount(drawn.length)} series.`] : []),
    ...tellMarks(marks),
    ...listOnce("Lines", lines),
  ].join(" ");
}

/** Says in a sentence what is marked; nothing where nothing is. */
export function tellMarks(marks: readonly ChartMark[]): readonly string[] {
  const words = marks.map(({ label, whole = label }) => whole);
  return listOnce("Marked", words);
}

function listOnce(what: string, words: readonly string[]): readonly string[] {
  return words.length === 0 ? [] : [`${what}: ${[...new Set(words)].join(", ")}.`];
}

function tellPoints({ points }: ChartSeries, x: ChartAxis, hasRange: boolean, isBrief: boolean): string {
  const all = points.flatMap((point) => (point.y === null ? [] : [{ ...point, y: point.y }]));
  const [first, last] = [all[0], all.at(-1)];
  const values = all.map(({ y }) => y);
  const { low: least, high: most } = range(values);
  const [lowest, highest] = [all[values.indexOf(least)], all[values.indexOf(most)]];
  if (lowest?.y === highest?.y && all.length > 1 && !hasRange) return `${formatValue(highest?.y ?? 0)} throughout`;
  const tagged = all.filter(({ tag }) => tag !== undefined);
  const named = x.labels === undefined ? [] : all.filter((point) => x.ticks?.includes(point.x));
  const whole = [tagged, named, [first, lowest, highest, last]].find(({ length }) => length > 0) ?? [];
  const brief = named.length > 0 ? [named[1], named.at(-1)] : [highest];
  const told = all.filter((point) => (isBrief ? brief : whole).includes(point));
  const describe = (point: (typeof all)[number]): string => {
    const { y, label } = point;
    const isEnd = isBrief ? all.length === 1 : point === first || point === last;
    const word = isEnd || named.length > 0 ? "" : point === highest ? "highest " : point === lowest ? "lowest " : "";
    const whisker = hasRange ? describeWhisker(point) : "";
    const isBetween = label !== undefined && x.labels === undefined && typeof point.x === "number";
    return `${word}${formatValue(y)}${whisker} at ${isBetween ? `${formatValue(Number(point.x))} (${label})` : namePlace(x, point)}`;
  };
  return told.map(describe).join(", ");
}

const MOST_NAMED = 4;

/** Says at which levels curves have no figure, and why: `no figure: single with 500 connections (failed)`. */
export function gapNotes(curves: readonly Curve[], hasFigure: (cell: Cell) => boolean): readonly string[] {
  const gaps = curves.flatMap(({ name, cells }) => {
    const byReason = groupBy(
      cells.filter((cell) => !hasFigure(cell)),
      (cell) => {
        if (cell.measurements.length === 0) return describeState(cell) || "not measured";
        return cell.cutShort ? "cut short" : "no ok response";
      },
    );
    return [...byReason].map(([reason, missing]) => {
      const where = missing.length === cells.length ? "" : ` with ${describeLoads(missing.map(({ level }) => level))}`;
      // A line break in a name would begin another line of the note.
      return { name: plainLine(name), what: `${where} (${reason})` };
    });
  });
  return [...groupBy(gaps, ({ what }) => what)].map(([what, alike]) => {
    return `no figure: ${nameSome(alike.map(({ name }) => name))}${what}`;
  });
}

/** A piece of a stack that is a smaller part of its axis is not even a line. */
const SMALLEST_SEEN = 0.006;

/** Says which pieces of stacked bars are too low to be seen, so that a few failures among many requests are not taken for none. */
export function tinyPieceNotes(definition: ChartDefinition): readonly string[] {
  const { series, panels } = definition;
  const lowest = valueTicks(definition).max * SMALLEST_SEEN;
  const tiny = series.filter(
    (one) =>
      one.shape === "bar" &&
      isPieceOfStack(one, series) &&
      one.points.some(({ y }) => y !== null && y > 0 && y < lowest),
  );
  return [...groupBy(tiny, ({ name }) => name)].map(([name, those]) => {
    const of = those.flatMap(({ panel }) => panels[panel] || []);
    return `too low to be seen: ${name}${of.length === 0 ? "" : ` of ${nameSome(of)}`}`;
  });
}

function nameSome(names: readonly string[]): string {
  return names.length > MOST_NAMED ? `${formatCount(names.length)} targets` : names.join(", ");
}
