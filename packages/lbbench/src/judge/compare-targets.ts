import type { Level } from "../model/level.js";
import type { Result, StepResult } from "../model/result.js";
import { median, type Range } from "../stats/descriptive.js";
import { isOfFaults } from "../stats/faults.js";
import { groupBy } from "../stats/group-by.js";
import { distinctLevels, placeKey } from "../stats/identity.js";
import { judgeDifference } from "../stats/trials.js";
import { compareOverall, type OverallComparison } from "./compare-overall.js";
import {
  answerMargin,
  asCompared,
  changeInterval,
  correctTogether,
  marginPValue,
  testMetric,
  type Answer,
  type Corrected,
  type KeptTrials,
  type LevelSides,
  type MetricTest,
  type NoTest,
  type Pair,
} from "./compare-trials.js";
import type { PreventingCode } from "./differences.js";
import {
  JUDGED_METRICS,
  metricValue,
  SCALES,
  speedsOf,
  type ComparedMetric,
  type FaultMetric,
  type JudgedMetric,
  type Margins,
} from "./metrics.js";

/**
 * Why nothing is claimed: there was no test; a difference between two results leaves nothing to compare; or `WITHIN_NOISE`, when the
 * trials vary too much to tell.
 */
export type UnknownReason = NoTest | PreventingCode | "WITHIN_NOISE";

/** How one metric of one side compares with that of the reference, and with what a margin allows. */
export interface MarginComparison {
  /**
   * Median over the trials: ok responses per second, ms, a share from 0 to 1, or requests lost; `null` where there is none, and `Infinity`
   * (`null` in JSON) of a recovery that did not come.
   */
  readonly reference: number | null;
  readonly other: number | null;
  /** Ratio of the medians less one; of `errors`, `lost` and `recovery` their difference. `null` where there is none. */
  readonly change: number | null;
  /** Of the change, 95 % confidence; `null` where no test was possible, and of `recovery`, which is compared by order alone. */
  readonly interval: Range | null;
  /** Of a difference at all: two-sided, corrected for the number of levels; `null` where no test was possible. */
  readonly pValue: number | null;
  /** Whether there is a difference at all; `fewer` and `more` of `errors` and `lost` alone, `~` when it may be noise. */
  readonly verdict: "faster" | "slower" | "fewer" | "more" | "~";
  /** Whether the other side is worse by more than the margin; `unknown` without one. */
  readonly worse: Answer;
  /** Of a change just as large as the margin: two-sided, corrected for the number of all metrics, levels and targets. */
  readonly worsePValue: number | null;
  /** Why `worse` is `unknown`, or, without a margin, why `verdict` is `~`; absent otherwise. */
  readonly reason?: UnknownReason;
  /** Where the trials are too few for what is `unknown`, or `~`: the fewest on each side that could tell. */
  readonly trialsNeeded?: number;
  /** The change that is left when all is allowed for that makes it doubtful; only beside a difference. */
  readonly atLeast?: number;
  /** Present where doubtful trials were left out: of the side with the most of them. */
  readonly kept?: KeptTrials;
  /** Beside `trialsNeeded`, where as many trials were planned: the run was cut short, and can be gone on with. */
  readonly canResume?: true;
}

/** In how many trials of a level a target died. */
export interface Deaths {
  readonly died: number;
  readonly trials: number;
}

/** One level of two targets, compared with a margin; what faults cost where there were any. */
export interface LevelJudgement
  extends
    Readonly<Record<Exclude<JudgedMetric, FaultMetric>, MarginComparison>>,
    Readonly<Partial<Record<FaultMetric, MarginComparison>>> {
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
  /** Over all levels together; absent where no difference could show, and between two results. */
  readonly overall?: OverallComparison;
}

/** What a comparison depends on beside figures. */
interface Circumstances {
  /** `null`: differences are told, and nothing is judged. */
  readonly margins: Margins | null;
  /** Trials that each side was to have. */
  readonly planned: number;
}

/**
 * Compares pairs of targets level by level, over their trials, which are the independent observations (never the requests).
 *
 * A difference is tested for each target and metric, corrected for its levels by Holm's method. `worse` is decided as in trials of
 * non-inferiority (Piaggio et al., "Reporting of noninferiority and equivalence randomized trials", JAMA 308, 2012): `yes` when the
 * whole interval of the change lies beyond the margin, `no` when it lies short of it. `yes` has to be significant as well when it is
 * corrected for all metrics, levels and targets, because any of them is enough to fail. `no` needs no correction, because it is asked
 * of all of them (Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24, 1982).
 */
