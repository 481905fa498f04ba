/**
 * Returns the sums of all subsets of some values, ascending, in a list for each number of values that are added: at index 2 all
 * sums of two of them. 2^n sums of n values, or fewer where only so many values are to be added.
 */
export function subsetSums(values: readonly number[], mostAdded: number = values.length): readonly Float64Array[] {
  let sums: readonly (readonly number[])[] = [[0]];
  for (const value of values) {
    const before = sums;
    sums = Array.from({ length: Math.min(before.length, mostAdded) + 1 }, (_, size) => [
      ...(before[size] ?? []),
      ...(before[size - 1] ?? []).map((sum) => sum + value),
    ]);
  }
  return sums.map((ofSize) => Float64Array.from(ofSize).sort());
}
