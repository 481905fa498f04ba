import { plainCode, plainLine, plainRun } from "./plain-line.js";

const MARKUP = /[\\`*[\]<>|#&$!]/g;
/** A tilde between spaces crosses nothing out. */
const TILDE = /(?<=\S)~|~(?=\S)/g;
/** An underscore within a word is no markup, and escaping it would make codes hard to read in plain text. */
const UNDERSCORE = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** What starts a list, a quotation, a heading or a rule when it comes first. */
const BLOCK_START = /^(?:[-+=:]|\d+(?=[.)](?:\s|$)))/;

/**
 * A part of a line from outside as Markdown that shows exactly this text, anywhere in a paragraph, a list or a table. What begins a block
 * only where a line begins is left to {@link escapeBlockStart}.
 */
export function escapeRun(text: string): string {
  return plainRun(text)
    .replaceAll(MARKUP, String.raw`\$&`)
    .replaceAll(TILDE, String.raw`\~`)
    .replaceAll(UNDERSCORE, String.raw`\_`)
    .replaceAll("://", String.raw`:\//`)
    .replaceAll(/www\./gi, (prefix) => `${prefix.slice(0, -1)}\\.`);
}

/** Returns a line of Markdown so that it begins a paragraph, not a list or a rule. */
export function escapeBlockStart(line: string): string {
  return line.replace(BLOCK_START, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`));
}

/** Returns a text from outside as code within a line, empty for an empty text. */
export function inlineCode(text: string): string {
  const line = plainLine(text);
  if (line === "") return "";
  const fence = "`".repeat(longestRun(line) + 1);
  const room = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${room}${line}${room}${fence}`;
}

/** Returns a text from outside as a block of code that nothing in it can end. */
export function codeBlock(text: string, language: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return [`${fence}${language}`, ...plainCode(text), fence].join("\n");
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
