import type { Block } from "../block.js";
import { isLineOfAb } from "./end-of-ab.js";

const SHOWN_LENGTH = 80;

/**
 * Returns the first line among the figures of a block of ab that has a label and a figure, and is none of ab in English, with its number
 * in the file; `undefined` where there is none.
 */
export function foreignLine({
  program,
  lines,
  first,
}: Block): { readonly text: string; readonly number: number } | undefined {
  if (program !== "ab") return undefined;
  const start = lines.findIndex((line) =>
    /^(?:Server Software|Server Hostname|Document Path|Document Length):/.test(line),
  );
  const at = lines.findIndex((line, index) => index > start && /^\S[^:]*: +\S/.test(line) && !isLineOfAb(line));
  return start === -1 || at === -1 ? undefined : { text: (lines[at] ?? "").slice(0, SHOWN_LENGTH), number: first + at };
}
