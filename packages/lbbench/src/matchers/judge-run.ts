import { ConfigError, insist } from "../config/config-error.js";
import { parseThreshold } from "../config/parsers.js";
import { CONCLUSIONS } from "../judge/findings.js";
import { metricText } from "../judge/finding-figures.js";
import { judgeResult } from "../judge/judge-result.js";
import { metricValue } from "../judge/metrics.js";
import { judgeThresholds } from "../judge/thresholds.js";
import type { Finding, Verdict } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import type { Threshold } from "../model/threshold.js";
import { describeAmount, describeLoad } from "../report/describe-level.js";
import { describeShortfalls } from "../report/headline.js";
import { countOf } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { distinctLevels, placeKey } from "../stats/identity.js";
import { type Part, resultOf, selectPart } from "./asked.js";
import { describeFound, findCut, findUnmeasured, type Judgement, remediesOf, shortTarget } from "./judgement.js";

/** How one condition fares at one level of a target. */
interface JudgedLevel {
  readonly line: string;
  readonly isMissed: boolean;
  readonly isDoubtful: boolean;
}

/**
 * Judges whether thresholds, written as `--threshold` takes them, hold in every step of a result or of a part of it, whatever
 * thresholds the run itself had. `unknown` where `lbbench sweep` would call it inconclusive, where the run was cut short, and where
 * a target was not measured at a level of the part.
 *
 * Throws a `ConfigError` for a value that is no result, no threshold, or no part of it.
 */
export function judgeThresholdsMet(
  given: unknown,
  expressions: string | readonly string[],
  part: Part = {},
): Judgement {
  const run = resultOf(given);
  // A search measures loads that do not hold on purpose, so that nothing of the kind can be asked of all its steps.
  insist(
    run.search === undefined,
    "Expected the result of a sweep or a ramp to meet thresholds, got that of a search, which goes beyond what holds on purpose. " +
      "Ask for its verdict with toPass().",
  );
  const selected = selectPart(run, part);
  const thresholds = parseAll(expressions);
  const asked = askedOnly(selected, thresholds);
  const { status, findings } = judgeResult(asked);
  const wanted = thresholds.map(({ source }) => source).join(" and ");
  const levels = trialsByPlace(asked);
  const judged = thresholds.map((threshold) => levels.map((trials) => judgeLevel(threshold, trials, thresholds)));
  const answer = answerOf(status, run, asked);
  const evidence = judged.flatMap((ofLevels) => tellingLines(ofLevels, answer));
  const [reasons, cut, unmeasured] = [reasonsOf(findings), findCut(run), findUnmeasured(asked)];
  const gaps = run.complete ? unmeasured : cut;
  return {
    answer,
    asked: `meet ${wanted}`,
    evidence,
    doubts: [
      ...reasons.map(describeFound),
      ...(run.complete ? describeShortfalls(asked) : cut.lines),
      ...unmeasured.lines,
    ],
    remedies: answer === "no" ? remediesOf(causesOf(findings), run) : [...remediesOf(reasons, run), ...gaps.remedies],
    expected: wanted,
    actual: evidence.join("; "),
  };
}

/** Why thresholds were missed; of requests that failed it is told how. */
function causesOf(findings: readonly Finding[]): readonly Finding[] {
  const missed = findings.filter(({ code }) => code === "THRESHOLD_FAILED");
  const failures = findings.filter(({ code, args }) => !CONCLUSIONS.has(code) && args["share"] !== undefined);
  return missed.flatMap((one) => (one.args["metric"] === "errors" && failures.length > 0 ? failures : [one]));
}

/** Why it cannot be told: errors that no threshold made, and what a threshold that is in doubt names as its reason. */
function reasonsOf(findings: readonly Finding[]): readonly Finding[] {
  const inDoubt = findings.filter(({ code }) => code === "THRESHOLD_INCONCLUSIVE");
  const named = new Set(inDoubt.map(({ args }) => args["because"]));
  const reasons = findings.filter(
    ({ code, severity }) => named.has(code) || (severity === "error" && code !== "THRESHOLD_FAILED"),
  );
  return reasons.length === 0 ? inDoubt : reasons;
}

const INCONCLUSIVE: ReadonlySet<string> = new Set(["THRESHOLD_INCONCLUSIVE", "COMPARISON_INCONCLUSIVE"]);

/**
 * Judges whether the verdict of a result is `pass`: by the thresholds, the margin or the search of its own scenario. `unknown` where
 * it is `inconclusive`, and where the run was cut short without having failed.
 */
