import { placeOf, type Block } from "./block.js";
import { ImportError } from "./import-error.js";

/** Reads the JSON of a block; throws an {@link ImportError} that names the line where it is none. */
export function parseJson(block: Block, file: string): unknown {
  const text = block.lines.join("\n");
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    const before = position === undefined ? text : text.slice(0, Number(position));
    const line = block.first + before.split("\n").length - 1;
    throw new ImportError(`${placeOf(file, { first: line, last: line })}: expected JSON: ${message}`, { cause: error });
  }
}
