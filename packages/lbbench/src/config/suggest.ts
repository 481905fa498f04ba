import didYouMean from "didyoumean2";

/** ` Did you mean "x"?` for the known word that is most like the one given, or nothing. */
export function suggest(word: string, known: Iterable<string>): string {
  const best = didYouMean(word, [...known]);
  return best === null ? "" : ` Did you mean "${best}"?`;
}

/** What {@link suggest} says or, where no known word is like it, how a plugin that is not built in is named. */
export function suggestPlugin(word: string, known: Iterable<string>): string {
  return suggest(word, known) || " A plugin of your own is named by its path, ./mine.mjs, or by its installed package.";
}

/** `a, b or c`. */
export function listWords(words: Iterable<string>): string {
  const all = [...words];
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
}
