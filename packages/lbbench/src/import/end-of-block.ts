import { endOfAb } from "./ab/end-of-ab.js";
import type { Block } from "./block.js";
import { detectBeginning } from "./detect-format.js";
import { endOfJson } from "./end-of-json.js";
import { ImportError } from "./import-error.js";

type Lines = readonly string[];

/**
 * Returns where a block ends that begins at a line: the index of the line after it. Throws an {@link ImportError} where it does not
 * come to its end.
 */
export function endOfBlock(program: Block["program"], lines: Lines, start: number, file: string): number {
  switch (program) {
    case "json":
      return endOfJson(lines, start, file);
    case "ab":
      return endOfAb(lines, start);
    case "wrk":
      return endAfter(lines, start, /^Transfer\/sec: /, file, '"Transfer/sec:" of wrk');
    case "hey":
      return endOfHey(lines, start, file);
  }
}

function endOfHey(lines: Lines, start: number, file: string): number {
  const expected = '"Status code distribution:" of hey';
  const end = endOfRows(lines, endAfter(lines, start, /^Status code distribution:$/, file, expected));
  let next = end;
  while (next < lines.length && lines[next] === "" && next - end < 3) next += 1;
  if (lines[next] !== "Error distribution:") return next;
  const last = endOfRows(lines, next + 1);
  if (last < lines.length) return last;
  throw new ImportError(
    `${file}:${last}: the output that begins in line ${start + 1} is cut: expected a line break after the last error of hey, none came`,
  );
}

function endOfRows(lines: Lines, start: number): number {
  let end = start;
  while (end < lines.length && /^ {2}\[\d+\]\t/.test(lines[end] ?? "")) end += 1;
  return end;
}

function endAfter(lines: Lines, start: number, last: RegExp, file: string, expected: string): number {
  for (let at = start + 1; at < lines.length; at += 1) {
    if (last.test(lines[at] ?? "")) return at + 1;
    if (detectBeginning(lines[at] ?? "", lines[at + 1] ?? "") !== undefined) {
      throw new ImportError(
        `${file}:${at + 1}: expected a line with ${expected}, which began in line ${start + 1}, before something else begins`,
      );
    }
  }
  throw new ImportError(
    `${file}:${lines.length}: the output that begins in line ${start + 1} is cut: expected a line with ${expected}, none came`,
  );
}
