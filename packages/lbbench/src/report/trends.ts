import { range } from "../stats/descriptive.js";
import { formatCount, formatRate, formatTime } from "../stats/format-number.js";
import { loadValue } from "../stats/load.js";
import { perSecond } from "../stats/ramp-seconds.js";
import { readSweep } from "./charts/curves.js";
import { describeLoad } from "./describe-level.js";
import { shownFigure } from "./figures.js";
import { plainLine } from "./plain-line.js";
import type { ReportModel } from "./report-model.js";
import { alignRows } from "./terminal.js";
import { renderSparkline, shortenToWidth, textWidth } from "./text-layout.js";

const FEWEST = 2;
const MOST_BARS = 40;
const SHORTEST_NAME = 8;

/**
 * Returns a caption and a line of bars for each target: its throughput over its levels or seconds, at levels of a rate its p99, drawn to
 * one scale for all. Nothing where none is known.
 *
 * @param width columns that the lines keep to, from 20 on.
 */
export function renderTrends(model: ReportModel, width: number): readonly string[] {
  const { caption, format, all } = model.ramps.length > 0 ? secondTrends(model) : levelTrends(model);
  const trends = all.filter(({ values }) => values.length >= FEWEST);
  const { high: highest } = range([-1, ...trends.flatMap(({ values }) => values.map(([value]) => value ?? -1))]);
  if (highest < 0) return [];
  const words = trends.map(({ values }) => {
    const [most, where] = values.reduce((best, one) => ((one[0] ?? -1) > (best[0] ?? -1) ? one : best), [null, ""]);
    return most === null ? "" : `highest ${format(most)} ${where}`;
  });
  const room = width - SHORTEST_NAME - GAPS;
  const bars = Math.min(room, MOST_BARS, Math.max(...trends.map(({ values }) => values.length)));
  const wordsWidth = Math.max(...words.map(textWidth));
  const hasWords = bars + wordsWidth <= room;
  const longest = width - GAPS - bars - (hasWords ? wordsWidth : 0);
  const rows = trends.map(({ name, values }, at) => [
    shortenToWidth(name, longest),
    renderSparkline(
      values.map(([value]) => value),
      highest,
      bars,
    ),
    hasWords ? (words[at] ?? "") : "",
  ]);
  return [caption, ...alignRows(["left", "left", "left"], rows)];
}

const GAPS = 4;

/** How a figure of each target goes over its levels, or over the seconds of its ramp. */
interface Trends {
  readonly caption: string;
  readonly format: (value: number) => string;
  /** Each value with where that was: `at 250`; `null` where nothing was measured. */
  readonly all: readonly { readonly name: string; readonly values: readonly (readonly [number | null, string])[] }[];
}

const perSecondText = (rate: number): string => `${formatRate(rate)} requests/s`;

function secondTrends({ ramps }: ReportModel): Trends {
  const all = ramps.map(({ cell, seconds }) => ({
    name: plainLine(cell.target),
    values: seconds.map((one) => [perSecond(one, one.ok), `in second ${formatCount(one.second)}`] as const),
  }));
  return { caption: "Throughput second by second:", format: perSecondText, all };
}

/** Throughput, but p99 of levels of a rate, because throughput in an open loop is the rate that was asked for. */
function levelTrends({ result, cells }: ReportModel): Trends {
  const isOpen = cells.some(({ level }) => level.rate !== undefined);
  const { of } = shownFigure(isOpen ? "latency_p99_ms" : "throughput_per_s");
  const rising = cells.map(({ level }) => level).toSorted((a, b) => loadValue(a) - loadValue(b));
  const [first = {}, last = {}] = [rising[0], rising.at(-1)];
  const name = isOpen ? "Latency (p99) by rate" : "Throughput by level";
  return {
    caption: `${name}, ${formatCount(loadValue(first))} to ${describeLoad(last)}:`,
    format: isOpen ? (ms) => `${formatTime(ms)} ms` : perSecondText,
    all: readSweep(result).curves.map((curve) => ({
      name: plainLine(curve.name),
      values: curve.cells.map((cell) => [of(cell), `at ${formatCount(loadValue(cell.level))}`] as const),
    })),
  };
}
