/**
 * Returns words on one line, without what Mermaid, or the fence around its block, could take for something else: quotes, back
 * quotes, braces, `<`, `>`, `#` and `;`, between which its entities stand, and `%%`, which begins a comment.
 */
export function cleanWords(words: string): string {
  return words
    .replaceAll(/["`]/g, "'")
    .replaceAll(/[<{]/g, "(")
    .replaceAll(/[>}]/g, ")")
    .replaceAll(";", ",")
    .replaceAll(/[#\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/%{2,}/g, "%")
    .trim();
}

/** Returns words as a quoted text of Mermaid. */
export function quoteWords(words: string): string {
  return `"${cleanWords(words)}"`;
}
