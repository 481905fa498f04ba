/** A value of a config that needs no remark inside. */
export type ConfigValue = string | number | boolean | readonly ConfigValue[] | { readonly [key: string]: ConfigValue };

/** A line of a config with what is said about it; an example is written as a comment, and says nothing to lbbench. */
export type ConfigEntry = {
  readonly key: string;
  readonly about?: string;
} & (
  | { readonly value: ConfigValue; readonly isExample?: boolean }
  | { readonly entries: readonly ConfigEntry[] }
  | { readonly list: readonly (readonly ConfigEntry[])[] }
);

/** A whole config: what it is for, and its entries. */
export interface ConfigDraft {
  readonly about: readonly string[];
  readonly entries: readonly ConfigEntry[];
}

/** What a draft says to lbbench, as data. */
export function toPlain(entries: readonly ConfigEntry[]): { readonly [key: string]: ConfigValue } {
  return Object.fromEntries(
    entries.flatMap((entry): (readonly [string, ConfigValue])[] => {
      if ("entries" in entry) return [[entry.key, toPlain(entry.entries)]];
      if ("list" in entry) return [[entry.key, entry.list.map(toPlain)]];
      return entry.isExample === true ? [] : [[entry.key, entry.value]];
    }),
  );
}
