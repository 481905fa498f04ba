/** Shortens a name to so many characters, the middle replaced by `…`, as names often differ at their ends; one line. */
export function shortenName(name: string, length: number): string {
  const characters = Array.from(name.replaceAll(/\s+/g, " "));
  if (characters.length <= length) {
    return characters.join("");
  }
  const head = Math.ceil((length - 1) / 2);
  return `${characters.slice(0, head).join("")}…${characters.slice(characters.length - (length - 1 - head)).join("")}`;
}
