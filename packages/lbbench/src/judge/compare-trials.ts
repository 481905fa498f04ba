import type { FindingCode } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { StepResult } from "../model/result.js";
import { mean, median, range, type Range } from "../stats/descriptive.js";
import { isOfFaults, roundRecovery, SLICE_MS } from "../stats/faults.js";
import { groupBy } from "../stats/group-by.js";
import { betweenSessions } from "../stats/spread.js";
import { testTogether, type Starts } from "../stats/together.js";
import {
  canFlip,
  compareMatched,
  compareTrials,
  judgeDifference,
  rankSides,
  SIGNIFICANCE,
  smallestPValue,
  type Values,
} from "../stats/trials.js";
import type { PreventingCode } from "./differences.js";
import { doubtsBeyondChance } from "./doubts.js";
import { rowOf } from "./findings.js";
import { measuredSteps, metricValue, SCALES, type JudgedMetric, type Margins, type Scale } from "./metrics.js";

/** The steps of two targets that are compared. */
interface Sides {
  readonly reference: readonly StepResult[];
  readonly other: readonly StepResult[];
}

/** The trials of two targets at one level. */
export interface LevelSides extends Sides {
  readonly level: Level;
  /** Whether a stop rule has ended it, so that trials that are missing are not made. */
  readonly isEnded?: boolean;
}

/** Two targets that are compared. */
export interface Pair {
  readonly reference: string;
  readonly other: string;
  readonly sides: readonly LevelSides[];
  /** By what they cannot be compared at all: then there are medians and changes, and no judgement. */
  readonly prevented?: PreventingCode | undefined;
}

/** Some of the trials. */
export interface TrialCount {
  readonly trials: number;
  readonly of: number;
}

/** How many of the trials a figure rests on. */
export interface KeptTrials extends TrialCount {
  /** What made the others doubtful. */
  readonly because: FindingCode;
}

/** Why there is no test: a finding that makes the metric doubtful, a side without a figure, or too few trials for any difference. */
export type NoTest = FindingCode | "NOT_MEASURED" | "TOO_FEW_TRIALS";

/** What is tested of two targets: of a metric at a level, or of their speed over levels. */
export interface Tested {
  /** Where something is in doubt the worse side is allowed all that this can explain. */
  readonly starts: Starts;
  /** The same for tests that are corrected for one another. Of two sessions: after the difference that sessions may have. */
  readonly compared: Starts;
  /** The values that a test of a difference compares. */
  readonly see: (starts: Starts) => Starts;
  /** The values that a test of a loss beyond the margin compares: the reference is changed by the margin. */
  readonly allow: (starts: Starts, margins: Margins) => Starts;
  readonly worse: Scale["worse"];
  readonly compare: typeof compareTrials;
}

/** The trials of one metric at one level, and what is tested of them. */
export interface MetricTest {
  readonly metric: JudgedMetric;
  readonly measured: Starts;
  /** Of the medians; `null` where one of them is missing, or no change makes the one the other. */
  readonly change: number | null;
  /** What can be tested, also beside a `reason`. */
  readonly tested?: Tested & { readonly change: number | null };
  readonly reason?: NoTest;
  /** Beside a reason that is a finding: in how many trials it is, of both sides or of that without a figure. */
  readonly doubtful?: TrialCount;
  /** Present where doubtful trials were left out: of the side with the most of them. */
  readonly kept?: KeptTrials;
}

/**
 * Takes a metric from the trials of two targets at one level. A trial that is doubtful for the moment's sake is left out where most of its
 * side stand. What is off by chance alone is no doubt here: the spread of the trials holds it. Of several doubts the one of most trials is
 * the reason. What was measured in turn is compared trial by trial where both have trials enough, and then by these alone.
 *
 * @param inTurn whether the two were measured in turn, in one run.
 */
