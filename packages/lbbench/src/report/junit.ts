/** Thresholds, margins, searches and the verdict as the test cases of JUnit. */
import Builder from "fast-xml-builder";
import { judgeTarget } from "../judge/judge-margin.js";
import { decideSearch, findLimits } from "../judge/judge-search.js";
import { findStops, isStopped } from "../judge/stop-rules.js";
import { judgeThresholds } from "../judge/thresholds.js";
import type { Finding, Verdict } from "../model/finding.js";
import type { Result, StepKey } from "../model/result.js";
import type { ReportFile } from "../plugin.js";
import { countOf } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey, plannedTrials, stepKey } from "../stats/identity.js";
import { describeMargin } from "./compare-words.js";
import { describeAmount, describeLoad } from "./describe-level.js";
import { describeFinding } from "./finding-text.js";
import { plainLine } from "./plain-line.js";
import { modelOf, type ReportModel } from "./report-model.js";

/** Returns `junit.xml`; docs/formats.md says when a case fails. */
export function renderJunit(source: Result | ReportModel): readonly ReportFile[] {
  const model = modelOf(source);
  return [{ name: "junit.xml", content: writeJunit(model.hidden, collectSuites(model)) }];
}

/** Why a test case did not pass: `failure` is a no, `error` no answer. */
interface Miss {
  readonly kind: "failure" | "error";
  readonly type: string;
  readonly message: string;
  readonly details: readonly string[];
}

interface TestCase {
  readonly name: string;
  readonly miss: Miss | undefined;
}

