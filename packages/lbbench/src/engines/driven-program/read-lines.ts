import { ProgramError } from "./program-error.js";

/** A line of what a program printed, with its number from 1. */
export interface NumberedLine {
  readonly text: string;
  readonly number: number;
}

/** Reads what a program printed by the beginnings of its lines; whatever is not as expected is an error that names the line. */
export interface PrintedLines {
  /** All lines. */
  readonly all: readonly NumberedLine[];
  /** What a pattern captures in the only line that begins so; throws when there is none, or more, or it does not fit. */
  readonly only: (beginning: string, pattern: RegExp) => readonly string[];
  /** The same; `undefined` when there is no such line. */
  readonly find: (beginning: string, pattern: RegExp) => readonly string[] | undefined;
  /** An error about a line. */
  readonly unlike: (line: NumberedLine, expected: string) => ProgramError;
  /** An error about all of it. */
  readonly error: (problem: string) => ProgramError;
}

const SHOWN_LENGTH = 120;

/** @param source whose text it is, for messages: `ab`. */
export function readLines(source: string, text: string): PrintedLines {
  const all = text.split("\n").map((line, index) => ({ text: line.replace(/\r$/, ""), number: index + 1 }));
  const error = (problem: string): ProgramError => new ProgramError(`cannot read what ${source} printed: ${problem}`);
  const unlike = (line: NumberedLine, expected: string): ProgramError =>
    error(`line ${line.number}: expected ${expected}, got ${JSON.stringify(line.text.slice(0, SHOWN_LENGTH))}`);
  const find = (beginning: string, pattern: RegExp): readonly string[] | undefined => {
    const [line, second] = all.filter(({ text: one }) => one.startsWith(beginning));
    if (line === undefined) return undefined;
    const wanted = JSON.stringify(beginning.trim());
    if (second !== undefined) throw unlike(second, `one line with ${wanted}, which line ${line.number} is`);
    const found = pattern.exec(line.text.slice(beginning.length));
    if (found === null) throw unlike(line, `${wanted} and its figures`);
    return found.slice(1);
  };
  const only = (beginning: string, pattern: RegExp): readonly string[] => {
    const found = find(beginning, pattern);
    if (found === undefined) throw error(`expected a line with ${JSON.stringify(beginning.trim())}, none came`);
    return found;
  };
  return { all, only, find, unlike, error };
}
