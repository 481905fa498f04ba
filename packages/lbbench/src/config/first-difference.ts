/** A place at which two values differ, and what is there; `undefined` for nothing. */
export interface Difference {
  readonly path: readonly PropertyKey[];
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns the first place at which two values of plain data differ, or `undefined` when they are the same. */
export function firstDifference(
  before: unknown,
  after: unknown,
  path: readonly PropertyKey[] = [],
): Difference | undefined {
  if (Object.is(before, after)) return undefined;
  const [old, young] = [entriesOf(before), entriesOf(after)];
  if (old === undefined || young === undefined || Array.isArray(before) !== Array.isArray(after)) {
    return { path, before, after };
  }
  const keys = new Set([...old.keys(), ...young.keys()]);
  for (const key of keys) {
    const difference = firstDifference(old.get(key), young.get(key), [...path, key]);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** What is in an object or a list; an entry that is `undefined` is none, as in JSON. */
function entriesOf(value: unknown): ReadonlyMap<PropertyKey, unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const entries: readonly (readonly [PropertyKey, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return new Map(entries.filter(([, inner]) => inner !== undefined));
}
