import { ImportError } from "./import-error.js";

/**
 * Returns where a JSON object ends that begins at a line: the index of the line after it. What follows it in its last line is
 * refused, because nothing prints that.
 */
export function endOfJson(lines: readonly string[], start: number, file: string): number {
  let depth = 0;
  let isText = false;
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    for (let column = 0; column < line.length; column += 1) {
      const character = line[column];
      if (isText) {
        if (character === "\\") column += 1;
        else if (character === '"') isText = false;
      } else if (character === '"') isText = true;
      else if (character === "{" || character === "[") depth += 1;
      else if (character === "}" || character === "]") depth -= 1;
      if (depth === 0 && !isText && /[}\]]/.test(character ?? "")) {
        const rest = line.slice(column + 1).trim();
        if (rest === "") return at + 1;
        throw new ImportError(
          `${file}:${at + 1}: expected nothing after the JSON that begins in line ${start + 1}, got ${JSON.stringify(rest.slice(0, 40))}`,
        );
      }
    }
    // JSON has no line breaks in texts.
    if (isText && at + 1 < lines.length)
      throw new ImportError(`${file}:${at + 1}: expected JSON, got a text that is not closed in its line`);
  }
  throw new ImportError(
    `${file}:${lines.length}: the JSON that begins in line ${start + 1} is cut: expected "}" at its end, none came`,
  );
}
