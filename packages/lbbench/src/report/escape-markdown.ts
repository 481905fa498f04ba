import { plainLine } from "./plain-line.js";

const MARKUP = /[\\`*[\]<>|~#&$!]/g;
/** An underscore within a word is no markup, and escaping it would make codes hard to read in plain text. */
const UNDERSCORE = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** What starts a list, a quotation, a heading or a rule when it comes first. */
const BLOCK_START = /^(?:[-+=:]|\d+(?=[.)](?:\s|$)))/;

/**
 * Returns a text from outside as Markdown that shows exactly this text, in one line, anywhere in a paragraph, a list or
 * a table: nothing in it is markup, a link, HTML or the end of a cell.
 */
export function escapeMarkdown(text: string): string {
  return plainLine(text)
    .replaceAll(MARKUP, String.raw`\$&`)
    .replaceAll(UNDERSCORE, String.raw`\_`)
    .replace(BLOCK_START, escapeBlockStart)
    .replaceAll("://", String.raw`:\//`)
    .replaceAll(/www\./gi, (prefix) => `${prefix.slice(0, -1)}\\.`);
}

/** Returns a text from outside as code within a line, empty for an empty text. */
export function inlineCode(text: string): string {
  const line = plainLine(text);
  if (line === "") {
    return "";
  }
  const fence = "`".repeat(longestRun(line) + 1);
  const room = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${room}${line}${room}${fence}`;
}

/** Returns a text from outside as a block of code that nothing in it can end. */
export function codeBlock(text: string, language: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return [`${fence}${language}`, ...text.split(/\r\n|\r|\n/).map(plainLineKeepingIndent), fence].join("\n");
}

function escapeBlockStart(start: string): string {
  return /\d/.test(start) ? `${start}\\` : `\\${start}`;
}

function plainLineKeepingIndent(line: string): string {
  return `${/^ */.exec(line)?.[0] ?? ""}${plainLine(line)}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