export function judgeVerdict(given: unknown): Judgement {
  const result = resultOf(given);
  const { status, findings } = result.verdict;
  const answer = answerOf(status, result);
  const telling = findings.filter(({ code, severity }) => severity === "error" || INCONCLUSIVE.has(code));
  const [found, cut] = [telling.map(describeFound), findCut(result)];
  const doubts = [...found, ...(result.complete ? describeShortfalls(result) : cut.lines)];
  const noReason = "It names no reason: nothing may have been measured.";
  return {
    answer,
    asked: "pass",
    evidence: [
      `its verdict is ${status}, of ${countOf(result.steps.length, "step")}`,
      ...(answer === "no" ? found : []),
    ],
    doubts: doubts.length > 0 ? doubts : [noReason],
    remedies: [...remediesOf(telling, result), ...(answer === "no" ? [] : cut.remedies)],
    expected: "pass",
    actual: status,
  };
}

/** A result of which nothing but these thresholds is asked. */
export function askedOnly(result: Result, thresholds: readonly Threshold[]): Result {
  return { ...result, scenario: { ...result.scenario, thresholds, margin: null } };
}

function parseAll(expressions: string | readonly string[]): readonly Threshold[] {
  const all: readonly unknown[] = [expressions].flat();
  insist(all.length > 0, 'Expected a threshold such as "p99<50ms", or several, got none.');
  return all.map((one) => {
    insist(typeof one === "string", `Expected a threshold such as "p99<50ms", or several, got a ${typeof one}.`);
    try {
      return parseThreshold(one);
    } catch (error) {
      throw new ConfigError(`threshold: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  });
}

/** A run that was cut short can miss a condition but not meet it. The same holds for a part that lacks something. */
function answerOf(status: Verdict["status"], { complete }: Result, asked?: Result): Judgement["answer"] {
  if (status === "fail") return "no";
  const isWhole = complete && (asked === undefined || findUnmeasured(asked).lines.length === 0);
  return status === "pass" && isWhole ? "yes" : "unknown";
}

/** The trials of every target at every level that was measured, in the order of the scenario, not in that of the steps. */
function trialsByPlace({ scenario, steps }: Result): readonly (readonly StepResult[])[] {
  const places = groupBy(steps, placeKey);
  const levels = distinctLevels(scenario.levels);
  return scenario.targets.flatMap(({ name: target }) =>
    levels.map((level) => places.get(placeKey({ target, level })) ?? []).filter(({ length }) => length > 0),
  );
}

/** For `yes` all levels. Else the levels that miss the condition or stay open; all again if no level is the reason. */
function tellingLines(levels: readonly JudgedLevel[], answer: Judgement["answer"]): readonly string[] {
  const telling = levels.filter(({ isMissed, isDoubtful }) => isMissed || (answer === "unknown" && isDoubtful));
  const isForAnother = answer === "unknown" && telling.length === 0;
  return (answer === "yes" || isForAnother ? levels : telling).map(({ line }) => line);
}

/** Says how a threshold fares at a level: the worst of its trials, the bound, and in how many trials. */
function judgeLevel(
  threshold: Threshold,
  trials: readonly StepResult[],
  thresholds: readonly Threshold[],
): JudgedLevel {
  const { metric, operator, source } = threshold;
  const findings = trials.flatMap((step) => judgeThresholds([threshold], [step], thresholds));
  const missed = findings.filter(({ code }) => code === "THRESHOLD_FAILED").length;
  const doubtful = findings.length - missed;
  const because = [...new Set(findings.flatMap(({ args }) => args["because"] ?? []))].join(", ");
  const of = countOf(trials.length, "trial");
  const how = [
    ...(missed > 0 ? [`missed in ${missed} of ${of}`] : []),
    ...(doubtful > 0 ? [`cannot be judged in ${doubtful} of ${of} because of ${because}`] : []),
    ...(findings.length === 0 ? [`met in ${of}`] : []),
  ].join(", ");
  const values = trials.flatMap((trial) => metricValue(trial, metric) ?? []);
  const worst = operator.startsWith("<") ? Math.max(...values) : Math.min(...values);
  const actual = values.length === 0 ? `no ${metric}` : `${metric} ${metricText(worst, metric)}`;
  const line = `${nameTrials(trials)}: ${actual}${values.length > 1 ? " at worst" : ""}, ${source} ${how}`;
  return { line, isMissed: missed > 0, isDoubtful: doubtful > 0 };
}

/** `single at 50 connections (3 s)`. */
function nameTrials([first]: readonly StepResult[]): string {
  if (first === undefined) return "";
  const amount = describeAmount(first.level);
  return `${shortTarget(first.target)} at ${describeLoad(first.level)}${amount === "" ? "" : ` (${amount})`}`;
}
