import { stripVTControlCharacters } from "node:util";

/**
 * Returns a text that may quote anything (a file, a server, a command line) without what a terminal would act upon; line
 * breaks and tabs stay.
 */
export function toPrintable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]/gu, " ");
}
