import type { StepResult } from "../model/result.js";
import { failedRequests } from "../stats/request-counts.js";

/** Bytes of an answer, as an engine counted them; absent is what it does not tell. */
export interface BytesPerAnswer {
  /** Head and body. */
  readonly received?: number;
  readonly body?: number;
}

/** Fewer answers are outweighed by what was still under way at the end. */
const FEWEST_ANSWERS = 10;

/** Answers that failed have bytes of their own; more of them than this part bend the mean. */
const MOST_FAILED = 0.01;

/** Returns the mean bytes of the answers of some steps, of those of which next to none failed; nothing without such steps. */
export function bytesPerAnswer(steps: readonly StepResult[]): BytesPerAnswer {
  const sound = steps.flatMap(({ state, measurement }) =>
    state === "completed" &&
    measurement !== undefined &&
    failedRequests(measurement.requests) <= measurement.requests.sent * MOST_FAILED
      ? [{ answers: measurement.requests.ok, bytes: measurement.bytes }]
      : [],
  );
  return { ...mean("received", sound), ...mean("body", sound) };
}

interface Counted {
  readonly answers: number;
  readonly bytes: BytesPerAnswer;
}

function mean(key: keyof BytesPerAnswer, steps: readonly Counted[]): BytesPerAnswer {
  const told = steps.filter(({ bytes }) => bytes[key] !== undefined);
  const answers = told.reduce((sum, step) => sum + step.answers, 0);
  const bytes = told.reduce((sum, step) => sum + (step.bytes[key] ?? 0), 0);
  return answers >= FEWEST_ANSWERS ? { [key]: bytes / answers } : {};
}
