import type { FailureClass } from "../model/measurement.js";

/** The ways a request can fail, with the words reports use for them, in the order in which reports list them. */
export const FAILURE_CLASSES: readonly { readonly key: FailureClass; readonly label: string }[] = [
  { key: "non2xx", label: "unexpected status" },
  { key: "mismatched", label: "wrong body" },
  { key: "connectErrors", label: "connect errors" },
  { key: "resets", label: "resets" },
  { key: "dropped", label: "dropped" },
  { key: "timedOut", label: "timed out" },
];

/** The same, and what stands for failures that a program which was driven does not tell apart. */
export const TOLD_FAILURES: readonly { readonly key: FailureClass | "unclassified"; readonly label: string }[] = [
  ...FAILURE_CLASSES,
  { key: "unclassified", label: "not told how" },
];
