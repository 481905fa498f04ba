import type { Margins } from "../judge/compare-scales.js";
import type { Finding } from "../model/finding.js";
import type { Difference } from "../judge/compare-difference.js";
import { isWorse } from "../judge/compare-levels.js";
import type { LevelJudgement, TargetJudgement } from "../judge/compare-levels.js";
import type { JudgedMetric } from "../judge/compare-scales.js";
import type { Level } from "../model/level.js";
import type { Result } from "../model/result.js";
import { describeDifference } from "../report/compare-difference-text.js";
import { describeUnknowns } from "../report/compare-summary.js";
import { describeChange, describeErrorMargin, describeMargin, METRIC_WORDS } from "../report/compare-words.js";
import type { MetricWords } from "../report/compare-words.js";
import { describeLoad } from "../report/describe-level.js";
import { describeFinding } from "../report/finding-text.js";
import { FEWEST_FOR_SPREAD } from "../stats/bootstrap.js";
import { levelKey } from "../stats/identity.js";
import { loadOf } from "../stats/load.js";
import { describeDoubt, describeIncomplete, remediesOf, RESUME_REMEDY, shortTarget } from "./describe-doubts.js";
import { describeUnmeasured } from "./describe-unmeasured.js";
import type { Answer, Judgement } from "./judgement.js";

const SPEEDS: readonly JudgedMetric[] = ["throughput", "p50", "p99"];
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
export function describeComparison(compared: Compared, asked: string): Judgement {
  const { targets, margins, runs } = compared;
  const incomplete = [...new Set(runs.flatMap((run, at) => describeIncomplete(run, nameRun(runs, at))))];
  const isSlower = targets.some(({ levels }) => levels.some(isSlowerAt));
  const answer = decide(compared, isSlower, incomplete.length > 0);
  const failsMore = answer === "unknown" && targets.some(isWorse) && !isSlower;
  const evidence = targets.flatMap((target) => describeTarget(target, answer, compared));
  const notes = compared.differences.filter(({ effect }) => effect === "note").map(describeDifference);
  return {
    answer,
    asked,
    evidence: answer === "unknown" ? evidence : [...evidence, ...notes.map((note) => `Note: ${note}`)],
    doubts: answer === "unknown" ? [...describeDoubts(compared, failsMore), ...incomplete] : [],
    remedies: describeRemedies(compared, answer, incomplete.length > 0),
    expected: `worse by at most ${describeMargin(margins)}`,
    actual: evidence.join("; "),
  };
}

function decide(compared: Compared, isSlower: boolean, isIncomplete: boolean): Answer {
  const { status, errors, targets } = compared;
  if (errors.length > 0) return "unknown";
  if (status === "fail") return isSlower ? "no" : "unknown";
  const isShown = targets.every(({ levels }) => levels.every(isShownAt)) && lacksOf(compared).length === 0;
  return status === "pass" && isShown && !isIncomplete ? "yes" : "unknown";
}

/** Whether each of the speeds is known to be no worse. */
function isShownAt(level: LevelJudgement): boolean {
  return speedsOf(level.level).every((metric) => level[metric].worse === "no");
}

/** The speeds that tell of a target at such a level: the throughput of an open loop is the rate that was asked for. */
function speedsOf(level: Level): readonly JudgedMetric[] {
  return loadOf(level).kind === "rate" ? SPEEDS.filter((metric) => metric !== "throughput") : SPEEDS;
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

function isSlowerAt(level: LevelJudgement): boolean {
  return SPEEDS.some((metric) => level[metric].worse === "yes");
}

function nameRun(runs: Compared["runs"], at: number): string {
  if (runs[0] === runs[1]) return "The run";
  return at === 0 ? "The run of the baseline" : "The run";
}

/** A line for each level and metric that tells: of an answer `no` what is worse, else all speeds, and failures that are more. */
function describeTarget(target: TargetJudgement, answer: Answer, compared: Compared): readonly string[] {
  return target.levels.flatMap((level) => {
    const figures = METRIC_WORDS.filter(({ key }) => {
      if (level[key].worse === "yes") return true;
      return answer !== "no" && key !== "errors" && level[key].other !== null;
    }).map((words) => describeFigure(target, level, { words, compared }));
    const { deaths } = level;
    const died = deaths === undefined ? [] : [`died in ${deaths.died} of ${deaths.trials} trials`];
    return [...died.map((how) => `${placeOf(target, level.level)}: ${how}`), ...figures];
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
    `${placeOf(target, level.level)}: ${name} ${say(other)}, ${baseline} ${say(reference)}` +
    `${change === "" ? "" : `: ${change}`}, margin ${allowed} (${after} against ${before} trials)`
  );
}

function placeOf({ other }: TargetJudgement, level: Level): string {
  return `${shortTarget(other)} at ${describeLoad(level)}`;
}

function countTrials({ steps }: Result, name: string, level: Level): number {
  return steps.filter((step) => step.target === name && levelKey(step.level) === levelKey(level)).length;
}

function describeDoubts(compared: Compared, failsMore: boolean): readonly string[] {
  const { targets, differences, errors } = compared;
  return [
    ...errors.map(describeDoubt),
    ...(failsMore ? ["It fails requests more often, or died, which is worse; that it is slower was not shown."] : []),
    ...differences
      .filter(({ effect, code }) => (effect === "prevents" && !LACKS.has(code)) || code === "NOT_COMPLETE")
      .map(describeDifference),
    ...lacksOf(compared),
    ...(differences.length === 0 ? [] : ["A is the baseline, B the result."]),
    ...describeUnknowns({ targets: targets.map((target) => askedOf(withShortNames(target))) }),
    ...(targets.length === 0 ? ["No target of the two could be compared."] : []),
  ];
}

/** Without what is not asked: the throughput of rates. */
function askedOf(target: TargetJudgement): TargetJudgement {
  return {
    ...target,
    levels: target.levels.map((row) =>
      speedsOf(row.level).includes("throughput") ? row : { ...row, throughput: { ...row.throughput, worse: "no" } },
    ),
  };
}

function withShortNames(target: TargetJudgement): TargetJudgement {
  return { ...target, reference: shortTarget(target.reference), other: shortTarget(target.other) };
}

function describeRemedies(compared: Compared, answer: Answer, isIncomplete: boolean): readonly string[] {
  const { targets, differences, errors, sides } = compared;
  if (answer === "yes") return [];
  if (answer === "no") return [remedyOf("WORSE_THAN_REFERENCE")];
  if (errors.length > 0) return remediesOf(errors, sides[1]);
  const figures = targets.flatMap(({ levels }) => levels.flatMap((level) => SPEEDS.map((metric) => level[metric])));
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
