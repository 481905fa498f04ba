import type { ChartDefinition, ChartPoint, ChartSeries } from "./chart-definition.js";
import { valueTicks } from "./value-ticks.js";

/** Two points that are closer than this share of the axis lie on one another. */
const CLOSE = 0.012;

/** A line is hidden when no more than this share of its points shows; else it is seen where it comes from and goes to. */
const FEW_SHOW = 0.25;

/** More lines on one another cannot be told apart however thick they are. */
const MOST = 5;

/**
 * Counts for each series by how many others, drawn after it, its line is covered for most of its way, at most 5. What is
 * listed first is drawn last. Of bars, areas and dense lines it is 0.
 */
export function countCoveringLines(definition: ChartDefinition): readonly number[] {
  const { series, y } = definition;
  const { min, max } = valueTicks(definition);
  const place = (value: number): number => (y.scale === "log" ? Math.log(value) : value);
  const nearby = (place(max) - place(min)) * CLOSE;
  const isClose = (a: number, b: number): boolean => Math.abs(place(a) - place(b)) <= nearby;
  const earlier: ChartSeries[] = [];
  return series.map((one) => {
    if (one.shape !== "line" || one.dense === true) return 0;
    const covering = earlier.filter(
      ({ panel, points }) => panel === one.panel && isCovered(one.points, points, isClose),
    );
    earlier.push(one);
    return Math.min(MOST, covering.length);
  });
}

function isCovered(
  points: readonly ChartPoint[],
  others: readonly ChartPoint[],
  isClose: (a: number, b: number) => boolean,
): boolean {
  const valueAt = new Map(others.map(({ x, y }) => [x, y]));
  const drawn = points.flatMap(({ x, y }) => (y === null ? [] : [{ x, y }]));
  const shown = drawn.filter(({ x, y }) => {
    const other = valueAt.get(x) ?? null;
    return other === null || !isClose(y, other);
  });
  return drawn.length > 0 && shown.length <= FEW_SHOW * drawn.length;
}