export function testMetric(metric: JudgedMetric, given: Sides, inTurn: boolean): MetricTest {
  const sides = onBoth(given, (steps) => keepSound(metric, steps));
  const figures = onBoth(sides, (steps) => figuresIn(steps, metric));
  const isMatched = inTurn && canFlip(matchTrials(figures).other.size);
  const take = (all: Starts): Starts => (isMatched ? matchTrials(all) : all);
  const measured = take(figures);
  const doubt = commonestDoubt(metric, sides);
  const change = changeOfMedians(metric, measured);
  const told = { metric, measured, change, ...countKept(metric, given, sides) };
  const fewest = Math.min(measured.reference.size, measured.other.size);
  if (fewest === 0) {
    // Only the steps of a side tell why it has no figure.
    const bare = (side: keyof typeof sides) => (measured[side].size === 0 ? sides[side] : []);
    const why = commonestDoubt(metric, { reference: bare("reference"), other: bare("other") });
    return { ...told, ...(why ?? { reason: "NOT_MEASURED" }) };
  }
  const best = doubt === undefined ? measured : allowDoubts(metric, sides);
  if (best === undefined) return { ...told, ...(doubt ?? { reason: "NOT_MEASURED" }) };
  const starts = take(best);
  const compare = isMatched ? compareMatched : compareTrials;
  const left = changeOfMedians(metric, starts);
  const isSingle = fewest === 1 && measured.reference.size === measured.other.size;
  const { pValue, verdict } = compare(...asArrays(asCompared(metric, starts)));
  // A rest that goes the same way is still a difference.
  const isLeft = Math.sign(left ?? 0) === Math.sign(change ?? 0);
  if (doubt !== undefined && (!isLeft || (pValue !== null && verdict === "~"))) return { ...told, ...doubt };
  // If the doubt alone does not explain the difference, trials are missing.
  if (pValue === null) return { ...told, reason: isSingle ? "SINGLE_TRIAL" : "TOO_FEW_TRIALS" };
  const tested = {
    starts,
    change: left,
    compared: inTurn ? starts : allowSession(metric, starts),
    see: (seen: Starts) => asCompared(metric, seen),
    allow: (seen: Starts, margins: Margins) => asAllowed(metric, seen, margins),
    worse: SCALES[metric].worse,
    compare,
  };
  return { ...told, tested, ...doubt };
}

function onBoth<To>({ reference, other }: Sides, of: (side: readonly StepResult[]) => To) {
  return { reference: of(reference), other: of(other) };
}

/** A test among those that are made together. */
export interface Corrected {
  /** Corrected for all that is said of the two, and for the number of pairs. */
  readonly pValue: number;
  /** Whether no outcome of so few trials could be told from chance. */
  readonly lacksTrials: boolean;
  /** Whether it is made trial by trial, as what stands beside it has to be: its interval, and the answer by a margin. */
  readonly isMatched: boolean;
}

/** Of a difference at all, and of a loss beyond the margin; absent without a test. */
export interface CorrectedTests {
  readonly difference: Corrected | undefined;
  readonly loss: Corrected | undefined;
}

/**
 * Tests everything that is said of two targets at once, and corrects for the number of pairs (Bonferroni). Trials that were made in turn are
 * compared trial by trial as soon as there are enough for that to tell anything; before, and of two sessions, all of them are dealt out anew.
 *
 * @param families how many such pairs there are of which each could say something by mistake.
 * @param significance the probability that any of them does.
 */
export function correctTogether<Of>(
  asked: readonly Of[],
  startsOf: (one: Of) => Starts,
  {
    inTurn,
    families,
    significance,
  }: { readonly inTurn: boolean; readonly families: number; readonly significance: number },
): ReadonlyMap<Of, Corrected> {
  const tests = asked.map(startsOf);
  const trialsOf = (test: Starts): number => matchTrials(test).other.size;
  const matched = inTurn && tests.length > 0 && canFlip(Math.min(...tests.map(trialsOf)), significance / families);
  const pValues = testTogether(tests, matched);
  const corrected = tests.map((test, at): Corrected => {
    const smallest = matched
      ? families * 2 ** (1 - trialsOf(test))
      : families * (smallestPValue(test.reference.size, test.other.size) ?? 1);
    return {
      pValue: Math.min(1, families * (pValues[at] as number)),
      lacksTrials: smallest > significance,
      isMatched: matched,
    };
  });
  return new Map(asked.map((one, at) => [one, corrected[at] as Corrected]));
}

/** The trials that both sides have, in the same order. */
function matchTrials({ reference, other }: Starts): Starts {
  const those = [...reference].filter(([trial]) => other.has(trial));
  return { reference: new Map(those), other: new Map(those.map(([trial]) => [trial, other.get(trial) as number])) };
}

/** Whether one side is worse than the other by more than a margin; `unknown`: the trials support neither answer. */
export type Answer = "yes" | "no" | "unknown";

/**
 * Says whether a side is worse by more than the margin: by this test alone, which is whether the interval of the change reaches across the
 * margin. `yes` needs the corrected test to confirm.
 */
export function answerMargin(
  { starts, compared, allow, worse, compare }: Tested,
  margins: Margins,
  corrected: Corrected | undefined,
  significance: number,
): Answer {
  const { verdict } = sameWay(compare, corrected)(...asArrays(allow(starts, margins)), significance);
  if (verdict !== worse) return verdict === "~" ? "unknown" : "no";
  const sides = asArrays(allow(compared, margins));
  return judgeDifference(...sides, corrected?.pValue ?? null, significance) === worse ? "yes" : "unknown";
}

