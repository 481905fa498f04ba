import type { FailureClass, RequestCounts } from "./measurement.js";

/** One way in which a request can end. */
export interface Outcome {
  /** Its count in `measurement.requests`. */
  readonly key: Exclude<keyof RequestCounts, "sent">;
  /** The words of reports. */
  readonly label: string;
  /** Its column in steps.csv. */
  readonly column: string;
}

const outcome = <Key extends Outcome["key"]>(key: Key, label: string, column: string) => ({
  key,
  label,
  column,
});

/** The ways in which a request can fail, in the order in which reports list them. */
export const FAILURES: readonly (Outcome & { readonly key: FailureClass })[] = [
  outcome("non2xx", "unexpected status", "non2xx"),
  outcome("mismatched", "wrong body", "mismatched"),
  outcome("connectErrors", "connect errors", "connect_errors"),
  outcome("resets", "resets", "resets"),
  outcome("dropped", "dropped", "dropped"),
  outcome("timedOut", "timed out", "timed_out"),
];

const UNCLASSIFIED = outcome("unclassified", "not told how", "unclassified");

/** The same, and failures that a driven program does not tell apart. */
export const TOLD_FAILURES: readonly (Outcome & { readonly key: FailureClass | "unclassified" })[] = [
  ...FAILURES,
  UNCLASSIFIED,
];

/** Everything that can become of a request; their counts add up to `sent`. */
export const OUTCOMES: readonly Outcome[] = [
  outcome("ok", "ok", "ok"),
  ...FAILURES,
  outcome("inFlight", "in flight", "in_flight"),
  UNCLASSIFIED,
];
