/** Thresholds, margins, searches and steps as the test cases of JUnit. */
import type { LevelJudgement } from "../judge/compare-targets.js";
import { judgeTarget } from "../judge/judge-margin.js";
import { decideSearch, findLimits } from "../judge/judge-search.js";
import { findStops, isStopped } from "../judge/stop-rules.js";
import { metricText } from "../judge/finding-figures.js";
import { holds } from "../judge/metrics.js";
import { judgeThresholds } from "../judge/thresholds.js";
import type { Finding, Verdict } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { Result, StepKey, StepResult } from "../model/result.js";
import { formatLookedFor, isOfFaults } from "../stats/faults.js";
import { countOf } from "../stats/count-of.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey, plannedTrials, stepKey } from "../stats/identity.js";
import { describeMargin } from "./compare-words.js";
import { describeAmount, describeLoad } from "./describe-level.js";
import { describeStepError } from "./describe-run.js";
import { describeFinding } from "./finding-text.js";
import { markup, type Markup, preformatted, renderContent, trusted } from "./html/markup.js";
import { plainLine } from "./plain-line.js";
import { type ModelReporter, modelOf, type ReportModel } from "./report-model.js";

/** Writes `junit.xml`; docs/formats.md says when a case fails. */
export const junitReporter: ModelReporter = {
  format: "junit",
  render: (source) => {
    const model = modelOf(source);
    return [{ name: "junit.xml", content: writeJunit(model.stored, collectSuites(model)) }];
  },
};

/** Why a test case did not pass: `failure` is a no, `error` no answer, `skipped` a question that was not asked. */
interface Miss {
  readonly kind: "failure" | "error" | "skipped";
  readonly type: string;
  readonly message: string;
  readonly details?: readonly string[];
}

interface TestCase {
  readonly name: string;
  readonly miss: Miss | undefined;
  /** Time that was spent on it; absent for what is judged by figures that are there. */
  readonly timeMs?: number;
}

interface TestSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
}

/** A suite for each target, and one for the run with the verdict, so that the file says no less than the exit code. */
function collectSuites(model: ReportModel): readonly TestSuite[] {
  const { stored: result } = model;
  const steps = groupBy(result.steps, ({ target }) => target);
  const planned = result.scenario.targets.map(({ name }) => name);
  const suites = [...new Set([...planned, ...steps.keys()])].map((name): TestSuite => {
    const own = steps.get(name) ?? [];
    const rest = result.scenario.search === null ? thresholdCases(result, own) : searchCases(result, name);
    return {
      name,
      cases: [
        ...own.map((step) => stepCase(result, step)),
        ...rest,
        ...faultCases(model, name),
        ...marginCases(model, name),
      ],
    };
  });
  const verdict = { name: "verdict of the run", miss: result.complete ? missOfVerdict(result) : missOfEnd(result) };
  return [...suites.filter(({ cases }) => cases.length > 0), { name: "verdict", cases: [verdict] }];
}

/** Makes a miss of findings: the first is its type and message, all are described beneath; `undefined` without any. */
function missOf(kind: Miss["kind"], findings: readonly Finding[], { imported }: Result): Miss | undefined {
  const [first] = findings;
  if (first === undefined) return undefined;
  const origin = imported === undefined ? "measured" : "imported";
  const details = findings.flatMap((finding) => {
    const { title, text, cause, remedy } = describeFinding(finding, origin);
    return [`${finding.code}: ${title}`, text, cause, remedy, ""];
  });
  return { kind, type: first.code, message: describeFinding(first, origin).text, details };
}

/** Names a level so that it differs from every other of a scenario: `50 connections, 1,000 requests`. */
function nameLevel(level: Level): string {
  return [describeLoad(level), describeAmount(level)].filter((part) => part !== "").join(", ");
}

/** `error`: the step failed, or its figures are false; `skipped`: it was interrupted. In a search nothing is wrong with a target that breaks. */
function stepCase(result: Result, step: StepResult): TestCase {
  const name = `measured at ${nameLevel(step.level)}, trial ${step.trial}`;
  return { name, miss: missOfStep(result, step), timeMs: step.measurement?.elapsedMs ?? 0 };
}

function missOfStep(result: Result, step: StepResult): Miss | undefined {
  const { state, error, findings } = step;
  if (state === "aborted") return { kind: "skipped", type: "INTERRUPTED", message: "It was interrupted." };
  if (result.scenario.search !== null) return undefined;
  const errors = findings.filter(({ severity }) => severity === "error");
  const grave = missOf("error", errors, result);
  if (state === "completed") return grave;
  const message = describeStepError(step);
  return { kind: "error", type: error?.code ?? "STEP_FAILED", message, details: [message, ...(grave?.details ?? [])] };
}