/** What compares two sides in the way of a corrected test. */
export function sameWay(compare: Tested["compare"], corrected: Corrected | undefined): Tested["compare"] {
  return corrected?.isMatched === false ? compareTrials : compare;
}

/** The values of two sides, as lists. */
export function asArrays({ reference, other }: Starts): readonly [reference: Values, other: Values] {
  return [[...reference.values()], [...other.values()]];
}

/** The same trials, each with what becomes of its value. */
export function mapValues(values: Starts["other"], of: (value: number, at: number) => number): Starts["other"] {
  return new Map([...values].map(([trial, value], at) => [trial, of(value, at)]));
}

/**
 * The starts of the other side as they may have been in the session of the reference: nearer to it, by no more than two sessions of the same
 * target differ. Of ratios alone; failures and faults stay as they are.
 */
function allowSession(metric: JudgedMetric, starts: Starts): Starts {
  if (metric === "errors" || isOfFaults(metric)) return starts;
  const sides = asArrays(starts);
  const [reference, other] = sides.map(median) as [number, number];
  const apart = Math.log(other / reference);
  if (!Number.isFinite(apart)) return starts;
  const factor = Math.exp(-Math.sign(apart) * Math.min(Math.abs(apart), betweenSessions(...sides)));
  return { reference: starts.reference, other: mapValues(starts.other, (value) => value * factor) };
}

/** The starts with their ranks in place of their values. */
function asRanks(starts: Starts): Starts {
  const [reference, other] = rankSides(...asArrays(starts));
  return {
    reference: mapValues(starts.reference, (_, at) => reference[at] as number),
    other: mapValues(starts.other, (_, at) => other[at] as number),
  };
}

/** The reference after a change that is just allowed, and the other side. */
function asAllowed(metric: JudgedMetric, { reference, other }: Starts, margins: Margins): Starts {
  const allowed = mapValues(reference, (value) => SCALES[metric].allow(value, margins));
  if (metric !== "recovery") return { reference: allowed, other };
  // Nothing is worse than a reference that never recovered.
  return asRanks({ reference: allowed, other: mapValues(other, (value) => Math.min(value, Number.MAX_VALUE)) });
}

/**
 * Returns the values of two sides as a test has to see them. Recoveries are compared by their order, because there may be none; as they
 * are known to a slice, those of the later side are taken to be a slice earlier.
 */
export function asCompared(metric: JudgedMetric, starts: Starts): Starts {
  if (metric !== "recovery") return starts;
  const [of, ofOther] = asArrays(starts).map(median) as [number, number];
  const known = (values: Starts["other"], isLater: boolean): Starts["other"] =>
    isLater ? mapValues(values, (value) => value - SLICE_MS) : values;
  return asRanks({ reference: known(starts.reference, of > ofOther), other: known(starts.other, ofOther > of) });
}

/** Halvings for each end, which leave it uncertain by a four-thousandth of what the trials span. */
const HALVINGS = 12;

/**
 * Returns the changes that the trials do not contradict: those after which the test, `compareTrials` by default, could not tell the
 * reference from the others, and the one that was measured. That is an interval of 95 % confidence by inversion of the test (Lehmann and
 * Romano, "Testing Statistical Hypotheses", 3rd edition, section 3.5), and so the two never contradict each other. In simulations with 3 %
 * noise 95 % cover in truth 94 to 98 %, from 4 trials on. `undefined` where a trial of the reference leaves no ratio to be taken.
 *
 * @param significance of the test; below 0.05 more than 95 % are covered, as where trials are looked at several times.
 */
export function changeInterval(
  { apply, between }: Pick<Scale, "apply" | "between">,
  starts: Starts,
  change: number | null,
  compare: typeof compareTrials = compareTrials,
  significance = SIGNIFICANCE,
): Range | undefined {
  const [reference, other] = asArrays(starts);
  const [before, after] = [range(reference), range(other)];
  // At these two the sides are wholly apart, which the test never takes for noise.
  const [lowest, highest] = [between(before.high, after.low), between(before.low, after.high)];
  if (change === null || ![lowest, highest].every(Number.isFinite)) return undefined;
  const isHeld = (candidate: number): boolean => {
    const moved = reference.map((value) => apply(value, candidate));
    return compare(moved, other, significance).verdict === "~";
  };
  // A test trial by trial may reject the change of the medians, but never that of the means.
  const inside = range([change, between(mean(reference), mean(other))]);
  const findEnd = (within: number, outside: number): number => {
    let [held, rejected] = [within, outside];
    for (let halving = 0; halving < HALVINGS && held !== rejected; halving += 1) {
      const middle = (held + rejected) / 2;
      if (isHeld(middle)) held = middle;
      else rejected = middle;
    }
    return rejected;
  };
  return { low: findEnd(inside.low, lowest), high: findEnd(inside.high, highest) };
}

