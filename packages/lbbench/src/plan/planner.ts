import type { StepKey, StepResult } from "../model/result.js";

/** Decides the next step from the steps done. */
export interface Planner {
  /** How many steps there will be in all; `undefined` where that depends on their outcome. */
  readonly total: number | undefined;
  /** Returns the next step, or `undefined` when all is done. Pure: the same history gives the same step. */
  readonly next: (history: readonly StepResult[]) => StepKey | undefined;
}
