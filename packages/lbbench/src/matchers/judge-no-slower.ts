import { compare } from "../api/compare.js";
import { ConfigError } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import { parseMargin } from "../config/parsers.js";
import type { Difference } from "../judge/differences.js";
import { compareWithReference, type LevelJudgement, type TargetJudgement } from "../judge/compare-targets.js";
import type { TargetPair } from "../judge/compare-results.js";
import { JUDGED_METRICS, speedsOf, type JudgedMetric, type Margins } from "../judge/metrics.js";
import type { Finding } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { Result } from "../model/result.js";
import {
  describeChange,
  describeDifference,
  describeErrorMargin,
  describeMargin,
  METRIC_WORDS,
  type MetricWords,
} from "../report/compare-words.js";
import { describeUnknowns } from "../report/compare-sentences.js";
import { describeLoad } from "../report/describe-level.js";
import { describeFinding } from "../report/finding-text.js";
import { FEWEST_FOR_SPREAD } from "../stats/spread.js";
import { levelKey } from "../stats/identity.js";
import { findBaseline, selectPart, resultOf, type Part } from "./asked.js";
import {
  describeFound,
  describeIncomplete,
  describeUnmeasured,
  remediesOf,
  RESUME_REMEDY,
  shortTarget,
} from "./describe-doubts.js";
import { judgeWith } from "./judge-thresholds.js";
import type { Answer, Judgement } from "./judgement.js";
import { countOf } from "../stats/count-of.js";

/** How a result is compared with a baseline, and which part of it. */
export interface NoSlowerOptions extends Part {
  /** Part by which throughput, p50 and p99 may be worse: `"5%"` or 0.05; 5 % by default. */
  readonly margin?: string | number;
  /** How much the share of failed requests may rise: `"0.1%"` or 0.001, which is the default. */
  readonly errorMargin?: string | number;
  /** Of two results: names of a target of the baseline and of that of the result to compare with it; by default those of the same name. */
  readonly targets?: readonly TargetPair[];
}

/**
 * Judges whether a result is worse than a baseline by no more than a margin, as `compare` does, and with a target of the same run
 * as `--margin` does: `yes` where throughput (but of rates), p50, p99 and failed requests are each shown to be no worse at every
 * level. `no` where one of them was shown to be worse, or where it died; `unknown` where the trials do not tell of all of them, where a
 * side lacks a level, and where an error says that figures are false.
 *
 * Throws a `ConfigError` for what is no result, no baseline, no margin or no part of the result.
 */
export function judgeNoSlower(given: unknown, baseline: unknown, options: NoSlowerOptions = {}): Judgement {
  if (typeof options !== "object" || options === null) {
    throw new ConfigError(`Expected an object such as {margin: "10%"}, got ${JSON.stringify(options)}.`);
  }
  const { margin, errorMargin, targets: pairs, ...part } = options;
  const result = resultOf(given);
  const margins: Margins = {
    margin: toMargin("margin", margin, DEFAULTS.margin),
    errorMargin: toMargin("errorMargin", errorMargin, DEFAULTS.errorMargin),
  };
  const found = findBaseline(baseline, result);
  const compared =
    "target" in found
      ? withTarget(result, found.target, { part, pairs, margins })
      : withResult(result, found.result, { part, pairs, margins });
  const name = "target" in found ? shortTarget(found.target) : "path" in found ? found.path : "the baseline";
  return judgeCompared(compared, `be no slower than ${name} by more than ${describeMargin(margins)}`);
}

interface Asked {
  readonly part: Part;
  readonly pairs: readonly TargetPair[] | undefined;
  readonly margins: Margins;
}

/** Compares targets of one run, which were measured in turn. */
function withTarget(result: Result, reference: string, { part, pairs, margins }: Asked): Compared {
  if (pairs !== undefined) {
    throw new ConfigError("targets: expected none beside a target of the same result; target names those to compare.");
  }
  const names = result.scenario.targets.map(({ name }) => name).filter((name) => name !== reference);
  const others = part.target === undefined ? names : [part.target].flat();
  if (others.length === 0 || others.includes(reference)) {
    throw new ConfigError(
      `Expected another target to compare with "${reference}", ${others.length === 0 ? "and the result has no other" : "got itself"}.`,
    );
  }
  const chosen = selectPart(result, { ...part, target: [reference, ...others] });
  // What the targets of the run are compared with otherwise is not asked here.
  const asked = chosen.scenario.targets.map((target) => ({ ...target, references: [reference] }));
  const scenario = { ...chosen.scenario, reference, targets: asked };
  const { status, targets } = compareWithReference({ ...chosen, scenario }, margins);
  const [sides, runs] = [[chosen, chosen] as const, [result, result] as const];
  return { status, margins, targets, differences: [], errors: errorsOf(chosen), sides, runs };
}

