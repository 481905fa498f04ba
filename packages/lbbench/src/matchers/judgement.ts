/** Whether a statement about a result holds; `unknown`: the numbers support neither answer. */
export type Answer = "yes" | "no" | "unknown";

/** What a statement about a result is found to be, in words. */
export interface Judgement {
  readonly answer: Answer;
  /** What was asked, after "to": `meet p99<50ms`. */
  readonly asked: string;
  /** What it rests on: the levels and their figures. Plain text, names as they came, a line each. */
  readonly evidence: readonly string[];
  /** What keeps it from being told, where the answer is `unknown`. */
  readonly doubts: readonly string[];
  /** What to do next. */
  readonly remedies: readonly string[];
  /** In short what was asked for, and what came: `expected` and `actual` of an `AssertionError`. */
  readonly expected: string;
  readonly actual: string;
}

/** What a matcher of vitest or jest returns. */
export interface MatcherOutcome {
  readonly pass: boolean;
  readonly message: () => string;
}
