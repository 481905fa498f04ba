import { ConfigError } from "../config/config-error.js";
import { parseThreshold } from "../config/parsers.js";
import { judgeResult } from "../judge/judge-result.js";
import { metricValue } from "../judge/metrics.js";
import { judgeThresholds } from "../judge/thresholds.js";
import type { Finding, Verdict } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import type { Threshold } from "../model/threshold.js";
import { describeAmount, describeLoad } from "../report/describe-level.js";
import { TOLD_FAILURES } from "../model/outcomes.js";
import { metricText } from "../judge/finding-figures.js";
import { formatCount } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey, placeKey } from "../stats/identity.js";
import { failedRequests } from "../stats/request-counts.js";
import { selectPart, resultOf, type Part } from "./asked.js";
import { describeFound, describeGaps, findUnmeasured, remediesOf, shortTarget } from "./describe-doubts.js";
import type { Answer, Judgement } from "./judgement.js";
import { countOf } from "../stats/count-of.js";

/**
 * Judges whether thresholds, written as `--threshold` takes them, hold in every step of a result or of a part of it, whatever
 * thresholds the run itself had. `unknown` where `lbbench sweep` would call it inconclusive, where the run was cut short, and where
 * a target was not measured at a level of the part.
 *
 * Throws a `ConfigError` for what is no result, no threshold, or no part of it.
 */
export function judgeThresholdsMet(
  given: unknown,
  expressions: string | readonly string[],
  part: Part = {},
): Judgement {
  const run = measuredOnPurpose(resultOf(given), "meet thresholds");
  const result = selectPart(run, part);
  const thresholds = parseAll(expressions);
  const asked = thresholds.map(({ source }) => source).join(" and ");
  const verdict = judgeWith(result, thresholds);
  const answer = answerOf(verdict.status, result, findUnmeasured(result));
  const evidence = thresholds.flatMap((threshold) => describeSteps(threshold, result, answer));
  const missed = verdict.findings.filter(({ code }) => code === "THRESHOLD_FAILED");
  return {
    answer,
    asked: `meet ${asked}`,
    evidence,
    ...explain(answer, missed, { run, result, verdict }),
    expected: asked,
    actual: evidence.join("; "),
  };
}

interface Judged {
  readonly run: Result;
  /** The part of the run that is asked about. */
  readonly result: Result;
  readonly verdict: Verdict;
}

/** Says of an answer `unknown` why, and what to do about that, and of `no` what to do about its causes. */
function explain(
  answer: Answer,
  causes: readonly Finding[],
  { run, result, verdict }: Judged,
): Pick<Judgement, "doubts" | "remedies"> {
  if (answer !== "unknown") return { doubts: [], remedies: answer === "yes" ? [] : remediesOf(causes, result) };
  const doubts = doubtsIn(verdict);
  const { gaps, remedies } = describeGaps(run, result);
  return { doubts: [...doubts.map(describeFound), ...gaps], remedies: [...remediesOf(doubts, result), ...remedies] };
}

/** A search measures loads that do not hold on purpose, so that nothing of the kind can be asked of all its steps. */
function measuredOnPurpose(result: Result, what: string): Result {
  if (result.search === undefined) return result;
  throw new ConfigError(
    `Expected the result of a sweep or a ramp to ${what}, got that of a search, which goes beyond what holds on purpose. ` +
      "Ask for its verdict with toPass().",
  );
}

/** Judges a result by these thresholds, and by nothing else that was asked of it. */
export function judgeWith(result: Result, thresholds: readonly Threshold[]): Verdict {
  return judgeResult({ ...result, scenario: { ...result.scenario, thresholds, margin: null } });
}

/** A run that was cut short can have missed a condition, and never met it; nor can a part of it of which something is missing. */
export function answerOf(
  status: Verdict["status"],
  { complete }: Pick<Result, "complete">,
  unmeasured: readonly unknown[] = [],
): Answer {
  if (status === "fail") return "no";
  return status === "pass" && complete && unmeasured.length === 0 ? "yes" : "unknown";
}

/** What keeps a condition from being told: errors that no threshold made, and what a threshold that is in doubt names as its reason. */
function doubtsIn({ findings }: Verdict): readonly Finding[] {
  const inDoubt = findings.filter(({ code }) => code === "THRESHOLD_INCONCLUSIVE");
  const named = new Set(inDoubt.map(({ args }) => args["because"]));
  const causes = findings.filter(
    ({ code, severity }) => named.has(code) || (severity === "error" && code !== "THRESHOLD_FAILED"),
  );
  return causes.length === 0 ? inDoubt : causes;
}

