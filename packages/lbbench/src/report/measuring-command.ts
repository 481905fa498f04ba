/** Flags that change what is written and shown, not what is measured, and whether a word follows that belongs to them. */
const OF_OUTPUT: ReadonlyMap<string, "alone" | "with a value"> = new Map([
  ["-o", "with a value"],
  ["--out", "with a value"],
  ["-f", "with a value"],
  ["--format", "with a value"],
  ["--charts", "with a value"],
  ["--live-port", "with a value"],
  ["--live", "alone"],
  ["--quiet", "alone"],
  ["--json", "alone"],
]);

/** What follows these is text, which may look like a flag. */
const BEFORE_TEXT: ReadonlySet<string> = new Set(["-b", "--body", "--expect-body", "-H", "--header", "--name"]);

/** A word of a command line, quoted as it stands there. */
const WORD = /(?:'[^']*'|\\[\s\S]|[^\s'\\])+/g;

/** Returns a command line, quoted for a POSIX shell, without the flags that change only what is written and shown. */
export function measuringCommand(command: string): string {
  const words: readonly string[] = command.match(WORD) ?? [];
  const end = words.indexOf("--");
  const isLeftOut = (word: string, at: number): boolean =>
    (end === -1 || at < end) && !BEFORE_TEXT.has(words[at - 1] ?? "") && isOfOutput(word);
  return words
    .filter(
      (word, at) =>
        !isLeftOut(word, at) &&
        !(at > 0 && OF_OUTPUT.get(words[at - 1] ?? "") === "with a value" && isLeftOut(words[at - 1] ?? "", at - 1)),
    )
    .join(" ");
}

/** Also of `--out=DIR` and `-oDIR`. */
function isOfOutput(word: string): boolean {
  const name = word.startsWith("--") ? word.replace(/=[\s\S]*/, "") : word.slice(0, 2);
  return OF_OUTPUT.has(name);
}
