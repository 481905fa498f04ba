import type { Block } from "./block.js";
import { detectBeginning, figuresOf } from "./detect-format.js";
import { endOfBlock } from "./end-of-block.js";
import { ImportError } from "./import-error.js";

const SHOWN_LENGTH = 80;

/**
 * Splits a file into the outputs of its runs. Other text may stand between them, such as prompts, but no figures. Throws an
 * {@link ImportError} that names the line for a file without any run, for figures outside of one, and for one that is cut.
 *
 * @param file its name, for messages.
 */
export function splitBlocks(text: string, file: string): readonly Block[] {
  const all = text.split("\n");
  const blocks: Block[] = [];
  let before: string[] = [];
  for (let at = 0; at < all.length; at += 1) {
    const line = all[at] ?? "";
    const beginning = detectBeginning(line, all[at + 1] ?? "");
    if (beginning === undefined) {
      refuseFigures(line, `${file}:${at + 1}`);
      before.push(line);
      continue;
    }
    if ("instead" in beginning) throw new ImportError(`${file}:${at + 1}: this is ${beginning.instead}`);
    const { program } = beginning;
    const end = endOfBlock(program, all, at, file);
    blocks.push({ program, lines: all.slice(at, end), first: at + 1, last: end, before });
    before = [];
    at = end - 1;
  }
  if (blocks.length === 0) throw nothingKnown(all, file);
  return blocks;
}

function refuseFigures(line: string, place: string): void {
  const program = figuresOf(line);
  if (program === undefined) return;
  throw new ImportError(
    `${place}: these are figures of ${program}, and what its output begins with is missing: expected all of it, got ${show(line)}`,
  );
}

function nothingKnown(lines: readonly string[], file: string): ImportError {
  const first = lines.findIndex((line) => line.trim() !== "");
  const got = first === -1 ? "nothing" : show(lines[first] ?? "");
  return new ImportError(
    `${file}:${Math.max(1, first + 1)}: expected what ab, wrk or hey prints (in English), or the JSON of autocannon -j or of k6's summary; got ${got}`,
  );
}

function show(line: string): string {
  return JSON.stringify(line.slice(0, SHOWN_LENGTH));
}
