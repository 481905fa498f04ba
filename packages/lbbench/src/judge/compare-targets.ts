import type { Level } from "../model/level.js";
import type { StepResult } from "../model/result.js";
import { medianIfAny, type Range } from "../stats/descriptive.js";
import { isOfFaults } from "../stats/faults.js";
import { groupBy } from "../stats/group-by.js";
import { distinctLevels, placeKey, plannedTrials } from "../stats/identity.js";
import { judgeDifference, SIGNIFICANCE, significanceAt, trialsNeeded } from "../stats/trials.js";
import { compareOverall, testOverall, type OverallComparison } from "./compare-overall.js";
import {
  answerMargin,
  asArrays,
  changeInterval,
  correctTogether,
  sameWay,
  testMetric,
  type Answer,
  type CorrectedTests,
  type KeptTrials,
  type LevelSides,
  type MetricTest,
  type NoTest,
  type Pair,
  type Tested,
  type TrialCount,
} from "./compare-trials.js";
import type { PreventingCode } from "./differences.js";
import type { Run } from "./found.js";
import {
  JUDGED_METRICS,
  metricValue,
  SCALES,
  speedMetric,
  speedsOf,
  type FaultMetric,
  type JudgedMetric,
  type Margins,
} from "./metrics.js";
import { findStops, isStopped } from "./stop-rules.js";
import { defined } from "../stats/defined.js";

/**
 * Why nothing is claimed: there was no test; a difference between two results leaves nothing to compare; or the trials vary too much to
 * tell: `WITHIN_NOISE` of one run, and of two runs `OTHER_SESSION`. `ASKED_FOR`: the throughput of an open loop is no result.
 */
export type UnknownReason = NoTest | PreventingCode | "WITHIN_NOISE" | "OTHER_SESSION" | "ASKED_FOR";

/** A figure that is not known, and why. */
export interface Open {
  readonly why: UnknownReason;
  /** Beside a reason that is a finding: in how many of all trials it is. */
  readonly doubtful?: TrialCount;
  /** Where the trials are too few: the fewest on each side that could tell; absent where a stop rule keeps as many from being made. */
  readonly trialsNeeded?: number;
  /** With `trialsNeeded`, if that many were planned: the run was cut short and can be resumed. */
  readonly canResume?: true;
}

/** What was measured of one metric on both sides. */
interface Medians {
  /**
   * Median over the trials: ok responses per second, ms, a share from 0 to 1, or requests lost; `null` where there is none, and `Infinity`
   * (`null` in JSON) of a recovery that did not come.
   */
  readonly reference: number | null;
  readonly other: number | null;
  /** Ratio of the medians less one; of `errors`, `lost` and `recovery` their difference. `null` where there is none. */
  readonly change: number | null;
  /** That have a figure, of the side with the fewest. */
  readonly trials: number;
  /** Present where doubtful trials were left out: of the side with the most of them. */
  readonly kept?: KeptTrials;
}

/** A metric of two sides that a test compares. */
export interface TestedComparison extends Medians {
  readonly kind: "tested";
  /** Of the change, 95 % confidence; `null` where the change is a bound, and of `recovery`, which is compared by order alone. */
  readonly interval: Range | null;
  /** Of a difference at all: two-sided, corrected for all that is said of the two, and for the number of targets. */
  readonly pValue: number | null;
  /** Whether there is a difference at all; `fewer` and `more` of `errors` and `lost` alone, `~` when it may be noise. */
  readonly verdict: "faster" | "slower" | "fewer" | "more" | "~";
  /** The change that remains after its doubts are allowed for; only with a difference. */
  readonly atLeast?: number;
  /** Whether the other side is worse by more than the margin; `unknown` without one. */
  readonly worse: Answer;
  /** Of a change just as large as the margin: two-sided, corrected alike. */
  readonly worsePValue: number | null;
  /** Why the verdict is `~`, or `worse` is `unknown` though there is a margin; absent where both are told. */
  readonly open?: Open;
}

/** A metric of two sides of which nothing is claimed. */
export interface UntestedComparison extends Medians {
  readonly kind: "untested";
  readonly open: Open;
}

/** How one metric of one side compares with that of the reference, and with what a margin allows. */
export type MarginComparison = TestedComparison | UntestedComparison;

/** What is claimed of a metric; `~` where nothing is. */
export function verdictOf(comparison: MarginComparison | undefined): TestedComparison["verdict"] {
  return comparison?.kind === "tested" ? comparison.verdict : "~";
}

