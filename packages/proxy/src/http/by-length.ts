/** Words with what they mean, by their length: most headers have a length that none of the words has. */
type WordsByLength<Meaning> = readonly (readonly (readonly [word: string, meaning: Meaning])[] | undefined)[];

/** Sorts words by their length. */
export function byLength<Meaning>(entries: readonly (readonly [string, Meaning])[]): WordsByLength<Meaning> {
  const lists: (readonly [string, Meaning])[][] = [];
  for (const entry of entries) (lists[entry[0].length] ??= []).push(entry);
  return lists;
}

/** What a text in lower case means, if it is one of the words. */
export function meaningOfWord<Meaning>(words: WordsByLength<Meaning>, text: string): Meaning | undefined {
  const known = words[text.length];
  if (known === undefined) return undefined;
  for (const [word, meaning] of known) if (word === text) return meaning;
  return undefined;
}
