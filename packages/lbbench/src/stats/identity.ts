import type { Level } from "../model/level.js";
import type { StepKey } from "../model/result.js";

/** Returns a text that is the same for equal levels and differs for different ones. */
export function levelKey({ connections, requests, durationMs }: Level): string {
  return JSON.stringify([connections, requests ?? null, durationMs ?? null]);
}

/** Returns a text that is the same for steps of the same target, level and trial, and differs for others. */
export function stepKey({ target, level, trial }: StepKey): string {
  return JSON.stringify([target, levelKey(level), trial]);
}