/** Whether a metric is worse by more than the margin: not where it is not compared, as the throughput that was asked for in an open loop. */
export function worseOf(comparison: MarginComparison | undefined): Answer {
  if (comparison?.kind === "untested") return comparison.open.why === "ASKED_FOR" ? "no" : "unknown";
  return comparison?.worse ?? "no";
}

/** The interval of a change; `null` where there is none. */
export function intervalOf(comparison: MarginComparison | undefined): Range | null {
  return comparison?.kind === "tested" ? comparison.interval : null;
}

/** In how many trials of a level a target died. */
export interface Deaths {
  readonly died: number;
  readonly trials: number;
}

/**
 * One level of two targets, compared with a margin; the mean latency in an open loop alone, whose throughput is what was asked for and is
 * told without being compared; what faults cost where there were any.
 */
export interface LevelJudgement
  extends
    Readonly<Record<Exclude<JudgedMetric, FaultMetric | "mean">, MarginComparison>>,
    Readonly<Partial<Record<FaultMetric | "mean", MarginComparison>>> {
  readonly level: Level;
  /** Present where the other target died and the reference did not, which is worse whatever the figures are. */
  readonly deaths?: Deaths;
}

/** Two targets, compared with a margin at every level that both were measured at. */
export interface TargetJudgement {
  /** The name that the target has on the side of the reference. */
  readonly reference: string;
  readonly other: string;
  readonly levels: readonly LevelJudgement[];
  /** Over all levels together; absent where fewer than two tell anything. */
  readonly overall?: OverallComparison;
}

/** What a comparison depends on beside figures. */
interface Circumstances {
  /** `null`: differences are told, and nothing is judged. */
  readonly margins: Margins | null;
  /** Trials planned for each side. */
  readonly planned: number;
  /** Whether the two were measured in turn, in one run. */
  readonly inTurn: boolean;
  /** Whether other programs measured them, of which no more trials can be had by a flag; `false` by default. */
  readonly isImported?: boolean;
  /** The probability of a false claim about any of the pairs; 0.05 by default. */
  readonly significance?: number;
}

/**
 * Compares pairs of targets, level by level and over all levels, over their starts (trials), which are the independent observations (never
 * the requests).
 *
 * All that is said of a pair is tested together, over the same starts, and corrected for the number of pairs with the same reference.
 * `worse` is decided as in trials of non-inferiority (Piaggio et al., "Reporting of noninferiority and equivalence randomized trials", JAMA
 * 308, 2012): `yes` when the whole interval of the change lies beyond the margin, `no` when it lies short of it. `yes` has to be
 * significant as well when it is corrected for all that can fail the run. `no` needs no correction, because it is asked of all of them
 * (Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24, 1982).
 */
export function comparePairs(
  pairs: readonly Pair[],
  { margins, planned, inTurn, isImported = false, significance = SIGNIFICANCE }: Circumstances,
): readonly TargetJudgement[] {
  const rivals = groupBy(pairs, ({ reference }) => reference);
  return pairs.map((pair) => {
    const { reference, other, sides, prevented } = pair;
    const families = rivals.get(reference)?.length ?? 1;
    const overall = prevented === undefined ? testOverall(pair, inTurn) : undefined;
    const tests = sides.map((side) => metricsOf(side.level, sides).map((metric) => testMetric(metric, side, inTurn)));
    const asked = [overall, ...tests.flat()].flatMap((test) => test?.tested ?? []);
    const family = { inTurn, families, significance };
    const differences = correctTogether(asked, ({ see, compared }) => see(compared), family);
    const all = { ...family, families: pairs.length };
    const losses = margins && correctTogether(asked, ({ allow, compared }) => allow(compared, margins), all);
    const correctedOf = ({ tested }: { readonly tested?: Tested }): CorrectedTests => ({
      difference: tested && differences.get(tested),
      loss: tested && losses?.get(tested),
    });
    const needed = trialsNeeded(margins === null ? families : pairs.length, significance);
    const circumstances = { margins, planned, inTurn, isImported, significance, needed };
    const judge = (test: MetricTest, { isEnded = false }: LevelSides): MarginComparison =>
      prevented === undefined
        ? compareTest(test, correctedOf(test), { ...circumstances, isEnded })
        : unjudged(test, { why: prevented });
    const levels = sides.map((side, at): LevelJudgement => {
      const { level } = side;
      const judged = (tests[at] ?? []).map((test) => [test.metric, judge(test, side)] as const);
      // The throughput of an open loop is the rate that was asked for: told, and not compared.
      const ofRate =
        speedMetric(level) === "throughput"
          ? []
          : [["throughput", unjudged(testMetric("throughput", side, inTurn), { why: "ASKED_FOR" })] as const];
      const metrics = Object.fromEntries([...ofRate, ...judged]) as Omit<LevelJudgement, "level" | "deaths">;
      return { level, ...metrics, ...defined({ deaths: prevented === undefined ? findDeaths(side) : undefined }) };
    });
    const together = overall && compareOverall(overall, correctedOf(overall), margins, significance);
    return { reference, other, levels, ...defined({ overall: together }) };
  });
}

