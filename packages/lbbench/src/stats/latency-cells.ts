/** Cells a doubling: the upper end of a cell is 9 % above its lower end. */
const CELLS = 8;

/** Latencies as pairs of a cell and a count: a histogram so small that each short slice of a measurement can have one. */
export type LatencyCells = readonly (readonly [cell: number, count: number])[];

/** The cell of a latency in microseconds: cell n holds from 2^(n/8) to below 2^((n+1)/8). Less than one microsecond counts as one. */
export function latencyCell(us: number): number {
  return Math.floor(Math.log2(Math.max(1, us)) * CELLS);
}

/** Where a cell begins, in ms. */
export function cellStartMs(cell: number): number {
  return 2 ** (cell / CELLS) / 1000;
}

/** Where a cell ends, in ms. */
export function cellEndMs(cell: number): number {
  return cellStartMs(cell + 1);
}

/** Adds up the counts of the same cells; the cells come in order. */
export function mergeCells(lists: readonly LatencyCells[]): (readonly [cell: number, count: number])[] {
  const sums = new Map<number, number>();
  for (const [cell, count] of lists.flat()) sums.set(cell, (sums.get(cell) ?? 0) + count);
  return [...sums].toSorted(([a], [b]) => a - b);
}

/**
 * The latency in ms that `percentile` (0 to 100) percent of the values do not exceed: the end of the cell that it falls in, so at most
 * 9 % too high, never too low. `null` where there are none.
 */
export function cellPercentileMs(cells: LatencyCells, percentile: number): number | null {
  const wanted = (cells.reduce((sum, [, count]) => sum + count, 0) * percentile) / 100;
  let seen = 0;
  for (const [cell, count] of cells) {
    seen += count;
    if (seen >= wanted) return cellEndMs(cell);
  }
  return null;
}
