import type { Result } from "../../model/result.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { summarizeTrials } from "../../stats/trials.js";
import { type Cell, collectCells } from "../cells.js";
import { describeLoads } from "../describe-level.js";
import { describeState } from "../describe-run.js";
import { plainLine, shortenCharacters } from "../plain-line.js";
import { valueTicks } from "./axes.js";
import { isPieceOfStack } from "./chart-datasets.js";
import type { ChartDefinition } from "./chart-definition.js";
import { type Curve, loadsOf } from "./curves.js";

/** Joins the scenario's name, what the chart is about and, with several trials, what points and whiskers are. */
export function chartSubtitle(result: Result, about: string, whiskers: boolean): string {
  return [result.scenario.name, about, whiskers ? describeTrials(result) : ""]
    .filter((part) => part !== "")
    .join(" · ");
}

function describeTrials(result: Result): string {
  const most = Math.max(0, ...collectCells(result).map(({ measurements }) => measurements.length));
  if (most < 2) {
    return "";
  }
  const { interval } = summarizeTrials(Array.from({ length: most }, (_, index) => index));
  const ends = interval === "range" ? "lowest to highest" : "95 % interval";
  return `median of ${most} trials, whiskers: ${ends}`;
}

/** What measures text: a canvas with its font set. */
interface Measuring {
  measureText(text: string): { readonly width: number };
}

/** Shortens a text to a width in pixels, the middle replaced by `…`, as names often differ at their ends. */
export function fitText(context: Measuring, text: string, width: number): string {
  const fits = (one: string): boolean => context.measureText(one).width <= width;
  if (fits(text)) return text;
  const characters = Array.from(text);
  const shortened = (length: number): string => shortenCharacters(characters, length);
  let [shortEnough, tooLong] = [1, characters.length];
  while (tooLong - shortEnough > 1) {
    const middle = Math.floor((shortEnough + tooLong) / 2);
    if (fits(shortened(middle))) shortEnough = middle;
    else tooLong = middle;
  }
  return shortened(shortEnough);
}

/** Returns a chart's note of some lines, a line each; without one where none says anything. */
export function joinNotes(...lines: readonly (string | undefined)[]): Pick<ChartDefinition, "note"> {
  const said = lines.filter((line) => line !== undefined && line !== "");
  return said.length === 0 ? {} : { note: said.join("\n") };
}

/** More names than this are counted. */
const MOST_NAMED = 4;

/**
 * Returns a note of the levels at which curves have no figure, and why, as a gap says neither: `no figure: single with 500
 * connections (failed)`. Nothing where all have one.
 */
export function gapNote(curves: readonly Curve[], hasFigure: (cell: Cell) => boolean): Pick<ChartDefinition, "note"> {
  const gaps = curves.flatMap((curve) => {
    const missing = curve.cells.filter((cell) => !hasFigure(cell));
    const byReason = groupBy(missing, reasonOf);
    return [...byReason].map(([reason, cells]) => ({
      // A line break in a name would begin another line of the note.
      name: plainLine(curve.name),
      reason,
      where: cells.length === curve.cells.length ? "" : ` with ${describeLoads(cells.map(({ level }) => level))}`,
    }));
  });
  const alike = groupBy(gaps, ({ where, reason }) => JSON.stringify([where, reason]));
  const lines = [...alike.values()].flatMap((group) =>
    group
      .slice(0, 1)
      .map(({ where, reason }) => `no figure: ${nameAll(group.map(({ name }) => name))}${where} (${reason})`),
  );
  return joinNotes(...lines);
}

/** Returns a note where bars of some curves are missing because nobody tried their level, as in a search; else nothing. */
export function untriedNote(curves: readonly Curve[]): Pick<ChartDefinition, "note"> {
  const loads = loadsOf(curves);
  const isUntried = curves.some(({ cells }) => {
    const tried = new Set(cells.map(({ level }) => loadValue(level)));
    return loads.some((load) => !tried.has(load));
  });
  return isUntried ? { note: "empty places: levels that were not tried" } : {};
}

function reasonOf(cell: Cell): string {
  if (cell.measurements.length === 0) return describeState(cell) || "not measured";
  return cell.cutShort ? "cut short" : "no ok response";
}

function nameAll(names: readonly string[]): string {
  return names.length > MOST_NAMED ? `${names.length} targets` : names.join(", ");
}

/** A piece of a stack that is a smaller part of its axis is not even a line. */
const SMALLEST_SEEN = 0.006;

/** More panels than this are counted. */
const MOST_PANELS = 3;

/** More places than this are counted. */
const MOST_PLACES = 4;

/**
 * Returns a note of the pieces of stacked bars that are too low to be seen, so that a few failures among many requests are not taken
 * for none: `too low to be seen: single, failed at 10`. Nothing where all are seen.
 */
export function tinyPiecesNote(definition: ChartDefinition): Pick<ChartDefinition, "note"> {
  const { series, panels } = definition;
  const lowest = valueTicks(definition).max * SMALLEST_SEEN;
  const tiny = series
    .filter((one) => one.shape === "bar" && isPieceOfStack(one, series))
    .flatMap(({ name, panel, points }) => {
      const places = points.flatMap(({ x, y }) => (y !== null && y > 0 && y < lowest ? [String(x)] : []));
      return places.length === 0 ? [] : [{ name, panel, places }];
    });
  const names = [...new Set(tiny.map(({ name }) => name))].join(", ");
  const count = new Set(tiny.map(({ panel }) => panel)).size;
  if (count > MOST_PANELS) return { note: `too low to be seen: ${names}, in ${count} panels` };
  const byPanel = [...groupBy(tiny, ({ panel }) => String(panel)).values()];
  const lines = byPanel.map((pieces) => {
    const title = panels[pieces[0]?.panel ?? 0] ?? "";
    const alike = groupBy(pieces, ({ places }) => listPlaces(places));
    const words = [...alike].map(([places, those]) => `${those.map(({ name }) => name).join(", ")} at ${places}`);
    return `${title === "" ? "" : `${title}: `}${words.join("; ")}`;
  });
  return joinNotes(...lines.map((line) => `too low to be seen: ${line}`));
}

function listPlaces(places: readonly string[]): string {
  return places.length > MOST_PLACES ? `${places.length} places` : places.join(" / ");
}
