import type { StepKey } from "../../model/result.js";
import { loadOf } from "../../stats/load.js";

/** The labels by which figures of a step are told from those of others. */
export const STEP_LABELS = ["target", "connections", "rate", "users", "requests", "duration_seconds", "trial"] as const;

/** Returns the labels of a step: of `connections`, `rate` and `users` one, and of `requests` and `duration_seconds`. */
export function stepLabels({ target, level, trial }: StepKey): Readonly<Record<string, string>> {
  const { kind, value } = loadOf(level);
  return {
    target,
    [kind]: String(value),
    ...(level.requests === undefined ? {} : { requests: String(level.requests) }),
    ...(level.durationMs === undefined ? {} : { duration_seconds: String(level.durationMs / 1000) }),
    trial: String(trial),
  };
}
