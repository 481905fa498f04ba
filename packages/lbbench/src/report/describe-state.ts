import type { StepResult } from "../model/result.js";
import type { Cell } from "./cells.js";

/** Says which trials of a cell did not run to their end: `failed`, `2 of 5 failed`; empty when all did. */
export function describeState({ steps }: Cell): string {
  return (["failed", "aborted"] as const)
    .flatMap((state) => {
      const count = steps.filter((step) => step.state === state).length;
      if (count === 0) {
        return [];
      }
      return [steps.length === 1 ? state : `${count} of ${steps.length} ${state}`];
    })
    .join(", ");
}

/** Says why a step did not run to its end; the message is as it came. */
export function describeStepError({ state, error }: StepResult): string {
  return error === undefined ? state : `${state} with ${error.code}: ${error.message}`;
}
