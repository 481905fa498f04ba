import type { Reading } from "./readings.js";

/** Where an arrow leads. */
export type Direction = "previous" | "next" | "first" | "last" | "series above" | "series below";

/** Returns the point that an arrow leads to; the first of all when none was active; the same where it leads nowhere. */
export function moveReading(
  readings: readonly Reading[],
  active: Reading | undefined,
  direction: Direction,
): Reading | undefined {
  const current = readings.find((one) => one.seriesIndex === active?.seriesIndex && one.point === active.point);
  if (current === undefined) return readings[0];
  const own = readings.filter(({ seriesIndex }) => seriesIndex === current.seriesIndex);
  const at = own.indexOf(current);
  const neighbours: ReadonlyMap<Direction, Reading | undefined> = new Map([
    ["previous", own[at - 1]],
    ["next", own[at + 1]],
    ["first", own[0]],
    ["last", own.at(-1)],
    ["series above", inSeries(readings, current, -1)],
    ["series below", inSeries(readings, current, 1)],
  ]);
  return neighbours.get(direction) ?? current;
}

/** The point of the next series that is nearest along x. */
function inSeries(readings: readonly Reading[], current: Reading, by: 1 | -1): Reading | undefined {
  const series = [...new Set(readings.map(({ seriesIndex }) => seriesIndex))];
  const wanted = series[series.indexOf(current.seriesIndex) + by];
  const [first, ...others] = readings.filter(({ seriesIndex }) => seriesIndex === wanted);
  if (first === undefined) return undefined;
  const distance = ({ left }: Reading): number => Math.abs(left - current.left);
  return others.reduce((best, one) => (distance(one) < distance(best) ? one : best), first);
}
