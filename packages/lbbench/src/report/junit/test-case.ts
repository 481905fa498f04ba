/** Why a test case did not pass: `failure` is a no, `error` no answer, `skipped` a question that was not asked. */
export interface Miss {
  readonly kind: "failure" | "error" | "skipped";
  /** A code: `THRESHOLD_FAILED`. */
  readonly type: string;
  /** One sentence. */
  readonly message: string;
  /** Further lines: the cause, what to do. */
  readonly details?: readonly string[];
}

/** A test case of JUnit. */
export interface TestCase {
  readonly name: string;
  /** Time that was spent on it; 0 for what is judged by figures that are there. */
  readonly timeMs: number;
  /** Absent when it passed. */
  readonly miss?: Miss;
}

/** A suite of JUnit: a target, or the run as a whole. */
export interface TestSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
}