export function comparePairs(pairs: readonly Pair[], circumstances: Circumstances): readonly TargetJudgement[] {
  const { margins } = circumstances;
  // By pair, level and metric.
  const tests = pairs.map(({ sides }) => {
    const metrics = metricsOf(sides);
    return sides.map((of) => metrics.map((metric) => testMetric(metric, of)));
  });
  const asked = tests.filter((_, at) => margins !== null && pairs[at]?.prevented === undefined).flat(2);
  const ofAll = correctTogether(asked, (test) => marginPValue(test, margins));
  return pairs.map(({ reference, other, sides, prevented }, at) => {
    const own = tests[at] ?? [];
    const alike = JUDGED_METRICS.map((metric) => own.flat().filter((test) => test.metric === metric));
    const ofLevels = new Map(alike.flatMap((those) => [...correctTogether(those)]));
    const levels = sides.map((side, index): LevelJudgement => {
      const judged = (own[index] ?? []).map((test) => {
        const corrected = { ofLevels: ofLevels.get(test), ofAll: ofAll.get(test) };
        return [
          test.metric,
          prevented ? unjudged(test, prevented) : compareTest(test, corrected, circumstances),
        ] as const;
      });
      const deaths = prevented === undefined ? findDeaths(side) : undefined;
      const metrics = Object.fromEntries(judged) as Omit<LevelJudgement, "level" | "deaths">;
      return { level: side.level, ...metrics, ...(deaths && { deaths }) };
    });
    return { reference, other, levels };
  });
}

/** What two targets are compared in: where neither had a fault, not in what faults cost. */
function metricsOf(sides: readonly LevelSides[]): readonly JudgedMetric[] {
  const steps = sides.flatMap(({ reference, other }) => [...reference, ...other]);
  return JUDGED_METRICS.filter(
    (metric) => !isOfFaults(metric) || steps.some((step) => metricValue(step, metric) !== null),
  );
}

/** Of a test, corrected among the levels of its target and metric, and among everything that can fail the run. */
type CorrectedFor = Readonly<Record<"ofLevels" | "ofAll", Corrected | undefined>>;

function compareTest(
  test: MetricTest,
  { ofLevels = { pValue: null }, ofAll = { pValue: null } }: CorrectedFor,
  { margins, planned }: Circumstances,
): MarginComparison {
  const { metric, tested, reason, kept } = test;
  const needed = (margins === null ? ofLevels : ofAll).trialsNeeded;
  // With those that were left out there would be enough, so it is not for want of trials.
  if (kept !== undefined && needed !== undefined && needed <= kept.of) return unjudged(test, kept.because);
  if (tested === undefined) return { ...unjudged(test, reason ?? "NOT_MEASURED"), ...nameLack(needed, planned) };
  const verdict = wordFor(metric, judgeDifference(...asCompared(metric, tested), ofLevels.pValue));
  if (reason !== undefined && verdict === "~") return unjudged(test, reason);
  const interval = metric === "recovery" ? undefined : changeInterval(SCALES[metric], tested);
  const hasChange = interval !== undefined || isOfFaults(metric);
  const answer = margins && hasChange ? answerMargin(metric, tested, margins, ofAll.pValue) : "unknown";
  // Of what is left of a difference: that a side is faster even so says that it is no worse; slower by less than the margin does not.
  const isKnown = reason === undefined || (answer === "no") === (verdict === "faster");
  const worse = isKnown ? answer : "unknown";
  const isOpen = margins === null ? verdict === "~" : worse === "unknown";
  const lack = isOpen ? needed : verdict === "~" ? ofLevels.trialsNeeded : undefined;
  return {
    ...mediansOf(test),
    interval: reason === undefined ? (interval ?? null) : null,
    pValue: ofLevels.pValue,
    verdict,
    worse,
    worsePValue: ofAll.pValue,
    ...(isOpen ? { reason: reason ?? (needed === undefined ? "WITHIN_NOISE" : "TOO_FEW_TRIALS") } : {}),
    ...nameLack(lack, planned),
    ...(reason !== undefined && tested.change !== null ? { atLeast: tested.change } : {}),
    ...(kept && { kept }),
  };
}

function nameLack(trialsNeeded: number | undefined, planned: number) {
  if (trialsNeeded === undefined) return {};
  return { trialsNeeded, ...(planned >= trialsNeeded ? { canResume: true as const } : {}) };
}

function unjudged(test: MetricTest, reason: UnknownReason): MarginComparison {
  const nothing = { interval: null, pValue: null, verdict: "~", worse: "unknown", worsePValue: null } as const;
  return { ...mediansOf(test), ...nothing, reason, ...(test.kept && { kept: test.kept }) };
}

function mediansOf({ reference, other, change }: MetricTest): Pick<MarginComparison, "reference" | "other" | "change"> {
  const middle = (values: readonly number[]): number | null => (values.length === 0 ? null : median(values));
  return { reference: middle(reference), other: middle(other), change };
}

