import { formatCount, formatRate } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { loadValue } from "../stats/load.js";
import { perSecond } from "../stats/ramp-seconds.js";
import { type Cell, medianOf, type TargetRamp } from "./cells.js";
import { describeAmount, describeLoad, distinctAmounts } from "./describe-level.js";
import { plainLine } from "./plain-line.js";
import type { ReportModel } from "./report-model.js";
import { alignRows, renderSparkline, shortenToWidth, textWidth, widthOf } from "./text-layout.js";

/** One bar alone would show nothing. */
const FEWEST = 2;
const MOST_BARS = 40;
const SHORTEST_NAME = 8;

/** How the throughput of one target goes over its levels, or over the seconds of its ramp. */
interface Trend {
  readonly name: string;
  /** ok responses per second; `null` where nothing was measured. */
  readonly values: readonly (number | null)[];
  /** Says where a value was, by its index: `at 250`. */
  readonly where: (index: number) => string;
}

/**
 * Returns a caption and a line of bars for each target that has two levels or more, or a ramp of two seconds: its throughput,
 * drawn to one scale for all, and the highest. No lines where there is no such target.
 *
 * @param width columns that the lines keep to, from 20 on.
 */
export function renderTrends({ cells, ramps }: ReportModel, width: number): readonly string[] {
  const isRamp = ramps.length > 0;
  const trends = (isRamp ? rampTrends(ramps) : levelTrends(cells)).filter(({ values }) => values.length >= FEWEST);
  const known = trends.flatMap(({ values }) => values.filter((value) => value !== null));
  if (known.length === 0) return [];
  return [
    isRamp ? "Throughput second by second:" : captionOf(cells),
    ...alignTrends(trends, Math.max(...known), width),
  ];
}

function alignTrends(trends: readonly Trend[], highest: number, width: number): readonly string[] {
  const words = trends.map(describeHighest);
  const wordsWidth = Math.max(...words.map(textWidth));
  const bars = Math.max(...trends.map(({ values }) => Math.min(values.length, MOST_BARS)));
  const isRoomForWords = width - widthOf([bars, wordsWidth]) >= SHORTEST_NAME;
  const barsWidth = Math.min(bars, width - widthOf([0]) - SHORTEST_NAME);
  const others = isRoomForWords ? [bars, wordsWidth] : [barsWidth];
  const longest = Math.max(SHORTEST_NAME, width - widthOf(others));
  return alignRows(
    ["left", "left", "left"],
    trends.map(({ name, values }, index) => [
      shortenToWidth(name, longest),
      renderSparkline(values, highest, isRoomForWords ? bars : barsWidth),
      isRoomForWords ? (words[index] ?? "") : "",
    ]),
  );
}

function describeHighest({ values, where }: Trend): string {
  const highest = Math.max(...values.map((value) => value ?? -1));
  return highest < 0 ? "" : `highest ${formatRate(highest)} ok/s ${where(values.indexOf(highest))}`;
}

function levelTrends(cells: readonly Cell[]): readonly Trend[] {
  const hasAmounts = distinctAmounts(cells.map(({ level }) => level)).length > 1;
  const groups = groupBy(cells, ({ target, level }) => JSON.stringify([target, describeAmount(level)]));
  return [...groups.values()].flatMap((ofGroup) => {
    const [first] = ofGroup;
    if (first === undefined) return [];
    const rising = ofGroup.toSorted((a, b) => loadValue(a.level) - loadValue(b.level));
    const name = plainLine(first.target);
    return {
      name: hasAmounts ? `${name}, ${describeAmount(first.level)}` : name,
      values: rising.map((cell) => medianOf(cell, ({ throughput }) => throughput)),
      where: (index: number) => `at ${formatCount(loadValue(rising[index]?.level ?? first.level))}`,
    };
  });
}

function rampTrends(ramps: readonly TargetRamp[]): readonly Trend[] {
  return ramps.map(({ cell, seconds }) => ({
    name: plainLine(cell.target),
    values: seconds.map((second) => perSecond(second, second.ok)),
    where: (index) => `in second ${formatCount(seconds[index]?.second ?? index)}`,
  }));
}

function captionOf(cells: readonly Cell[]): string {
  const [first, ...others] = cells.map(({ level }) => level).toSorted((a, b) => loadValue(a) - loadValue(b));
  const last = others.at(-1);
  if (first === undefined || last === undefined) return "";
  return `Throughput by level, ${formatCount(loadValue(first))} to ${describeLoad(last)}:`;
}
