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

/** Returns the items by a number, such as trials by the load of their level, numbers ascending; items of the same number in the order given. */
export function groupAscending<T>(items: readonly T[], keyOf: (item: T) => number) {
  const groups = [...groupBy(items, (item) => String(keyOf(item))).values()];
  return groups.map((members) => ({ key: keyOf(members[0] as T), items: members })).toSorted((a, b) => a.key - b.key);
}
