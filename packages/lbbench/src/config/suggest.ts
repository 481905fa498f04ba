import didYouMean from "didyoumean2";

/** ` Did you mean "x"?` for the known word that is most like the one given, or nothing. */
export function suggest(word: string, known: Iterable<string>): string {
  const best = didYouMean(word, [...known]);
  return best === null ? "" : ` Did you mean "${best}"?`;
}

/** `a, b or c`. */
export function listWords(words: Iterable<string>): string {
  const all = [...words];
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
}
