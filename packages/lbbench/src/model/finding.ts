/**
 * `error`: the numbers are false or of the wrong thing. `warning`: a number means less than it seems.
 * `info`: worth knowing.
 */
export type Severity = "info" | "warning" | "error";

/** Everything lbbench can notice; each is described in docs/findings.md. */
export type FindingCode =
  | "ALL_FAILED"
  | "BODY_MISMATCH"
  | "CONNECTIONS_RESET"
  | "CONNECT_ERRORS"
  | "FD_LIMIT"
  | "GENERATOR_SATURATED"
  | "INTERRUPTED"
  | "KEEPALIVE_REFUSED"
  | "LEVEL_NOT_REACHED"
  | "LITTLES_LAW"
  | "MACHINE_SATURATED"
  | "NON_2XX"
  | "NO_WARMUP"
  | "PORTS_EXHAUSTED"
  | "REQUESTS_DROPPED"
  | "REQUESTS_LOST"
  | "SINGLE_TRIAL"
  | "STEP_FAILED"
  | "TARGET_DIED"
  | "THRESHOLD_FAILED"
  | "THRESHOLD_INCONCLUSIVE"
  | "TIMEOUTS"
  | "TLS_NOT_VERIFIED"
  | "TOO_SHORT"
  | "TRIALS_DISAGREE";

/** Facts a finding carries; the sentence is made from them at the edge. */
export type FindingArgs = Readonly<Record<string, string | number>>;

/** Something noticed, as a code with arguments. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly args: FindingArgs;
}

/** The judgement of a run, with the findings that led to it. */
export interface Verdict {
  readonly status: "pass" | "fail" | "inconclusive";
  readonly findings: readonly Finding[];
}
