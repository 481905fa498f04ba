import { stripVTControlCharacters } from "node:util";

/** Does nothing to the eye, and parts what the runner would read as a command. */
const PARTED = "\u200B";

/**
 * Returns a line for the log of a job that may quote anything. The runner takes commands from the log, where a line begins with
 * `::` or contains `##[`; nothing in this one is a command, or ends the line.
 */
export function toLogLine(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, " ")
    .replace(/^(\s*):(?=:)/u, `$1:${PARTED}`)
    .replaceAll("##[", `##${PARTED}[`);
}

/** Prints lines that may quote anything to the log of the job. */
export function printLines(text: string): void {
  for (const line of text.trimEnd().split("\n")) process.stdout.write(`${toLogLine(line)}\n`);
}