function wordFor(metric: JudgedMetric, difference: "higher" | "lower" | "~"): MarginComparison["verdict"] {
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

/** Whether a target is worse beyond a margin at any level, in any metric, or because it died. */
export function isWorse({ levels }: TargetJudgement): boolean {
  return levels.some(
    (level) => level.deaths !== undefined || JUDGED_METRICS.some((metric) => level[metric]?.worse === "yes"),
  );
}

/**
 * Returns the levels that the reference was measured at and of which it is not known of every metric whether it got worse; all of them where the
 * reference was measured at none. The throughput of an open loop does not count, which is the rate that was asked for unless that is too much;
 * nor what faults cost, which can be worse, and is told by failed requests and by latency where it is not.
 */
export function findUnanswered({ levels }: TargetJudgement): readonly LevelJudgement[] {
  const measured = levels.filter(({ throughput }) => throughput.reference !== null);
  const isAnsweredAt = (level: LevelJudgement): boolean =>
    level.deaths !== undefined || metricsAsked(level).every(({ worse }) => worse !== "unknown");
  return measured.length === 0 ? levels : measured.filter((level) => !isAnsweredAt(level));
}

/** What is asked of a level: the speeds that tell of it, and the errors. */
export function metricsAsked(level: LevelJudgement): readonly MarginComparison[] {
  return [...speedsOf(level.level), "errors" as const].map((metric) => level[metric]);
}

/** Whether it is known of every level that the reference was measured at if the other target got worse. */
export function isAnswered(target: TargetJudgement): boolean {
  return target.levels.length > 0 && findUnanswered(target).length === 0;
}

/**
 * Decides a comparison: `fail` when any target is worse beyond the margin; else `inconclusive` when of any it cannot be said
 * of every metric at every level that the reference was measured at, or there is none; else `pass`.
 */
export function decideComparison(targets: readonly TargetJudgement[]): "pass" | "fail" | "inconclusive" {
  if (targets.some(isWorse)) return "fail";
  return targets.length > 0 && targets.every(isAnswered) ? "pass" : "inconclusive";
}

type Run = Pick<Result, "scenario" | "steps">;

/**
 * Puts every target of a run beside those that it is compared with: its own references, else that of the scenario. In the order of
 * the scenario; nothing where that has no reference. Every level of the scenario, each once; a side is empty where nothing was measured.
 */
function pairWithReference({ scenario, steps }: Run): readonly Pair[] {
  const { reference, targets } = scenario;
  if (reference === null) return [];
  const levels = distinctLevels(scenario.levels);
  const trials = groupBy(steps, placeKey);
  const trialsOf = (target: string, level: Level): readonly StepResult[] =>
    trials.get(placeKey({ target, level })) ?? [];
  return targets.flatMap(({ name, references = [reference] }) =>
    references
      .filter((other) => other !== name)
      .map((other) => ({
        reference: other,
        other: name,
        sides: levels.map((level) => ({ level, reference: trialsOf(other, level), other: trialsOf(name, level) })),
      })),
  );
}

/** Targets that were compared with their references, and with a margin. */
export interface ReferenceComparison {
  /** `fail`: one is worse beyond a margin. `inconclusive`: of a target, a level or a metric it cannot be said. `pass`: neither. */
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
  const { trials: planned, errorMargin } = run.scenario;
  const pairs = pairWithReference(run);
  const overall = compareOverall(pairs);
  const targets = comparePairs(pairs, { margins, planned }).map((target, index) => ({
    ...target,
    ...(overall[index] && { overall: overall[index] }),
  }));
  return { status: decideComparison(targets), margins: margins ?? { margin: 0, errorMargin }, targets };
}

/** The same by the margin of the scenario. */
export function compareByScenario(run: Run): ReferenceComparison {
  const { margin, errorMargin } = run.scenario;
  return compareWithReference(run, margin === null ? null : { margin, errorMargin });
}

/** One target compared with the reference at one level; nothing is judged to be `worse`. */
export interface LevelComparison extends Readonly<Record<ComparedMetric, MarginComparison>> {
  readonly level: Level;
  readonly reference: string;
  readonly target: string;
}

/**
 * Compares every other target with the reference of the scenario, level by level, as {@link compareWithReference} does without a margin.
 * Ordered by level, then by target; empty without a reference.
 */
export function compareTargets(run: Run): readonly LevelComparison[] {
  const targets = comparePairs(pairWithReference(run), { margins: null, planned: run.scenario.trials });
  return [...(targets[0]?.levels.keys() ?? [])].flatMap((at) =>
    targets.flatMap(({ reference, other: target, levels }) =>
      levels
        .slice(at, at + 1)
        .map(({ level, throughput, p50, p99 }) => ({ level, reference, target, throughput, p50, p99 })),
    ),
  );
}
