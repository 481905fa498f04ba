/** Adds counts up by their names, which come in alphabetical order. */
export function addCounts(parts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const part of parts) {
    for (const [key, count] of Object.entries(part)) sums.set(key, (sums.get(key) ?? 0) + count);
  }
  return Object.fromEntries([...sums].toSorted(([a], [b]) => a.localeCompare(b)));
}
