import type { Baseline, Measured, Part } from "./asked.js";
import { judgeNoSlower, type NoSlowerOptions } from "./judge-no-slower.js";
import { judgeThresholdsMet, judgeVerdict } from "./judge-run.js";
import { renderJudgement, type Judgement } from "./judgement.js";

/** What vitest and jest tell a matcher of the assertion it is in. */
export interface MatcherContext {
  /** Whether it follows `.not`. */
  readonly isNot?: boolean;
  /** Which of `resolves` and `rejects` it follows; they leave it out inside of `toEqual` and its like. */
  readonly promise?: string;
  /** How they compare values. */
  readonly equals?: unknown;
}

/** What a matcher of vitest or jest returns. */
export interface MatcherOutcome {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * Makes a matcher of what judges a result. `expect` turns `pass` round after `.not`, so what is unknown has to be turned round before.
 * `toEqual` and its like, of which both runners say how values compare and nothing of a promise, have no answer but yes and no.
 */
function matcher<Args extends readonly unknown[]>(judge: (received: unknown, ...args: Args) => Judgement) {
  return function match(this: MatcherContext, received: unknown, ...args: Args): MatcherOutcome {
    const judgement = judge(received, ...args);
    const isNot = this.isNot === true;
    const { answer } = judgement;
    if (answer === "unknown" && this.equals !== undefined && this.promise === undefined) {
      throw new Error(renderJudgement(judgement, isNot));
    }
    return {
      pass: answer === "unknown" ? isNot : answer === "yes",
      message: () => renderJudgement(judgement, isNot),
    };
  };
}

/**
 * Matchers for `expect.extend` of vitest and jest. What cannot be told fails both ways: with `.not` as well, the message says
 * so. Inside of `toEqual` and its like, which have no answer but yes and no, they throw an `Error` for it. Each throws a
 * `ConfigError` for a value that is no result, and for an argument that makes no sense.
 */
export const matchers = {
  /** Passes where thresholds, written as `--threshold` takes them, hold in every step. */
  toMeet: matcher(judgeThresholdsMet),
  /** Passes where the result is known to be no worse than a baseline by more than a margin. */
  toBeNoSlowerThan: matcher(judgeNoSlower),
  /** Passes where the verdict of the run is `pass`. */
  toPass: matcher(judgeVerdict),
};

/** What the matchers take as asserted: a result, also one that `.resolves` waits for. */
type Asserted = Measured | PromiseLike<Measured>;

/** The matchers as `expect(subject)` has them; of a subject that is no result they are `never`, which cannot be called. */
export interface ResultMatchers<Subject, Outcome = void> {
  /**
   * Passes where thresholds hold in every step: `"p99<50ms"`, `"errors<=0"`, `"throughput>1000"`, one or several. `part` asks
   * about some targets or levels alone.
   */
  toMeet: Subject extends Asserted ? (thresholds: string | readonly string[], part?: Part) => Outcome : never;
  /**
   * Passes where the result is known to be no worse than a baseline by more than a margin: another target of the same run by its
   * name, another result, or the path of one.
   */
  toBeNoSlowerThan: Subject extends Asserted ? (baseline: Baseline, options?: NoSlowerOptions) => Outcome : never;
  /** Passes where the verdict of the run is `pass`. */
  toPass: Subject extends Asserted ? () => Outcome : never;
}

/** The matchers inside of `toEqual` and its like: `expect.toMeet("errors<1%")`. */
export type AsymmetricResultMatchers = ResultMatchers<Measured, unknown>;
