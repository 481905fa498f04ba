import { judgeFailures } from "./judge-failures.js";
import { judgeNoSlower } from "./judge-no-slower.js";
import type { NoSlowerOptions } from "./judge-no-slower.js";
import { judgeThresholdsMet } from "./judge-thresholds-met.js";
import { judgeVerdict } from "./judge-verdict.js";
import type { Judgement, MatcherOutcome } from "./judgement.js";
import type { Part } from "./part.js";
import { renderJudgement } from "./render-judgement.js";

/** What vitest and jest tell a matcher of the assertion it is in. */
export interface MatcherContext {
  /** Whether it follows `.not`. */
  readonly isNot?: boolean;
  /** Which of `resolves` and `rejects` it follows; they leave it out inside of `toEqual` and its like. */
  readonly promise?: string;
  /** How they compare values. */
  readonly equals?: unknown;
}

/**
 * Matchers for `expect.extend` of vitest and jest. What cannot be told fails both ways: with `.not` as well, the message says
 * so. Inside of `toEqual` and its like, which have no answer but yes and no, they throw an `Error` for it. Each throws a
 * `ConfigError` for what is no result, and for an argument that makes no sense.
 */
export const matchers = {
  /** Passes where thresholds, written as `--threshold` takes them, hold in every step. */
  toMeet(this: MatcherContext, received: unknown, thresholds: string | readonly string[], part?: Part): MatcherOutcome {
    return toOutcome(judgeThresholdsMet(received, thresholds, part), this);
  },
  /** Passes where every request was answered as expected. */
  toHaveNoFailures(this: MatcherContext, received: unknown, part?: Part): MatcherOutcome {
    return toOutcome(judgeFailures(received, part), this);
  },
  /** Passes where the result is known to be no worse than a baseline by more than a margin. */
  toBeNoSlowerThan(
    this: MatcherContext,
    received: unknown,
    baseline: unknown,
    options?: NoSlowerOptions,
  ): MatcherOutcome {
    return toOutcome(judgeNoSlower(received, baseline, options), this);
  },
  /** Passes where the verdict of the run is `pass`. */
  toPass(this: MatcherContext, received: unknown): MatcherOutcome {
    return toOutcome(judgeVerdict(received), this);
  },
};

/** `expect` turns `pass` round after `.not`, so what is unknown has to be turned round before. */
function toOutcome(judgement: Judgement, context: MatcherContext): MatcherOutcome {
  const isNot = context.isNot === true;
  const { answer } = judgement;
  if (answer === "unknown" && isInsideOfOther(context)) {
    throw new Error(renderJudgement(judgement, isNot));
  }
  return {
    pass: answer === "unknown" ? isNot : answer === "yes",
    message: () => renderJudgement(judgement, isNot),
  };
}

/** Whether it is called by `toEqual` or its like: both runners then say how values compare, and nothing of a promise. */
function isInsideOfOther(context: MatcherContext): boolean {
  return context.equals !== undefined && context.promise === undefined;
}
