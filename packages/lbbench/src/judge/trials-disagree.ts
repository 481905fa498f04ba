import type { Finding } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import { median, range } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { placeKey } from "../stats/identity.js";
import { groupFindings } from "./group-findings.js";
import type { LocatedFinding } from "./group-findings.js";

/** Spread of throughput from which on a single trial could have said something else altogether. */
const TRIALS_SPREAD = 0.2;

/**
 * `TRIALS_DISAGREE` {target, levels, connections, trials, low, high, spread} for every target that has levels at which
 * the throughputs of its trials lie further apart than 20 % of their median; figures and `connections` are of the
 * worst.
 */
export function findDisagreeingTrials(steps: readonly StepResult[]): readonly Finding[] {
  const completed = steps.filter(({ state }) => state === "completed");
  const groups = groupBy(completed, placeKey);
  return groupFindings([...groups.values()].flatMap(judgeTrials)).map(({ args, ...finding }) => {
    // Of all trials of a level, not of one step.
    const { steps: _steps, trial: _trial, ...figures } = args;
    return { ...finding, args: figures };
  });
}

function judgeTrials(trials: readonly StepResult[]): readonly LocatedFinding[] {
  const [step] = trials;
  const throughputs = trials.flatMap(({ measurement }) => measurement?.throughput ?? []);
  if (step === undefined || throughputs.length < 2 || median(throughputs) === 0) {
    return [];
  }
  const { low, high } = range(throughputs);
  const spread = (high - low) / median(throughputs);
  const args = { trials: throughputs.length, low, high, spread };
  return spread > TRIALS_SPREAD ? [{ step, finding: { code: "TRIALS_DISAGREE", severity: "warning", args } }] : [];
}
