import type { Measurement } from "../../model/measurement.js";

const FIRST = "Server Software:";
/** A line that was too long, or many of them, as they are marked where output is kept. */
const CUT = /\[cut\]$|^\[\d+ lines left out\]$/;

/** Returns what ab itself printed of a run, from the server on; `undefined` for other engines, and where it was not kept whole. */
export function printedByAb({ program }: Pick<Measurement, "program">): readonly string[] | undefined {
  if (program?.name !== "ab") return undefined;
  const lines = program.output.split(/\r\n|\r|\n/).map(withoutControls);
  const first = lines.findIndex((line) => line.startsWith(FIRST));
  return first === -1 || lines.some((line) => CUT.test(line)) ? undefined : lines.slice(first);
}

/** Columns are left where they are. The name of the server comes from outside. */
function withoutControls(line: string): string {
  return line.replaceAll(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, " ");
}
