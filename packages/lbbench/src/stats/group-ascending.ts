/** What belongs to one number: the trials of a level, for instance. */
export interface NumberedGroup<T> {
  readonly key: number;
  readonly items: readonly T[];
}

/** Returns the items by a number, numbers ascending; items of the same number in the order given. */
export function groupAscending<T>(items: readonly T[], keyOf: (item: T) => number): readonly NumberedGroup<T>[] {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups].map(([key, members]) => ({ key, items: members })).toSorted((a, b) => a.key - b.key);
}
