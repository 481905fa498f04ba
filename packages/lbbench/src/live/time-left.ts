import type { LiveState } from "./live-state.js";

/** Before this share of a step is done an estimate is a guess. */
const LEAST_SHARE = 0.02;

/**
 * Estimates how long a run will go on, in ms; `null` where nobody can say yet. The step under way goes on as it did; those to come
 * take as long as those of this run that are done, or before any is, as long as the one under way, starting and warming up included.
 */
export function estimateTimeLeft({ began, done, total, isOver, step }: LiveState, nowMs: number): number | null {
  if (isOver) return 0;
  if (began === null || step === null || total === null) return null;
  const isBetween = done > step.index;
  const spentMs = (isBetween ? nowMs : step.beganAtMs) - began.atMs;
  const eachMs = done > began.before ? spentMs / (done - began.before) : null;
  if (isBetween) return eachMs === null ? null : (total - done) * eachMs;
  const inStepMs = nowMs - step.beganAtMs;
  const measuring = measuringLeft(step.progress);
  const stepMs = eachMs ?? (measuring === null ? null : inStepMs + measuring);
  if (stepMs === null) return null;
  return (measuring ?? Math.max(0, stepMs - inStepMs)) + (total - done - 1) * stepMs;
}

function measuringLeft(progress: { readonly share: number; readonly elapsedMs: number } | null): number | null {
  if (progress === null || progress.share < LEAST_SHARE) return null;
  return (progress.elapsedMs * (1 - progress.share)) / progress.share;
}
