import type { Level } from "../model/level.js";

/** Differences that leave nothing to judge: what was measured is not of the same thing. */
export type PreventingCode =
  | "OTHER_MACHINE"
  | "OTHER_ENGINE"
  | "OTHER_REQUEST"
  | "OTHER_LOAD"
  /** The latencies of B are digit for digit those of A, although the runs are not the same. */
  | "IDENTICAL_FIGURES";

/** Everything in which two results, A and B, may differ beside their figures. */
export type DifferenceCode =
  | PreventingCode
  /** The operating system's kernel, Node.js, or lbbench itself. */
  | "OTHER_SOFTWARE"
  /** The server of a target, or its options. */
  | "OTHER_SERVER"
  | "TARGET_ONLY_IN_A"
  | "TARGET_ONLY_IN_B"
  | "LEVELS_ONLY_IN_A"
  | "LEVELS_ONLY_IN_B"
  /** The answers have other bytes, or the engines count other bytes, so that transfer rates do not compare. */
  | "BYTES_DIFFER"
  /** A result was imported, and does not tell something, so that it is not known whether the two differ in it. */
  | "NOT_TOLD"
  /** A run was interrupted. */
  | "NOT_COMPLETE"
  /** A and B hold the same measurements. */
  | "SAME_RUN";

/** One thing in which two results differ beside their figures. */
export interface Difference {
  readonly code: DifferenceCode;
  /** `prevents`: what it touches is not judged. `note`: it is judged, and this may be part of the difference. */
  readonly effect: "prevents" | "note";
  /** What it is, in words of the result file: `cpuModel`, `header accept`. Absent where the code says it all. */
  readonly what?: string;
  /**
   * What A has, and what B has. Absent where the words might be secret or long: values of headers, bodies, options of
   * servers.
   */
  readonly a?: string | number | boolean;
  readonly b?: string | number | boolean;
  /** Name of the target that it touches, in B, or in A where B has none; absent when it touches all. */
  readonly target?: string;
  readonly levels?: readonly Level[];
}

/** Whether a difference is one of those that a comparison can give as its reason. */
export function isPreventing(difference: Difference): difference is Difference & { readonly code: PreventingCode } {
  return difference.effect === "prevents" && isPreventingCode(difference.code);
}

const PREVENTING: ReadonlySet<string> = new Set<PreventingCode>([
  "OTHER_MACHINE",
  "OTHER_ENGINE",
  "OTHER_REQUEST",
  "OTHER_LOAD",
  "IDENTICAL_FIGURES",
]);

/** Whether a reason is a difference between two results that leaves them nothing to compare. */
export function isPreventingCode(code: string): boolean {
  return PREVENTING.has(code);
}

/** One difference, if there is one. */
export function differ(
  code: Difference["code"],
  effect: Difference["effect"],
  what: string,
  a: string | number | boolean,
  b: string | number | boolean,
): readonly Difference[] {
  return a === b ? [] : [{ code, effect, what, a, b }];
}
