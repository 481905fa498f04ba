import type { Result } from "../model/result.js";
import { formatCount, formatRate } from "../stats/format-number.js";
import { loadValue } from "../stats/load.js";
import { perSecond } from "../stats/ramp-seconds.js";
import { type Cell, medianOf, type TargetRamp } from "./cells.js";
import { readSweep } from "./charts/curves.js";
import { describeLoad } from "./describe-level.js";
import { plainLine } from "./plain-line.js";
import type { ReportModel } from "./report-model.js";
import { alignRows, renderSparkline, shortenToWidth, textWidth } from "./text-layout.js";

const FEWEST = 2;
const MOST_BARS = 40;
const SHORTEST_NAME = 8;

/** How the throughput of one target goes over its levels, or over the seconds of its ramp. */
interface Trend {
  readonly name: string;
  /** ok responses per second, and where that was: `at 250`; `null` where nothing was measured. */
  readonly values: readonly (readonly [rate: number | null, where: string])[];
}

/**
 * Returns a caption and a line of bars for each target: its throughput over its levels or seconds, drawn to one scale for all.
 *
 * @param width columns that the lines keep to, from 20 on.
 */
export function renderTrends({ result, cells, ramps }: ReportModel, width: number): readonly string[] {
  const all = ramps.length > 0 ? ramps.map(rampTrend) : levelTrends(result);
  const trends = all.filter(({ values }) => values.length >= FEWEST);
  const highest = Math.max(-1, ...trends.flatMap(({ values }) => values.map(([rate]) => rate ?? -1)));
  if (highest < 0) return [];
  const words = trends.map(({ values }) => {
    const [rate, where] = values.reduce((best, one) => ((one[0] ?? -1) > (best[0] ?? -1) ? one : best), [null, ""]);
    return rate === null ? "" : `highest ${formatRate(rate)} ok/s ${where}`;
  });
  const room = width - SHORTEST_NAME - GAPS;
  const bars = Math.min(room, MOST_BARS, Math.max(...trends.map(({ values }) => values.length)));
  const wordsWidth = Math.max(...words.map(textWidth));
  const hasWords = bars + wordsWidth <= room;
  const longest = width - GAPS - bars - (hasWords ? wordsWidth : 0);
  const rows = trends.map(({ name, values }, at) => [
    shortenToWidth(name, longest),
    renderSparkline(
      values.map(([rate]) => rate),
      highest,
      bars,
    ),
    hasWords ? (words[at] ?? "") : "",
  ]);
  const caption = ramps.length > 0 ? "Throughput second by second:" : captionOf(cells);
  return [caption, ...alignRows(["left", "left", "left"], rows)];
}

const GAPS = 4;

function levelTrends(result: Result): readonly Trend[] {
  return readSweep(result).curves.map(({ name, cells }) => ({
    name: plainLine(name),
    values: cells.map((cell) => {
      return [medianOf(cell, ({ throughput }) => throughput), `at ${formatCount(loadValue(cell.level))}`] as const;
    }),
  }));
}

function rampTrend({ cell, seconds }: TargetRamp): Trend {
  const values = seconds.map((one) => [perSecond(one, one.ok), `in second ${formatCount(one.second)}`] as const);
  return { name: plainLine(cell.target), values };
}

function captionOf(cells: readonly Cell[]): string {
  const rising = cells.map(({ level }) => level).toSorted((a, b) => loadValue(a) - loadValue(b));
  const [first = {}, last = {}] = [rising[0], rising.at(-1)];
  return `Throughput by level, ${formatCount(loadValue(first))} to ${describeLoad(last)}:`;
}