/** A case for each threshold at each level. `failure`: it does not hold in one of the trials; `error`: that cannot be said. */
function thresholdCases(result: Result, steps: readonly StepResult[]): readonly TestCase[] {
  const levels = [...groupBy(steps, ({ level }) => levelKey(level)).values()];
  return levels.flatMap((trials) =>
    result.scenario.thresholds.map((threshold) => {
      const findings = judgeThresholds([threshold], trials);
      const failed = findings.filter(({ code }) => code === "THRESHOLD_FAILED");
      const place = trials.slice(0, 1).map(({ level }) => ` at ${nameLevel(level)}`);
      const miss = missOf("failure", failed, result) ?? missOf("error", findings, result);
      return { name: [threshold.source, ...place].join(""), miss };
    }),
  );
}

/** `failure`: in some trial the fault alone misses a threshold about `lost` or `recovery`; `error`: it could not be done. */
function faultCases({ stored: { scenario }, faults }: ReportModel, target: string): readonly TestCase[] {
  const thresholds = scenario.thresholds.filter(({ metric }) => isOfFaults(metric));
  return faults
    .filter((row) => row.target === target)
    .map(({ fault, level, responses, undone }) => {
      const missed = responses.flatMap(({ lost, recoveryMs, lookedMs }) =>
        thresholds.flatMap((threshold): readonly Miss[] => {
          const { source, metric } = threshold;
          const value = metric === "lost" ? lost : recoveryMs;
          if (value === undefined || holds(threshold, value ?? Infinity)) return [];
          const never = `there was no recovery ${formatLookedFor(lookedMs)}`;
          const actual = value === null ? never : metricText(value, metric);
          return [{ kind: "failure", type: "THRESHOLD_FAILED", message: `${source} does not hold: ${actual}.` }];
        }),
      );
      const error: Miss = { kind: "error", type: "FAULT_NOT_APPLIED", message: `"${fault}" could not be done.` };
      return { name: `${fault} at ${nameLevel(level)}`, miss: missed[0] ?? (undone > 0 ? error : undefined) };
    });
}

const MISSES: Readonly<Record<Verdict["status"], Miss["kind"] | undefined>> = {
  pass: undefined,
  fail: "failure",
  inconclusive: "error",
};

/** What a search found. `failure`: nothing held; `error`: it cannot be said. It goes by its thresholds, which are no cases then. */
function searchCases(result: Result, target: string): readonly TestCase[] {
  const outcomes = (result.search ?? []).filter((outcome) => outcome.target === target);
  return outcomes.map((outcome) => {
    const kind = MISSES[decideSearch([], [outcome])];
    const miss = kind && missOf(kind, findLimits(outcome).toReversed(), result);
    return { name: `largest load by ${outcome.by}`, miss };
  });
}

/** `failure`: the target is worse than the reference by the margin, or died; `error`: no answer; `skipped`: the reference has no figure. */
function marginCases({ stored: result, comparison }: ReportModel, target: string): readonly TestCase[] {
  const { margin, errorMargin } = result.scenario;
  const trials = plannedTrials(result.scenario, result.steps);
  if (margin === null) return [];
  const judgements = comparison.targets.filter(({ other }) => other === target);
  return judgements.flatMap((judgement) => {
    const { reference, levels } = judgement;
    const isMeasured = ({ throughput }: LevelJudgement): boolean => throughput.reference !== null;
    return levels.map((level) => {
      const findings = judgeTarget({ ...judgement, levels: [level] }, { margin, errorMargin }, trials);
      const kind = findings.some(({ code }) => code === "WORSE_THAN_REFERENCE") ? "failure" : "error";
      const message = `${reference} was not measured at this level.`;
      const isSkipped = !isMeasured(level) && levels.some(isMeasured);
      return {
        name: `not worse than ${reference} by more than ${describeMargin({ margin })} at ${nameLevel(level.level)}`,
        miss: isSkipped ? { kind: "skipped", type: "NOT_MEASURED", message } : missOf(kind, findings, result),
      };
    });
  });
}

function missOfVerdict(result: Result): Miss | undefined {
  const { status, findings } = result.verdict;
  const kind = MISSES[status];
  if (kind === undefined) return undefined;
  const [grave = []] = (["error", "warning"] as const)
    .map((wanted) => findings.filter(({ severity }) => severity === wanted))
    .filter((found) => found.length > 0);
  return missOf(kind, grave, result) ?? { kind, type: "VERDICT", message: `The verdict is ${status}.` };
}