/** The metrics that two targets are compared in at a level; those of faults only if a side has one. */
function metricsOf(level: Level, sides: readonly LevelSides[]): readonly JudgedMetric[] {
  const steps = sides.flatMap(({ reference, other }) => [...reference, ...other]);
  const speeds: ReadonlySet<JudgedMetric> = new Set(speedsOf(level));
  return JUDGED_METRICS.filter((metric) => {
    if (isOfFaults(metric)) return steps.some((step) => metricValue(step, metric) !== null);
    return metric === "errors" || speeds.has(metric);
  });
}

function compareTest(
  test: MetricTest,
  { difference, loss }: CorrectedTests,
  circumstances: Required<Circumstances> & { readonly needed: number; readonly isEnded: boolean },
): MarginComparison {
  const { margins, planned, inTurn, isImported, significance, needed, isEnded } = circumstances;
  const { metric, tested, reason, kept, doubtful } = test;
  const canResume = planned >= needed ? (true as const) : undefined;
  const lack = isImported || (isEnded && canResume) ? {} : { trialsNeeded: needed, ...defined({ canResume }) };
  const corrected = margins === null ? difference : loss;
  // Whether it is trials that are missing for a test.
  const lacks =
    reason === undefined ? corrected?.lacksTrials === true : reason === "SINGLE_TRIAL" || reason === "TOO_FEW_TRIALS";
  // With the trials left out there would be enough, so the doubt is the reason.
  if (kept !== undefined && lacks && needed <= kept.of) return unjudged(test, { why: kept.because });
  if (tested === undefined) return unjudged(test, { ...doubtOf(test), ...(lacks ? lack : {}) });
  const sides = asArrays(tested.see(tested.compared));
  const compare = sameWay(tested.compare, difference);
  // Where trials were left out, the tests together may find what the test of this level alone, and so its interval, does not.
  const { pValue: alone } = compare(...sides, significance);
  const pValue = difference === undefined ? null : Math.max(difference.pValue, alone ?? 0);
  const verdict = wordFor(metric, judgeDifference(...sides, alone === null ? null : pValue, significance));
  if (reason !== undefined && verdict === "~") return unjudged(test, doubtOf(test));
  const interval =
    metric === "recovery"
      ? undefined
      : changeInterval(SCALES[metric], tested.starts, tested.change, compare, significance);
  const hasChange = interval !== undefined || isOfFaults(metric);
  const answer = margins && hasChange ? answerMargin(tested, margins, loss, significance) : "unknown";
  // A difference that remains proves "no worse" if the side is faster, not if it is slower by less than the margin.
  const isKnown = reason === undefined || (answer === "no") === (verdict === "faster");
  const worse = isKnown ? answer : "unknown";
  const isOpen = margins !== null && worse === "unknown";
  const isLacking = isOpen ? lacks : difference?.lacksTrials === true;
  const noise = isLacking ? "TOO_FEW_TRIALS" : inTurn ? "WITHIN_NOISE" : "OTHER_SESSION";
  const open: Open = { why: reason ?? noise, ...defined({ doubtful }), ...(isLacking ? lack : {}) };
  return {
    kind: "tested",
    ...mediansOf(test),
    interval: reason === undefined ? (interval ?? null) : null,
    pValue,
    verdict,
    worse,
    worsePValue: loss?.pValue ?? null,
    ...defined({
      open: isOpen || verdict === "~" ? open : undefined,
      atLeast: reason !== undefined && tested.change !== null ? tested.change : undefined,
    }),
  };
}

function doubtOf({ reason = "NOT_MEASURED", doubtful }: MetricTest): Open {
  return { why: reason, ...defined({ doubtful }) };
}

function unjudged(test: MetricTest, open: Open): UntestedComparison {
  return { kind: "untested", ...mediansOf(test), open };
}

function mediansOf({ measured, change, kept }: MetricTest): Medians {
  const middle = (values: readonly number[]): number | null => medianIfAny(values) ?? null;
  const [reference, other] = asArrays(measured);
  const trials = Math.min(reference.length, other.length);
  return { reference: middle(reference), other: middle(other), change, trials, ...defined({ kept }) };
}

