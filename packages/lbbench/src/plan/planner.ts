import type { StepKey, StepResult } from "../model/result.js";
import type { SearchOutcome } from "../model/search.js";

/** Decides the next step from the steps done. */
export interface Planner {
  /** How many steps there will be in all, as far as the steps done tell; `undefined` where nobody can say. */
  readonly total: (history: readonly StepResult[]) => number | undefined;
  /** Returns the next step, or `undefined` when all is done. Pure: the same history gives the same step. */
  readonly next: (history: readonly StepResult[]) => StepKey | undefined;
  /** What a search has found so far, for each target; absent in a planner that searches nothing. */
  readonly search?: (history: readonly StepResult[]) => readonly SearchOutcome[];
}