function parseAll(expressions: string | readonly string[]): readonly Threshold[] {
  const all: readonly unknown[] = Array.isArray(expressions) ? expressions : [expressions];
  if (all.length === 0) throw new ConfigError('Expected a threshold such as "p99<50ms", or several, got none.');
  return all.map((one) => {
    if (typeof one !== "string") {
      throw new ConfigError(`Expected a threshold such as "p99<50ms", or several, got a ${typeof one}.`);
    }
    try {
      return parseThreshold(one);
    } catch (error) {
      throw new ConfigError(`threshold: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  });
}

const NO_FAILURE = parseThreshold("errors<=0");

/**
 * Judges whether every request of a result, or of a part of it, that came to an end was answered as expected. `no` as soon as one
 * is known to have failed; `unknown` where that is not told or the counts are not to be relied on, where the run was cut short, and
 * where a target was not measured at a level of the part.
 */
export function judgeFailures(given: unknown, part: Part = {}): Judgement {
  const run = measuredOnPurpose(resultOf(given), "have no failures");
  const result = selectPart(run, part);
  const { steps } = result;
  const verdict = judgeWith(result, [NO_FAILURE]);
  const hasFailed = steps.some((step) =>
    judgeThresholds([NO_FAILURE], [step]).some(({ code }) => code === "THRESHOLD_FAILED"),
  );
  // That all requests failed leaves other figures without meaning, and this one as clear as can be.
  const answer = hasFailed ? "no" : answerOf(verdict.status, result, findUnmeasured(result));
  const byLevel = trialsByPlace(result);
  const failing = byLevel.filter((trials) => trials.some((step) => failedOf(step) > 0));
  const causes = verdict.findings.filter(({ code, args }) => args["share"] !== undefined || code === "ALL_FAILED");
  const failed = steps.reduce((sum, step) => sum + failedOf(step), 0);
  const sent = steps.reduce((sum, { measurement }) => sum + (measurement?.requests.sent ?? 0), 0);
  return {
    answer,
    asked: "have no failures",
    evidence: (answer === "no" ? failing : byLevel).map(describeLevel),
    ...explain(answer, causes, { run, result, verdict }),
    expected: "0 failed requests",
    actual: `${countOf(failed, "failed request")} of ${formatCount(sent)}`,
  };
}

function failedOf({ measurement }: StepResult): number {
  return measurement === undefined ? 0 : failedRequests(measurement.requests);
}

function describeLevel(trials: readonly StepResult[]): string {
  const sent = trials.reduce((sum, { measurement }) => sum + (measurement?.requests.sent ?? 0), 0);
  const failed = trials.filter((step) => failedOf(step) > 0);
  const count = trials.reduce((sum, step) => sum + failedOf(step), 0);
  const ways = TOLD_FAILURES.flatMap(({ key, label }) => {
    const those = trials.reduce((sum, { measurement }) => sum + (measurement?.requests[key] ?? 0), 0);
    return those === 0 ? [] : [`${formatCount(those)} ${label}`];
  });
  const how = ways.length === 0 ? "" : ` (${ways.join(", ")})`;
  const where = count === 0 ? `, ${trialsOf(trials)}` : `, in ${failed.length} of ${trialsOf(trials)}`;
  return `${nameTrials(trials)}: ${formatCount(count)} of ${countOf(sent, "request")} failed${how}${where}`;
}

/**
 * Says how a threshold fares, in a line for each target and level: the worst of its trials, the bound, and in how many trials.
 * Where the answer is `no` the levels that miss it, where it is `unknown` those that miss it or cannot be judged (all of them
 * where it is not for the threshold), else all.
 */
function describeSteps(threshold: Threshold, result: Result, answer: Answer): readonly string[] {
  const levels = trialsByPlace(result).map((trials) => judgeLevel(threshold, trials));
  const wanted = levels.filter(({ missed, doubtful }) => {
    if (answer === "yes") return true;
    return missed > 0 || (answer === "unknown" && doubtful > 0);
  });
  const shown = wanted.length === 0 && answer === "unknown" ? levels : wanted;
  return shown.map(({ line }) => line);
}

/** The trials of every target at every level that was measured, in the order of the scenario, whatever that of the steps was. */
function trialsByPlace({ scenario, steps }: Result): readonly (readonly StepResult[])[] {
  const places = groupBy(steps, placeKey);
  const levels = new Map(scenario.levels.map((level) => [levelKey(level), level]));
  return scenario.targets.flatMap(({ name: target }) =>
    [...levels.values()].flatMap((level) => {
      const trials = places.get(placeKey({ target, level }));
      return trials === undefined ? [] : [trials];
    }),
  );
}

interface JudgedLevel {
  readonly missed: number;
  readonly doubtful: number;
  readonly line: string;
}

function judgeLevel(threshold: Threshold, trials: readonly StepResult[]): JudgedLevel {
  const findings = trials.flatMap((step) => judgeThresholds([threshold], [step]));
  const missed = findings.filter(({ code }) => code === "THRESHOLD_FAILED").length;
  const doubtful = findings.length - missed;
  const because = [...new Set(findings.flatMap(({ args }) => args["because"] ?? []))].join(", ");
  const parts = [
    ...(missed > 0 ? [`missed in ${missed} of ${trialsOf(trials)}`] : []),
    ...(doubtful > 0 ? [`cannot be judged in ${doubtful} of ${trialsOf(trials)} because of ${because}`] : []),
    ...(findings.length === 0 ? [`met in ${trialsOf(trials)}`] : []),
  ];
  return {
    missed,
    doubtful,
    line: `${nameTrials(trials)}: ${describeWorst(threshold, trials)}, ${threshold.source} ${parts.join(", ")}`,
  };
}

/** `single at 50 connections (3 s)`. */
export function nameTrials([first]: readonly StepResult[]): string {
  if (first === undefined) return "";
  const amount = describeAmount(first.level);
  return `${shortTarget(first.target)} at ${describeLoad(first.level)}${amount === "" ? "" : ` (${amount})`}`;
}

/** `3 trials`. */
export function trialsOf({ length }: readonly StepResult[]): string {
  return countOf(length, "trial");
}

function describeWorst({ metric, operator }: Threshold, trials: readonly StepResult[]): string {
  const values = trials.flatMap(({ measurement }) =>
    measurement === undefined ? [] : (metricValue(measurement, metric) ?? []),
  );
  if (values.length === 0) return `no ${metric}`;
  const actual = operator.startsWith("<") ? Math.max(...values) : Math.min(...values);
  const worst = values.length > 1 ? " at worst" : "";
  return `${metric} ${metricText(actual, metric)}${worst}`;
}
