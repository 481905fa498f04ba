import type { Difference } from "../judge/differences.js";
import { describeAmount, describeLoads } from "./describe-level.js";
import { formatCount } from "./format-number.js";
import { groupBy } from "../stats/group-by.js";

/** Says in a sentence in what A and B differ beside their figures, and what that means; plain text, words as they came. */
export function describeDifference(difference: Difference): string {
  const { code, effect, target } = difference;
  const place = target === undefined || code.startsWith("TARGET") ? "" : `${target}: `;
  const what = describeWhat(difference);
  switch (code) {
    case "OTHER_MACHINE":
      return `${place}another machine: ${what}. Figures of one are no reference for another: measure both on the same.`;
    case "OTHER_ENGINE":
      return `${place}another engine: ${what}. Measure both with the same one, set alike.`;
    case "OTHER_REQUEST":
      return effect === "note"
        ? `${place}other credentials: ${what}.`
        : `${place}another request: ${what}. Measure both with the same one.`;
    case "OTHER_LOAD":
      return effect === "note" ? `${place}${what}.` : `${place}another load: ${what}. Measure both in the same way.`;
    case "OTHER_SOFTWARE":
      return `${place}other software: ${what}. Part of a difference may be due to that.`;
    case "OTHER_SERVER":
      return `${place}the target is set up in another way: ${what}.`;
    case "TARGET_ONLY_IN_A":
      return `${target} is a target of A alone; --target NAME=NAME says what to compare it with, or leaves it out.`;
    case "TARGET_ONLY_IN_B":
      return `${target} is a target of B alone.`;
    case "LEVELS_ONLY_IN_A":
    case "LEVELS_ONLY_IN_B":
      return `${place}only ${code.at(-1)} was measured at ${describeLevels(difference)}.`;
    case "BYTES_DIFFER":
      return `${place}other answers, or counted in another way: ${what}. Transfer rates do not compare.`;
    case "IDENTICAL_FIGURES":
      return `${place}the latencies of B are those of A, digit for digit, though it is another run: one of them is a copy. Measure it again.`;
    case "NOT_TOLD":
      return `not told, so that it is taken for alike: ${what}.`;
    case "NOT_COMPLETE":
      return `${what} was interrupted: it may lack levels or trials.`;
    case "SAME_RUN":
      return "A and B are the same run.";
  }
}

function describeWhat({ what = "", a, b }: Difference): string {
  return a === undefined || b === undefined ? what : `${what} ${describeValue(a)} in A, ${describeValue(b)} in B`;
}

function describeValue(value: string | number | boolean): string {
  return typeof value === "number" ? formatCount(value) : String(value);
}

function describeLevels({ levels = [] }: Difference): string {
  return [...groupBy(levels, describeAmount)]
    .map(([amount, those]) => `${describeLoads(those)} (${amount})`)
    .join(", ");
}
