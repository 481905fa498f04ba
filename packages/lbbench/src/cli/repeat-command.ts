/** The command line that repeats this one, quoted for a POSIX shell where it has to be. */
export function repeatCommand(argv: readonly string[]): string {
  return ["npx", "lbbench", ...argv].map(quote).join(" ");
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
