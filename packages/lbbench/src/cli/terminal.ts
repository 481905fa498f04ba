import { styleText } from "node:util";
import { escapeInJson, NOT_PRINTED, withoutTerminalSequences } from "../stats/not-printed.js";
import type { CommandIo, Output } from "./io.js";

/** Colours of what is good, doubtful and bad. */
export type Colour = "green" | "yellow" | "red";

/** Columns of the terminal that a stream is; `undefined` where it is none, or does not know them and says 0. */
export function columnsOf({ isTTY, columns }: Pick<Output, "isTTY" | "columns">): number | undefined {
  return isTTY === true && columns !== 0 ? columns : undefined;
}

/**
 * Colours a text that is printed on `stream`: on a terminal that can, unless `NO_COLOR` is set. `FORCE_COLOR` decides before
 * both: `0` or `false` for none, anything else for colours everywhere.
 */
export function paintText(stream: Pick<Output, "isTTY">, env: CommandIo["env"], colour: Colour, text: string): string {
  const { FORCE_COLOR: forced, NO_COLOR: noColour = "", TERM: terminal = "" } = env;
  const canColour = stream.isTTY === true && noColour === "" && terminal !== "dumb";
  const hasColours = forced === undefined ? canColour : forced !== "0" && forced !== "false";
  // Where the text goes was looked at here, and need not be stdout.
  return hasColours ? styleText(colour, text, { validateStream: false }) : text;
}

/**
 * Returns a text that may quote anything (a file, a server, a command line) without what a terminal would act upon, and what turns text
 * around; line breaks and tabs stay.
 */
export function toPrintable(text: string): string {
  return withoutTerminalSequences(text).replaceAll(NOT_PRINTED, (run) => run.replaceAll(/[^\n\t]/gu, " "));
}

/** Returns data as JSON, with a line break, in which what a terminal would act upon is escaped. */
export function printJson(data: unknown, indentation = 2): string {
  return `${escapeInJson(JSON.stringify(data, null, indentation))}\n`;
}

/** The command line that repeats this one, quoted for a POSIX shell where it has to be. */
export function repeatCommand(argv: readonly string[]): string {
  return ["npx", "lbbench", ...argv].map(quote).join(" ");
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