function changeOfMedians(metric: JudgedMetric, starts: Starts): number | null {
  const [reference, other] = asArrays(starts);
  if (reference.length === 0 || other.length === 0) return null;
  const change = SCALES[metric].between(median(reference), median(other));
  return Number.isFinite(change) ? change : null;
}

/** The finding that makes a metric doubtful in most trials of both sides. */
function commonestDoubt(metric: JudgedMetric, { reference, other }: Sides) {
  const steps = [...reference, ...other];
  const codes = steps.flatMap((step) => [...new Set(codesAgainst(metric, step))]);
  const [most = []] = [...groupBy(codes, (code) => code).values()].toSorted((a, b) => b.length - a.length);
  const [reason] = most;
  return reason && { reason, doubtful: { trials: most.length, of: steps.length } };
}

function codesAgainst(metric: JudgedMetric, step: StepResult): readonly FindingCode[] {
  return doubtsBeyondChance(metric, step).map(({ code }) => code);
}

/** Leaves out the trials with a passing doubt if most trials remain. */
export function keepSound(metric: JudgedMetric, trials: readonly StepResult[]): readonly StepResult[] {
  const sound = trials.filter((step) => codesAgainst(metric, step).length === 0);
  const isOfTheMoment = (step: StepResult): boolean =>
    codesAgainst(metric, step).every((code) => rowOf({ code }).of === "moment");
  return sound.length * 2 > trials.length && trials.every(isOfTheMoment) ? sound : trials;
}

function countKept(metric: JudgedMetric, given: Sides, sides: Sides): Pick<MetricTest, "kept"> {
  const [least] = (["reference", "other"] as const)
    .map((side) => ({ trials: sides[side].length, of: given[side].length }))
    .toSorted((a, b) => a.trials / a.of - b.trials / b.of);
  const because = commonestDoubt(metric, given)?.reason;
  const isLess = least !== undefined && least.trials < least.of;
  return isLess && because !== undefined ? { kept: { ...least, because } } : {};
}

/**
 * Allows the worse side to have been as much better as its doubts can explain; what the better one lost only makes the difference larger.
 * Undefined where a doubt does not go one way.
 */
function allowDoubts(metric: JudgedMetric, sides: Sides): Starts | undefined {
  const { reference, other } = onBoth(sides, (steps) =>
    steps.flatMap((step) => {
      const figures = allowed(metric, step);
      return figures === undefined ? [] : [{ trial: step.trial, ...figures }];
    }),
  );
  if (reference.length !== sides.reference.length || other.length !== sides.other.length) return undefined;
  const middle = (those: typeof other): number => median(those.map(({ measured }) => measured));
  const isBetter = middle(other) > middle(reference) === (SCALES[metric].worse === "lower");
  const choose = (those: typeof other, which: "measured" | "best"): Starts["other"] =>
    new Map(those.map(({ trial, [which]: value }) => [trial, value]));
  const starts = {
    reference: choose(reference, isBetter ? "best" : "measured"),
    other: choose(other, isBetter ? "measured" : "best"),
  };
  return asArrays(starts).flat().every(Number.isFinite) ? starts : undefined;
}

/** What was measured in a step, and the best that it may have been in truth; `undefined` where a doubt does not go that way. */
export function allowed(metric: JudgedMetric, step: StepResult) {
  const measured = metricValue(step, metric);
  const isMore = SCALES[metric].worse === "lower";
  const doubts = doubtsBeyondChance(metric, step);
  const isOneWay = doubts.every(({ bound }) => bound === (isMore ? "least" : "most"));
  if (measured === null || !isOneWay || metric === "errors" || isOfFaults(metric)) return undefined;
  const factor = Math.max(1, ...doubts.map(({ lost }) => lost));
  return { measured, best: isMore ? measured * factor : measured / factor };
}

/** By trial. */
function figuresIn(steps: readonly StepResult[], metric: JudgedMetric): Starts["other"] {
  const figures = measuredSteps(steps).flatMap((step) => {
    const value = metricValue(step, metric);
    return value === null ? [] : [[step.trial, metric === "recovery" ? roundRecovery(value) : value] as const];
  });
  return new Map(figures);
}