/** A suite for each target, and one for the run with the verdict, so that the file says no less than the exit code. */
function collectSuites(model: ReportModel) {
  const { hidden: result } = model;
  const planned = result.scenario.targets.map(({ name }) => name);
  const suites = [...new Set([...planned, ...result.steps.map(({ target }) => target)])].map((name) => {
    const own = result.scenario.search === null ? thresholdCases(result, name) : searchCases(result, name);
    return { name, cases: [...own, ...marginCases(model, name)] };
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

/** A case for each threshold. `failure`: it does not hold at some level, in one of the trials; `error`: that cannot be said. */
function thresholdCases(result: Result, target: string): readonly TestCase[] {
  const steps = result.steps.filter((step) => step.target === target);
  const levels = [...groupBy(steps, ({ level }) => levelKey(level)).values()];
  return result.scenario.thresholds.map((threshold) => {
    const findings = levels.flatMap((trials) => judgeThresholds([threshold], trials, result.scenario.thresholds));
    const failed = findings.filter(({ code }) => code === "THRESHOLD_FAILED");
    const miss =
      missOf("failure", failed, result) ?? missOf("error", findings, result) ?? missOfUnmeasured(result, target);
    return { name: threshold.source, miss };
  });
}

/** `error` where steps of a target were never measured, because the run was interrupted. */
function missOfUnmeasured(result: Result, target: string): Miss | undefined {
  const missing = result.complete ? [] : missingSteps(result).filter((step) => step.target === target);
  if (missing.length === 0) return undefined;
  const message = `${countOf(missing.length, "step")} of ${target} ${missing.length === 1 ? "was" : "were"} not measured. The run did not come to its end.`;
  return { kind: "error", type: "INTERRUPTED", message, details: missing.map(nameMissing) };
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

/** `failure`: the target is worse than the reference by the margin at some level, or died; `error`: no answer. */
function marginCases({ hidden: result, comparison }: ReportModel, target: string): readonly TestCase[] {
  const { margin, errorMargin } = result.scenario;
  if (margin === null) return [];
  const trials = plannedTrials(result.scenario, result.steps);
  return comparison.targets
    .filter(({ other }) => other === target)
    .map((judgement) => {
      const findings = judgeTarget(judgement, { margin, errorMargin }, trials);
      const worse = findings.filter(({ code }) => code === "WORSE_THAN_REFERENCE");
      const name = `not worse than ${judgement.reference} by more than ${describeMargin({ margin })}`;
      return { name, miss: missOf("failure", worse, result) ?? missOf("error", findings, result) };
    });
}

function missOfVerdict(result: Result): Miss | undefined {
  const { status, findings } = result.verdict;
  const kind = MISSES[status];
  if (kind === undefined) return undefined;
  const [grave = []] = (["error", "warning"] as const)
    .map((wanted) => findings.filter(({ severity }) => severity === wanted))
    .filter((found) => found.length > 0);
  const message = `The verdict is ${status}.`;
  return missOf(kind, grave, result) ?? { kind, type: "VERDICT", message, details: [message] };
}

/** Of a run that did not come to its end, with any verdict. */
function missOfEnd(result: Result): Miss {
  const missing = missingSteps(result);
  const count = missing.length === 0 ? "" : `: ${countOf(missing.length, "step is", "steps are")} missing`;
  const { type, message, details = [] } = missOfVerdict(result) ?? {};
  return {
    kind: "error",
    type: "INTERRUPTED",
    message: `The run ${result.finishedAt === null ? "has not come to its end" : "was interrupted"}${count}.`,
    details: [
      ...missing.map(nameMissing),
      `The verdict on what was measured is ${result.verdict.status}.`,
      ...(type === undefined ? [] : [`${type}: ${message}`, ...details.slice(1)]),
    ],
  };
}

function nameMissing({ target, level, trial }: StepKey): string {
  const load = [describeLoad(level), describeAmount(level)].filter((part) => part !== "").join(", ");
  return `missing: ${target} at ${load}, trial ${trial}`;
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

const builder = new Builder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  format: true,
  suppressEmptyNode: true,
  // A name may be "true".
  suppressBooleanAttributes: false,
});

function writeJunit({ scenario, startedAt, tool }: Result, suites: ReturnType<typeof collectSuites>): string {
  // The schema counts what was skipped in suites alone, and nothing is.
  const all = countMisses(suites.flatMap(({ cases }) => cases));
  // To the second and without a zone, as the schema has it.
  const [timestamp = ""] = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.exec(startedAt) ?? [];
  const document = {
    "?xml": { "@version": "1.0", "@encoding": "UTF-8" },
    testsuites: {
      "@name": line(scenario.name),
      ...all,
      testsuite: suites.map(({ name, cases }, id) => ({
        "@name": line(name),
        "@package": line(scenario.name),
        "@id": id,
        "@timestamp": timestamp,
        "@hostname": "localhost",
        ...countMisses(cases),
        "@skipped": 0,
        properties: { property: { "@name": "tool", "@value": line(`${tool.name} ${tool.version}`) } },
        testcase: cases.map(({ name: own, miss }) => ({
          "@name": line(own),
          // Readers split a class at its dots into packages, so that `127.0.0.1` would be four.
          "@classname": [scenario.name, name].map((part) => line(part).replaceAll(".", "_")).join("."),
          "@time": NO_TIME,
          ...(miss === undefined ? {} : elementOf(miss)),
        })),
        "system-out": "",
        "system-err": "",
      })),
    },
  };
  return String(builder.build(document));
}

/** What stands in a test case that is missed: an element of its kind. */
function elementOf({ kind, type, message, details }: Miss): object {
  return { [kind]: { "@type": type, "@message": line(message), "#text": details.map(line).join("\n").trim() } };
}

/** A case judges what was measured before. */
const NO_TIME = "0.000";

function countMisses(cases: readonly TestCase[]) {
  const count = (kind: Miss["kind"]): number => cases.filter(({ miss }) => miss?.kind === kind).length;
  return { "@tests": cases.length, "@failures": count("failure"), "@errors": count("error"), "@time": NO_TIME };
}

/** In one line: parsers make spaces of line breaks in attributes. Without what XML cannot hold and is no control character. */
function line(text: string): string {
  return plainLine(text.replaceAll(/[\p{Cs}\uFFFE\uFFFF]/gu, "\uFFFD"));
}
