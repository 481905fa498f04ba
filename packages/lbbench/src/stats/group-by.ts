/** Returns the items by key, keys in the order in which they first appear. (`Map.groupBy` needs Node 21.) */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [item]);
    } else {
      group.push(item);
    }
  }
  return groups;
}

/** What belongs to one number: the trials of a level, for instance. */
export interface NumberedGroup<T> {
  readonly key: number;
  readonly items: readonly T[];
}

/** Returns the items by a number, numbers ascending; items of the same number in the order given. */
export function groupAscending<T>(items: readonly T[], keyOf: (item: T) => number): readonly NumberedGroup<T>[] {
  const groups = [...groupBy(items, (item) => String(keyOf(item))).values()];
  return groups.map((members) => ({ key: keyOf(members[0] as T), items: members })).toSorted((a, b) => a.key - b.key);
}