function wordFor(metric: JudgedMetric, difference: "higher" | "lower" | "~"): TestedComparison["verdict"] {
  if (difference === "~") return "~";
  const isWorse = difference === SCALES[metric].worse;
  if (metric === "errors" || metric === "lost") return isWorse ? "more" : "fewer";
  return isWorse ? "slower" : "faster";
}

/**
 * Returns how often the other target died at a level, where that was in most of its trials, and in none of the reference's, which
 * was measured there; else `undefined`. No test is needed to say that this is worse: nothing that stays up dies by noise in most
 * of its trials. Fewer deaths leave the figures in doubt and decide nothing; nor does a step that failed for another reason, which may
 * be the generator's or the machine's.
 */
function findDeaths({ reference, other }: LevelSides): Deaths | undefined {
  const hasDied = ({ findings }: StepResult): boolean => findings.some(({ code }) => code === "TARGET_DIED");
  const died = other.filter(hasDied).length;
  const isSound = reference.some(({ measurement }) => measurement !== undefined) && !reference.some(hasDied);
  return isSound && died > other.length / 2 ? { died, trials: other.length } : undefined;
}

/** Whether a target is worse beyond a margin over all levels or at any, in any metric, or because it died. */
function isWorse({ levels, overall }: TargetJudgement): boolean {
  return (
    overall?.worse === "yes" ||
    levels.some(
      (level) => level.deaths !== undefined || JUDGED_METRICS.some((metric) => worseOf(level[metric]) === "yes"),
    )
  );
}

/**
 * Returns the levels that the reference was measured at and of which it is not known whether the target got worse; all of them where the
 * reference was measured at none. What decides is its speed, over the levels that tell it together and at each of the others, and the failed
 * requests of each level. Percentiles, and what faults cost, can be worse, and are not asked to be known.
 */
export function findUnanswered({ levels, overall }: TargetJudgement): readonly LevelJudgement[] {
  const measured = levels.filter(({ throughput }) => throughput.reference !== null);
  // Beside what is told of the others one connection, which cannot be shared out, need not be known.
  const isToldOverall = (level: Level): boolean =>
    overall !== undefined &&
    overall.worse !== "unknown" &&
    (level.connections === 1 || overall.complete.includes(level));
  const isUnanswered = (judged: LevelJudgement): boolean =>
    judged.deaths === undefined &&
    (worseOf(judged.errors) === "unknown" ||
      (!isToldOverall(judged.level) && worseOf(judged[speedMetric(judged.level)]) === "unknown"));
  return measured.length === 0 ? levels : measured.filter(isUnanswered);
}

/** Whether it is known of every level that the reference was measured at if the other target got worse. */
export function isAnswered(target: TargetJudgement): boolean {
  return target.levels.length > 0 && findUnanswered(target).length === 0;
}

/**
 * Decides a comparison: `fail` if any target is worse beyond the margin; else `pass` if there are targets and each {@link
 * isAnswered}; else `inconclusive`.
 */
export function decideComparison(targets: readonly TargetJudgement[]): "pass" | "fail" | "inconclusive" {
  if (targets.some(isWorse)) return "fail";
  return targets.length > 0 && targets.every(isAnswered) ? "pass" : "inconclusive";
}

/**
 * Pairs every target of a run with the targets that it is compared with: its own references, else the scenario's. In the order of the
 * scenario; empty if that has no reference. Each level once; a side is empty if nothing was measured.
 */
export function pairWithReference({ scenario, steps }: Run): readonly Pair[] {
  const { reference, targets } = scenario;
  if (reference === null) return [];
  const levels = distinctLevels(scenario.levels);
  const trials = groupBy(steps, placeKey);
  const stops = findStops(scenario.stopOn, steps);
  const trialsOf = (target: string, level: Level): readonly StepResult[] =>
    trials.get(placeKey({ target, level })) ?? [];
  return targets.flatMap(({ name, references = [reference] }) =>
    references
      .filter((other) => other !== name)
      .map((other) => ({
        reference: other,
        other: name,
        sides: levels.map((level) => ({
          level,
          reference: trialsOf(other, level),
          other: trialsOf(name, level),
          isEnded: [other, name].some((target) => isStopped(stops, { target, level })),
        })),
      })),
  );
}

/**
 * The probability of a false claim about the speed of the targets of a run: 0.05, and a part of it at a look at some of the trials. If answers
 * tell their times, half of it is left for claims about these.
 */
export function significanceOf({ scenario, steps }: Run): number {
  const { sequential, serverTiming } = scenario;
  const all =
    sequential === undefined ? SIGNIFICANCE : significanceAt(plannedTrials(scenario, steps), sequential.looks);
  return serverTiming === true ? all / 2 : all;
}

