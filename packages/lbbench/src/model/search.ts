/** How the largest load is searched that still holds the thresholds. */
export interface Search {
  /** What the levels are values of. */
  readonly by: "connections" | "rate";
  /** The first value that is tried. */
  readonly start: number;
  /** By what a value that held is multiplied for the next one, until one does not hold. */
  readonly growth: number;
  /** The largest value that is tried. */
  readonly most: number;
  /** How far apart the largest value that held and the smallest that did not may be in the end, as a ratio; 1 is always near enough. */
  readonly resolution: number;
  /** How many of the trials of a level have to hold, so that the level does. */
  readonly needed: number;
  /** What the largest value that held is multiplied by for a run beyond it; `null` for none. */
  readonly beyond: number | null;
}

/** What is known of one level. `unclear`: its trials do not decide; `undecided`: not all of them were made. */
export type Decision = "held" | "broken" | "unclear" | "undecided";

/** A level that was tried, and how many of its trials came out how. */
export interface TriedLevel {
  readonly value: number;
  readonly decision: Decision;
  readonly held: number;
  readonly broken: number;
  readonly unclear: number;
  /** Why the first trial did not hold, where one did not: a threshold, `backlog`, or the code of a finding. */
  readonly because?: string;
  /** The code of a finding for which it cannot be said that the target is what did not hold. */
  readonly doubt?: string;
}

/** What a search found for one target. */
export interface SearchOutcome {
  readonly target: string;
  readonly by: Search["by"];
  /**
   * `found`: the limit is between `held` and `broken`. `unbounded`: the largest value tried held. `nothing-held`: not even 1 did.
   * `unclear`: the trials of a level did not decide. `unfinished`: the search was cut short.
   */
  readonly status: "found" | "unbounded" | "nothing-held" | "unclear" | "unfinished";
  /** The largest value that held; `null` when none did. */
  readonly held: number | null;
  /** The smallest value that did not hold; `null` when all did. */
  readonly broken: number | null;
  /** Every level that was tried on the way, in that order. */
  readonly tried: readonly TriedLevel[];
  /** The level beyond the limit, where one was asked for and reached. */
  readonly beyond: TriedLevel | null;
}
