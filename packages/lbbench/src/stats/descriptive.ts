/** Smallest and largest value. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Returns the middle value, or the mean of the two middle ones. Throws a `RangeError` for an empty list. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the middle value, `undefined` for an empty list. */
export function medianIfAny(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : median(values);
}

/** Returns the sum of some values; 0 for none. */
export function sum(values: readonly number[]): number {
  return sumOf(values, (value) => value);
}

/** Returns the sum of what some things have of something; 0 for an empty list. */
export function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

/**
 * Returns the value below which the share `probability` (0 to 1) of the values lies, interpolating linearly between
 * neighbours: definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American Statistician 50
 * (1996), which is also the default of R and NumPy. Throws a `RangeError` for an empty list.
 */
export function quantile(values: readonly number[], probability: number): number {
  requireValues(values, "quantile");
  if (!(probability >= 0 && probability <= 1)) {
    throw new RangeError(`quantile: expected a probability from 0 to 1, got ${probability}`);
  }
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * probability;
  const below = sorted[Math.floor(position)] as number;
  const above = sorted[Math.ceil(position)] as number;
  // Between two of `Infinity` is no other number.
  return below === above ? below : below + (above - below) * (position - Math.floor(position));
}

/** Returns the arithmetic mean. Throws a `RangeError` for an empty list. */
export function mean(values: readonly number[]): number {
  requireValues(values, "mean");
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the sample standard deviation (divided by n - 1), 0 for a single value. Throws a `RangeError` for none. */
export function standardDeviation(values: readonly number[]): number {
  const center = mean(values);
  if (values.length === 1) {
    return 0;
  }
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}

/** Returns the smallest and the largest value. Throws a `RangeError` for an empty list. */
export function range(values: readonly number[]): Range {
  requireValues(values, "range");
  return values.reduce<Range>(({ low, high }, value) => ({ low: Math.min(low, value), high: Math.max(high, value) }), {
    low: Infinity,
    high: -Infinity,
  });
}

function requireValues(values: readonly number[], name: string): void {
  if (values.length === 0) {
    throw new RangeError(`${name}: expected at least one value, got an empty list`);
  }
}

/** Part of the largest value by which a value may be less and still be of the plateau. */
const DEPTH = 0.1;

/**
 * Returns the height of the plateau that the largest of some values form: the median of those within 10 % of the
 * largest, which by itself is the one that noise favoured most. Throws a `RangeError` for an empty list.
 */
export function plateau(values: readonly number[]): number {
  const largest = values.reduce((most, value) => Math.max(most, value), -Infinity);
  return median(values.filter((value) => value >= largest * (1 - DEPTH)));
}
