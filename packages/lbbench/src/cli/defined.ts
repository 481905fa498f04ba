/** An object without the entries that are `undefined`. */
export function defined<T extends object>(entries: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const given = Object.entries(entries).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}