/** Of a run that did not come to its end, whatever the verdict on what there is. */
function missOfEnd(result: Result): Miss {
  const missing = missingSteps(result);
  const count = missing.length === 0 ? "" : `: ${countOf(missing.length, "step is", "steps are")} missing`;
  const { type, message, details = [] } = missOfVerdict(result) ?? {};
  return {
    kind: "error",
    type: "INTERRUPTED",
    message: `The run ${result.finishedAt === null ? "has not come to its end" : "was interrupted"}${count}.`,
    details: [
      ...missing.map(({ target, level, trial }) => `missing: ${target} at ${nameLevel(level)}, trial ${trial}`),
      `The verdict on what was measured is ${result.verdict.status}.`,
      ...(type === undefined ? [] : [`${type}: ${message}`, ...details.slice(1)]),
    ],
  };
}

/** Steps that were planned and have not come to an end. A search plans no further than its next step. */
function missingSteps({ scenario, steps }: Result): readonly StepKey[] {
  const { targets, levels } = scenario;
  const trials = plannedTrials(scenario, steps);
  const ended = new Set(steps.filter(({ state }) => state !== "aborted").map(stepKey));
  const stops = findStops(scenario.stopOn, steps);
  const planned: readonly StepKey[] =
    scenario.search === null
      ? targets.flatMap(({ name: target }) =>
          levels.flatMap((level) =>
            Array.from({ length: trials }, (_, trial) => ({ target, level, trial: trial + 1 })),
          ),
        )
      : steps;
  return [...new Map(planned.map((step) => [stepKey(step), step])).values()].filter(
    (step) => !ended.has(stepKey(step)) && !isStopped(stops, step),
  );
}

function writeJunit({ scenario, startedAt, tool }: Result, suites: readonly TestSuite[]): string {
  // The schema counts what was skipped in suites alone.
  const { skipped: _, ...ofAll } = totals(suites.flatMap(({ cases }) => cases));
  // To the second and without a zone, as the schema has it.
  const [timestamp] = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.exec(startedAt) ?? [];
  const written = suites.map(({ name, cases }, id) => {
    // Readers split a class at its dots into packages, so that `127.0.0.1` would be four.
    const classname = [scenario.name, name].map((part) => part.replaceAll(".", "_")).join(".");
    const about = { name, package: scenario.name, id: String(id), timestamp, hostname: "localhost", ...totals(cases) };
    return markup`  <testsuite${attributes(about)}>
    <properties>
      <property${attributes({ name: "tool", value: `${tool.name} ${tool.version}` })}/>
    </properties>
${cases.map((one) => writeCase(one, classname))}    <system-out/>
    <system-err/>
  </testsuite>
`;
  });
  return renderContent(markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites${attributes({ name: scenario.name, ...ofAll })}>
${written}</testsuites>
`);
}

function writeCase({ name, timeMs = 0, miss }: TestCase, classname: string): Markup {
  const head = attributes({ name, classname, time: seconds(timeMs) });
  if (miss === undefined) return markup`    <testcase${head}/>\n`;
  const { kind, type, message, details = [] } = miss;
  const about = attributes(kind === "skipped" ? { message } : { type, message });
  const text = preformatted(replaceInvalid(details.join("\n").trim()));
  return markup`    <testcase${head}>
      <${trusted(kind)}${about}>${text}</${trusted(kind)}>
    </testcase>\n`;
}

function totals(cases: readonly TestCase[]) {
  const count = (kind: Miss["kind"]): string => String(cases.filter(({ miss }) => miss?.kind === kind).length);
  return {
    tests: String(cases.length),
    failures: count("failure"),
    errors: count("error"),
    skipped: count("skipped"),
    time: seconds(cases.reduce((sum, { timeMs = 0 }) => sum + timeMs, 0)),
  };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** In one line each: parsers make spaces of line breaks in attributes. What is `undefined` is left out. */
function attributes(values: Readonly<Record<string, string | undefined>>): readonly Markup[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [markup` ${trusted(name)}="${plainLine(replaceInvalid(value))}"`],
  );
}

/** What XML cannot hold, and is no control character. */
function replaceInvalid(text: string): string {
  return text.replaceAll(/[\p{Cs}\uFFFE\uFFFF]/gu, "\uFFFD");
}
