import type { MetricComparison } from "../judge/compare-metric.js";
import { describeFinding } from "./finding-text.js";

/** Says in a few words why no difference is claimed. */
export function describeReason(reason: MetricComparison["reason"]): string {
  switch (reason) {
    case undefined:
      return "within the noise of the trials";
    case "SINGLE_TRIAL":
      return "one trial cannot be told from noise, --trials 5 can";
    case "TOO_FEW_TRIALS":
      return "too few trials to be told from noise, --trials 5 is enough";
    case "STEP_FAILED":
      return "a side has no measurement";
    default: {
      const { title } = describeFinding({ code: reason, severity: "warning", args: {} });
      return `${title.charAt(0).toLowerCase()}${title.slice(1)} [${reason}]`;
    }
  }
}
