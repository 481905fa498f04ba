import { stripVTControlCharacters } from "node:util";

const LONGEST = 8000;

/** Returns what a summary and a comment say where nothing was measured: why, as code, because a message may quote anything. */
export function composeFailure(message: string): string {
  const text = stripVTControlCharacters(message).trim();
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}\n...` : text;
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `### lbbench: no verdict\n\nThe run could not be made.\n\n${fence}text\n${shown}\n${fence}\n`;
}