function withResult(result: Result, baseline: Result, { part, pairs, margins }: Asked): Compared {
  const { target, ...levels } = part;
  const names = target === undefined ? undefined : [target].flat();
  if (names !== undefined && pairs !== undefined) {
    throw new ConfigError("Expected target or targets, got both.");
  }
  const sides = [selectPart(baseline, levels), selectPart(result, levels)] as const;
  const asked = pairs ?? names?.map((name) => [name, name] as const) ?? [];
  const { status, targets, differences } = compare(...sides, { ...margins, targets: asked });
  const errors = sides.flatMap((side, at) => {
    const own = targets.map(({ reference, other }) => (at === 0 ? reference : other));
    return errorsOf(own.length === 0 ? side : selectPart(side, { target: own }));
  });
  return { status, margins, targets, differences, errors, sides, runs: [baseline, result] };
}

function errorsOf(result: Result): readonly Finding[] {
  const { findings } = result.search === undefined ? judgeWith(result, []) : result.verdict;
  return findings.filter(({ severity }) => severity === "error");
}

function toMargin(name: string, given: string | number | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  try {
    return parseMargin(String(given));
  } catch (error) {
    throw new ConfigError(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Differences that leave a target or a level without a counterpart. */
const LACKS: ReadonlySet<Difference["code"]> = new Set([
  "TARGET_ONLY_IN_A",
  "TARGET_ONLY_IN_B",
  "LEVELS_ONLY_IN_A",
  "LEVELS_ONLY_IN_B",
]);
const LACKS_REMEDY =
  "Measure both sides at the same levels, or ask about what both have: target or targets, and connections or rate.";
const UNITS: ReadonlyMap<JudgedMetric, string> = new Map([
  ["throughput", "requests/s"],
  ["p50", "ms"],
  ["p99", "ms"],
  ["errors", "%"],
]);

/** Two sides that were compared. */
export interface Compared {
  readonly status: "pass" | "fail" | "inconclusive";
  readonly margins: Margins;
  readonly targets: readonly TargetJudgement[];
  readonly differences: readonly Difference[];
  /** Findings that say that figures of either side are false. */
  readonly errors: readonly Finding[];
  /** The part of the results of the two sides that is asked about; twice the same where they are targets of one run. */
  readonly sides: readonly [baseline: Result, other: Result];
  /** The whole results. */
  readonly runs: readonly [baseline: Result, other: Result];
}

/** Makes a judgement of two sides that were compared; see `judgeNoSlower` for its answer. */
export function judgeCompared(compared: Compared, asked: string): Judgement {
  const { targets, margins, runs } = compared;
  const incomplete = [...new Set(runs.flatMap((run, at) => describeIncomplete(run, nameRun(runs, at))))];
  const answer = answerTo(compared, incomplete.length > 0);
  const evidence = targets.flatMap((target) => describeFigures(target, answer, compared));
  const notes = compared.differences.filter(({ effect }) => effect === "note").map(describeDifference);
  return {
    answer,
    asked,
    evidence: answer === "unknown" ? evidence : [...evidence, ...notes.map((note) => `Note: ${note}`)],
    doubts: answer === "unknown" ? [...describeDoubts(compared), ...incomplete] : [],
    remedies: describeRemedies(compared, answer, incomplete.length > 0),
    expected: `worse by at most ${describeMargin(margins)}`,
    actual: evidence.join("; "),
  };
}

function answerTo(compared: Compared, isIncomplete: boolean): Answer {
  const { status, errors } = compared;
  if (errors.length > 0) return "unknown";
  if (status === "fail") return "no";
  return status === "pass" && lacksOf(compared).length === 0 && !isIncomplete ? "yes" : "unknown";
}

/** Says of which targets and levels that were asked about there is nothing to compare. */
function lacksOf({ differences, sides, targets }: Compared): readonly string[] {
  const lacks = differences.filter(({ code }) => LACKS.has(code)).map(describeDifference);
  const own = new Set(targets.flatMap(({ reference, other }) => [reference, other]));
  const unmeasured = sides.map(({ scenario, steps }) => {
    const asked = scenario.targets.filter(({ name }) => own.has(name));
    return describeUnmeasured({ scenario: { ...scenario, targets: asked }, steps });
  });
  const [before = [], after = []] = unmeasured;
  // Where levels are of one run, both sides say the same.
  return [
    ...lacks,
    ...new Set(sides[0] === sides[1] ? after : [...before.map((line) => `The baseline: ${line}`), ...after]),
  ];
}

function nameRun(runs: Compared["runs"], at: number): string {
  if (runs[0] === runs[1]) return "The run";
  return at === 0 ? "The run of the baseline" : "The run";
}

/** A line for each level and metric that tells: of an answer `no` what is worse, else all speeds, and failures that are more. */
function describeFigures(target: TargetJudgement, answer: Answer, compared: Compared): readonly string[] {
  return target.levels.flatMap((level) => {
    const figures = METRIC_WORDS.filter(({ key }) => {
      if (level[key].worse === "yes") return true;
      return answer !== "no" && key !== "errors" && level[key].other !== null;
    }).map((words) => describeFigure(target, level, { words, compared }));
    const { deaths } = level;
    const died = deaths === undefined ? [] : [`died in ${deaths.died} of ${countOf(deaths.trials, "trial")}`];
    return [...died.map((how) => `${nameLevel(target, level.level)}: ${how}`), ...figures];
  });
}

interface Wording {
  readonly words: MetricWords;
  readonly compared: Compared;
}

function describeFigure(target: TargetJudgement, level: LevelJudgement, { words, compared }: Wording): string {
  const { key, name, figure } = words;
  const { reference, other } = level[key];
  const unit = UNITS.get(key) ?? "";
  const say = (value: number | null): string => (value === null ? "not measured" : `${figure(value)} ${unit}`);
  const change = describeChange(level[key], words);
  const allowed = key === "errors" ? describeErrorMargin(compared.margins) : describeMargin(compared.margins);
  const [before, after] = compared.sides.map((side, at) =>
    countTrials(side, at === 0 ? target.reference : target.other, level.level),
  );
  const baseline = target.reference === target.other ? "baseline" : shortTarget(target.reference);
  return (
    `${nameLevel(target, level.level)}: ${name} ${say(other)}, ${baseline} ${say(reference)}` +
    `${change === "" ? "" : `: ${change}`}, margin ${allowed} (${after} against ${countOf(before ?? 0, "trial")})`
  );
}

function nameLevel({ other }: TargetJudgement, level: Level): string {
  return `${shortTarget(other)} at ${describeLoad(level)}`;
}

function countTrials({ steps }: Result, name: string, level: Level): number {
  return steps.filter((step) => step.target === name && levelKey(step.level) === levelKey(level)).length;
}

function describeDoubts(compared: Compared): readonly string[] {
  const { targets, differences, errors } = compared;
  return [
    ...errors.map(describeFound),
    ...differences
      .filter(({ effect, code }) => (effect === "prevents" && !LACKS.has(code)) || code === "NOT_COMPLETE")
      .map(describeDifference),
    ...lacksOf(compared),
    ...(differences.length === 0 ? [] : ["A is the baseline, B the result."]),
    ...describeUnknowns({ targets: targets.map((target) => askedOf(shortenTarget(target))) }),
    ...(targets.length === 0 ? ["No target of the two could be compared."] : []),
  ];
}

/** Without what is not asked: the throughput of rates. */
function askedOf(target: TargetJudgement): TargetJudgement {
  return {
    ...target,
    levels: target.levels.map((row) =>
      speedsOf(row.level).some((metric) => metric === "throughput")
        ? row
        : { ...row, throughput: { ...row.throughput, worse: "no" } },
    ),
  };
}

function shortenTarget(target: TargetJudgement): TargetJudgement {
  return { ...target, reference: shortTarget(target.reference), other: shortTarget(target.other) };
}

function describeRemedies(compared: Compared, answer: Answer, isIncomplete: boolean): readonly string[] {
  const { targets, differences, errors, sides } = compared;
  if (answer === "yes") return [];
  if (answer === "no") return [remedyOf("WORSE_THAN_REFERENCE")];
  if (errors.length > 0) return remediesOf(errors, sides[1]);
  const figures = targets.flatMap(({ levels }) =>
    levels.flatMap((level) => JUDGED_METRICS.map((metric) => level[metric])),
  );
  const needed = Math.max(0, ...figures.map(({ trialsNeeded }) => trialsNeeded ?? 0));
  const prevents = differences.some(({ effect, code }) => effect === "prevents" && !LACKS.has(code));
  const lacks = lacksOf(compared).length > 0;
  return [
    ...(prevents
      ? ["Measure both sides as two targets of one run, in turn, and name one of them as the baseline."]
      : []),
    ...(needed > 0
      ? [`Measure each side in ${Math.max(needed, FEWEST_FOR_SPREAD)} trials or more (trials, --trials).`]
      : []),
    ...(isIncomplete ? [RESUME_REMEDY] : []),
    ...(lacks && !isIncomplete ? [LACKS_REMEDY] : []),
    ...(prevents || needed > 0 || isIncomplete || lacks ? [] : [remedyOf("COMPARISON_INCONCLUSIVE")]),
  ];
}

function remedyOf(code: "WORSE_THAN_REFERENCE" | "COMPARISON_INCONCLUSIVE"): string {
  return describeFinding({ code, severity: "warning", args: {} }).remedy;
}
