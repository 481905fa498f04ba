import type { LiveState } from "./live-state.js";

/** A step is done when its result is there, not when its last answer is. */
const ALMOST_DONE = 0.99;

/** Says whether a step is under way: one that has begun, and whose result is not there yet. */
export function isUnderWay({ step, done, isOver }: LiveState): boolean {
  return step !== null && done <= step.index && !isOver;
}

/** Returns how much of all steps is done, the part of the one under way included, 0 to 1; `null` where nobody can say. */
export function shareDone(state: LiveState): number | null {
  const { step, done, total } = state;
  if (total === null || total === 0) return null;
  const ofStep = isUnderWay(state) ? Math.min(ALMOST_DONE, step?.progress?.share ?? 0) : 0;
  return Math.min(1, (done + ofStep) / total);
}
