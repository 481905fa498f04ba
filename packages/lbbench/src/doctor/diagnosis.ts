import type { Readings } from "./readings.js";

/** `ok`: good for measuring. `warning`: some figures will mean less. `problem`: something cannot be measured here at all. */
export type CheckStatus = "ok" | "warning" | "problem";

/** One thing that was looked at. */
export interface Check {
  /** Lower case, with dashes: `open-files`. A machine-readable name; it stays the same from release to release. */
  readonly id: string;
  readonly title: string;
  readonly status: CheckStatus;
  /** What was found: a line, or a sentence or two. */
  readonly found: string;
  /** What to do about it, and why, with a command for a shell as its last line; only with a warning or a problem. */
  readonly remedy?: string;
}

/** What this machine can and cannot measure. */
export interface Diagnosis {
  /** The worst of the checks. */
  readonly status: CheckStatus;
  readonly checks: readonly Check[];
  /** What the checks are made from. */
  readonly readings: Readings;
}
