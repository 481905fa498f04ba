import type { NoTest } from "../judge/compare-trials.js";
import { FEWEST_FOR_SPREAD } from "../stats/bootstrap.js";
import { describeFinding } from "./finding-text.js";

/** How many trials it takes, and whether they were planned, so that going on with the run gives them. */
export interface TrialsLack {
  readonly trialsNeeded?: number;
  readonly canResume?: boolean;
}

/** Says in a few words why no difference is claimed; `lack` goes with `SINGLE_TRIAL` and `TOO_FEW_TRIALS`. */
export function describeReason(reason: NoTest | undefined, lack: TrialsLack = {}): string {
  // Fewer find only differences that nobody needs a test for.
  const { trialsNeeded = FEWEST_FOR_SPREAD, canResume = false } = lack;
  switch (reason) {
    case undefined:
      return "within the noise of the trials";
    case "SINGLE_TRIAL":
      return canResume
        ? "one trial cannot be told from noise, go on with --resume"
        : `one trial cannot be told from noise, --trials ${Math.max(trialsNeeded, FEWEST_FOR_SPREAD)} can`;
    case "TOO_FEW_TRIALS":
      return canResume
        ? `too few of the trials were measured: a difference takes at least ${trialsNeeded} on each side here, go on with --resume`
        : `too few trials: a difference takes at least ${trialsNeeded} on each side here, --trials ${Math.max(trialsNeeded, FEWEST_FOR_SPREAD)}`;
    case "NOT_MEASURED":
      return "a side has no measurement";
    default: {
      const { title } = describeFinding({ code: reason, severity: "warning", args: {} });
      return `${title.charAt(0).toLowerCase()}${title.slice(1)} [${reason}]`;
    }
  }
}
