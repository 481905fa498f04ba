/**
 * `error`: the numbers are false or of the wrong thing. `warning`: a number means less than it seems.
 * `info`: worth knowing.
 */
export type Severity = "info" | "warning" | "error";

/** Everything lbbench can notice; each is described in docs/findings.md. */
export type FindingCode =
  | "ALL_FAILED"
  | "BODY_MISMATCH"
  | "BYTES_DIFFER"
  | "CLIFF"
  | "COMPARISON_INCONCLUSIVE"
  | "CONNECTIONS_RESET"
  | "CONNECTIONS_STARVED"
  | "CONNECT_ERRORS"
  | "DEGRADES"
  | "DRIFT"
  | "FAST_FAILURES"
  | "FD_LIMIT"
  | "FIGURE_DOUBTFUL"
  | "FIGURE_NOT_TOLD"
  | "GENERATOR_SATURATED"
  | "HOST_BUSY"
  | "IDENTICAL_FIGURES"
  | "IMPORT_DOUBTFUL"
  | "INTERRUPTED"
  | "KEEPALIVE_REFUSED"
  | "KNEE"
  | "LEVEL_NOT_REACHED"
  | "LIMIT_DOUBTFUL"
  | "LIMIT_FOUND"
  | "LIMIT_NOT_FOUND"
  | "LITTLES_LAW"
  | "MACHINE_SATURATED"
  | "NON_2XX"
  | "NOTHING_HELD"
  | "NOT_WARM"
  | "NO_WARMUP"
  | "PORTS_EXHAUSTED"
  | "REQUESTS_DROPPED"
  | "REQUESTS_FAILED"
  | "REQUESTS_LOST"
  | "SCALABILITY"
  | "SHEDS"
  | "SINGLE_TRIAL"
  | "STALLS"
  | "START_REPEATED"
  | "STEP_FAILED"
  | "STOPPED_EARLY"
  | "TARGET_DIED"
  | "THRESHOLD_FAILED"
  | "THRESHOLD_INCONCLUSIVE"
  | "TIMEOUTS"
  | "TLS_NOT_VERIFIED"
  | "TOO_SHORT"
  | "TRIALS_DISAGREE"
  | "WITHIN_NOISE"
  | "WORSE_THAN_REFERENCE";

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
