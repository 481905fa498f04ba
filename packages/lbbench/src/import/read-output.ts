import { decodeText } from "./decode-text.js";
import type { NotInOutput } from "./imported-run.js";
import { readBlock, type ReadRun } from "./read-block.js";
import { splitBlocks } from "./split-blocks.js";

/**
 * Reads the runs of a file that the output of load generators was saved to, in its order. Throws an `ImportError` or a `ConfigError`
 * that names file and line where it is damaged, cut, in another language or of another program.
 */
export function readOutput(bytes: Uint8Array, file: string, told: NotInOutput = {}): readonly ReadRun[] {
  return splitBlocks(decodeText(bytes, file), file).map((block) => readBlock(block, file, told));
}
