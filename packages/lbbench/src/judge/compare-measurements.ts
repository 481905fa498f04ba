import type { StepResult } from "../model/result.js";
import { bytesPerAnswer } from "./bytes-per-answer.js";
import { compareBytes } from "./compare-bytes.js";
import type { Difference } from "./compare-difference.js";
import { matchTables } from "./identical-figures.js";

/** The steps of a target of A, and those of the target of B that is compared with it. */
export interface MeasuredPair {
  readonly target: string;
  readonly a: readonly StepResult[];
  readonly b: readonly StepResult[];
  /** Whether both are of the same run, in which nothing is strange about figures that agree. */
  readonly isSameRun: boolean;
}

/** Returns what the measurements of a pair show to be wrong with comparing them, beside their speed. */
export function compareMeasurements({ target, a, b, isSameRun }: MeasuredPair): readonly Difference[] {
  const bytes = compareBytes(bytesPerAnswer(a), bytesPerAnswer(b));
  const isCopy = !isSameRun && matchTables(a, b).length > 0;
  return [
    ...(isCopy ? [{ code: "IDENTICAL_FIGURES", effect: "prevents", target } as const] : []),
    ...(bytes === undefined ? [] : [{ code: "BYTES_DIFFER", effect: "note", target, ...wordsFor(bytes) } as const]),
  ];
}

/** The figure that differs for the reason that was found. */
function wordsFor({
  reason,
  figures,
}: NonNullable<ReturnType<typeof compareBytes>>): Pick<Difference, "what" | "a" | "b"> {
  const isBody = reason === "body";
  const [a, b] = isBody ? [figures["body"], figures["otherBody"]] : [figures["received"], figures["otherReceived"]];
  const what = isBody ? "bytes of body per answer" : "bytes received per answer";
  return a === undefined || b === undefined ? { what } : { what, a, b };
}