/** Targets that were compared with their references, and with a margin. */
export interface ReferenceComparison {
  /** As {@link decideComparison} says. */
  readonly status: "pass" | "fail" | "inconclusive";
  readonly margins: Margins;
  /** In the order of the scenario; `other` is compared with `reference`. */
  readonly targets: readonly TargetJudgement[];
}

/**
 * Compares the targets of a run with its reference, level by level and over all of them, and says which are worse by more than a margin,
 * as of two results. Without a margin (`null`) nothing is worse, and the rest stands. `inconclusive` without a reference.
 */
export function compareWithReference(run: Run, margins: Margins | null): ReferenceComparison {
  const { errorMargin } = run.scenario;
  const planned = plannedTrials(run.scenario, run.steps);
  const targets = comparePairs(pairWithReference(run), {
    margins,
    planned,
    // Imported output does not tell in which order its targets were measured.
    inTurn: run.scenario.order !== null,
    isImported: run.scenario.order === null,
    significance: significanceOf(run),
  });
  return { status: decideComparison(targets), margins: margins ?? { margin: 0, errorMargin }, targets };
}

/** The same by the margin of the scenario. */
export function compareByScenario(run: Run): ReferenceComparison {
  const { margin, errorMargin } = run.scenario;
  return compareWithReference(run, margin === null ? null : { margin, errorMargin });
}

/** Whether a claim over several levels together covers this level, so that it needs no claim of its own. */
export function isToldTogether({ overall }: TargetJudgement, level: Level, metric: JudgedMetric): boolean {
  return (
    overall !== undefined && overall.verdict !== "~" && overall.metric === metric && overall.complete.includes(level)
  );
}

/** A change within this part makes two targets about alike, where no margin says what may be. */
const ABOUT_ALIKE = 0.05;

/** The levels that tell which of two targets is faster: one connection cannot be shared out, and counts where there is no other level. */
export function loadedLevels(levels: readonly LevelJudgement[]): readonly LevelJudgement[] {
  const loaded = levels.filter(({ level }) => level.connections !== 1);
  return loaded.length === 0 ? levels : loaded;
}

/** What tells which of two targets is faster: their speed over all levels, or else at each of those that tell it. */
function listSpeeds({ levels, overall }: TargetJudgement): readonly Pick<TestedComparison, "interval" | "verdict">[] {
  if (overall !== undefined) return [overall];
  return loadedLevels(levels)
    .map((judged) => judged[speedMetric(judged.level)])
    .map((speed) => ({ interval: intervalOf(speed), verdict: verdictOf(speed) }));
}

function alikeWithin({ interval, verdict }: Pick<TestedComparison, "interval" | "verdict">): Range | undefined {
  if (verdict !== "~" || interval === null) return undefined;
  return Math.max(Math.abs(interval.low), Math.abs(interval.high)) <= ABOUT_ALIKE ? interval : undefined;
}

/** The interval of the change of the speed, over all levels or at the one that tells it, if all of it lies within 5 %. */
export function isAlike(target: TargetJudgement): Range | undefined {
  const [only, ...others] = listSpeeds(target);
  return others.length === 0 ? only && alikeWithin(only) : undefined;
}

/**
 * Whether more trials could not change what is said: each target is known to be worse by more than the margin or not; without a margin its
 * speed is told from that of the reference, or is within 5 % of it with 95 % confidence.
 */
export function isDecided(run: Run): boolean {
  const { targets } = compareByScenario(run);
  if (run.scenario.margin !== null) return targets.every((target) => isWorse(target) || isAnswered(target));
  return targets.flatMap(listSpeeds).every((speed) => speed.verdict !== "~" || alikeWithin(speed) !== undefined);
}

/** One target compared with the reference at one level; nothing is judged to be `worse`. */
export interface LevelComparison extends Omit<LevelJudgement, "deaths" | "errors" | FaultMetric> {
  readonly reference: string;
  readonly target: string;
}

/**
 * Compares every other target with the reference of the scenario, level by level, as {@link compareWithReference} does without a margin.
 * Ordered by level, then by target; empty without a reference.
 */
export function compareTargets(run: Run): readonly LevelComparison[] {
  const { targets } = compareWithReference(run, null);
  return [...(targets[0]?.levels.keys() ?? [])].flatMap((at) =>
    targets.flatMap(({ reference, other: target, levels }) =>
      levels.slice(at, at + 1).map(({ level, throughput, mean, p50, p90, p99 }) => {
        const speeds = { throughput, ...defined({ mean }), p50, p90, p99 };
        return { level, reference, target, ...speeds };
      }),
    ),
  );
}
