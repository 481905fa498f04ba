import type { StepResult } from "../model/result.js";
import type { FailurePlace } from "../stats/failure-manner.js";
import { refusedRequests } from "../stats/refused-requests.js";
import { failedRequests } from "../stats/request-counts.js";

/** Part of the failed requests from which on refusing is what the target does, and the rest is chance. */
const MOSTLY = 0.8;

/**
 * Whether a target that keeps up its goodput while requests fail refuses what is too much: there was a lower load at which next to
 * none failed, so that it is the load that it refuses, and at least 80 % of the failed requests of these steps were turned away
 * (`refusedRequests`). One that fails at any load, or that lets requests hang, is not to be called a limit set on purpose.
 */
export function turnsAway({ lastGood }: FailurePlace, steps: readonly StepResult[]): boolean {
  if (lastGood === null) return false;
  const measurements = steps.flatMap(({ measurement }) => measurement ?? []);
  const refused = measurements.reduce((sum, measurement) => sum + refusedRequests(measurement), 0);
  const failed = measurements.reduce((sum, { requests }) => sum + failedRequests(requests), 0);
  return refused > 0 && refused >= MOSTLY * failed;
}
