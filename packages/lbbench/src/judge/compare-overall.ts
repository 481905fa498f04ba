import type { Level } from "../model/level.js";
import type { StepResult } from "../model/result.js";
import { mean, range, type Range } from "../stats/descriptive.js";
import { betweenSessions } from "../stats/spread.js";
import type { Starts } from "../stats/together.js";
import { compareMatched, compareTrials, smallestPValue } from "../stats/trials.js";
import { defined } from "../stats/defined.js";
import {
  allowed,
  answerMargin,
  asArrays,
  changeInterval,
  keepSound,
  mapValues,
  sameWay,
  type Answer,
  type CorrectedTests,
  type LevelSides,
  type Pair,
  type Tested,
} from "./compare-trials.js";
import { DIFFERENCE, SCALES, speedMetric, type Margins } from "./metrics.js";

/**
 * How two targets compare over the levels at which there is load to share out. A start of a target, which is a trial, is one
 * observation: the levels of a start have its luck in common.
 */
export interface OverallComparison {
  /** What tells which is faster: throughput, or the mean latency in an open loop. */
  readonly metric: "throughput" | "mean";
  /** Whether there is a level of 1 connection, which is left out: one connection cannot be shared out. */
  readonly isAboveOne: boolean;
  /** The geometric mean over trials and levels of the ratio to the reference, less one. */
  readonly change: number;
  /** Of the change, 95 % confidence; `null` where there is no test, and where the change is a bound. */
  readonly interval: Range | null;
  /** Whether a doubt at some level, of either side, may have made the difference look smaller than it is. */
  readonly isAtLeast: boolean;
  /** Two-sided, corrected for all that is said of the two, and for the number of targets; `null` of fewer than 4 trials. */
  readonly pValue: number | null;
  readonly verdict: "faster" | "slower" | "~";
  /** Whether the target is slower by more than the margin; `unknown` without one, and where doubts may hide such a loss. */
  readonly worse: Answer;
  /** Trials and levels that it rests on, and how many levels there are. */
  readonly trials: number;
  readonly levels: number;
  readonly of: number;
  /** The levels that it rests on. Of the others, which lack figures or are in doubt, it says nothing. */
  readonly complete: readonly Level[];
}

/** So many trials at least are left where disturbed ones are left out: as many as can be compared trial by trial. */
const FEWEST_SOUND = 6;

/**
 * Takes of each trial the mean of the logarithms of the speeds of both targets over several levels. Undefined where fewer than two levels
 * tell anything. A level counts where both targets have a figure of it in every trial. What is doubtful for the moment's sake is left out where
 * most figures stand without it; else, and of other doubts that go one way, the slower side is allowed all that they can explain.
 */
export function testOverall({ sides }: Pair, inTurn: boolean) {
  const loaded = sides.filter(({ level }) => level.connections !== 1);
  const [first] = loaded;
  if (first === undefined) return undefined;
  const metric = speedMetric(first.level);
  const { trials, complete } = chooseFigures(metric, loaded);
  if (complete.length < 2 || trials.length === 0) return undefined;
  const meansOf = (side: keyof Starts, which: "measured" | "best"): ReadonlyMap<number, number> =>
    new Map(
      trials.map((trial) => [trial, mean(complete.map(({ [side]: speeds }) => speeds.get(trial)?.[which] ?? NaN))]),
    );
  const measured: Starts = { reference: meansOf("reference", "measured"), other: meansOf("other", "measured") };
  const atBest: Starts = { reference: meansOf("reference", "best"), other: meansOf("other", "best") };
  const averagesOf = (starts: Starts) => asArrays(starts).map(mean) as [number, number];
  const gainOf = (starts: Starts): number => {
    const [reference, other] = averagesOf(starts);
    return other - reference;
  };
  const isFaster = gainOf(measured) > 0;
  const slower = isFaster ? "reference" : "other";
  const starts: Starts = { ...measured, [slower]: atBest[slower] };
  // Doubts that explain the whole difference leave none.
  const gain = gainOf(starts) > 0 === isFaster ? gainOf(starts) : 0;
  const isTestable = gain !== 0 && smallestPValue(trials.length, trials.length) !== null;
  return {
    metric,
    isAboveOne: loaded.length < sides.length,
    // What the faster side lost is part of the difference, too.
    isAtLeast: averagesOf(atBest).some((best, side) => best !== averagesOf(measured)[side]),
    trials: trials.length,
    levels: complete.length,
    of: loaded.length,
    complete: complete.map(({ level }) => level),
    gain,
    // Absent of fewer than 4 trials, and where doubts explain all of it.
    ...defined({ tested: isTestable ? testedOf(metric, starts, gain, inTurn) : undefined }),
  };
}

function testedOf(metric: OverallComparison["metric"], starts: Starts, gain: number, inTurn: boolean): Tested {
  const speeds = asArrays(starts).map((logarithms) => logarithms.map(Math.exp)) as [number[], number[]];
  const nearer = inTurn ? 0 : Math.sign(gain) * Math.min(Math.abs(gain), betweenSessions(...speeds));
  return {
    starts,
    compared: { ...starts, other: mapValues(starts.other, (speed) => speed - nearer) },
    see: (seen) => seen,
    allow: ({ reference, other }, margins) => {
      const loss = Math.abs(Math.log1p(SCALES[metric].bound(margins)));
      return { reference: mapValues(reference, (speed) => speed - loss), other };
    },
    worse: "lower",
    compare: inTurn ? compareMatched : compareTrials,
  };
}

/** What the corrected tests of a difference, and of a loss beyond the margin (`null` without one), say. */
export function compareOverall(
  { gain, tested, ...test }: NonNullable<ReturnType<typeof testOverall>>,
  { difference, loss }: CorrectedTests,
  margins: Margins | null,
  significance: number,
): OverallComparison {
  const sign = test.metric === "throughput" ? 1 : -1;
  const interval =
    tested === undefined || test.isAtLeast
      ? undefined
      : changeInterval(DIFFERENCE, tested.starts, gain, sameWay(tested.compare, difference), significance);
  const ends = interval && [interval.low, interval.high].map((end) => Math.expm1(sign * end));
  const pValue = gain === 0 ? 1 : (difference?.pValue ?? null);
  const isTold = pValue !== null && pValue <= significance;
  const answer =
    margins === null || tested === undefined ? "unknown" : answerMargin(tested, margins, loss, significance);
  // A slower target was allowed what its doubts explain, and what the reference lost is not known: it may have lost more.
  const isHidden = test.isAtLeast && answer === "no" && gain < 0;
  return {
    metric: test.metric,
    isAboveOne: test.isAboveOne,
    change: Math.expm1(sign * gain),
    interval: ends === undefined ? null : range(ends),
    isAtLeast: test.isAtLeast,
    pValue,
    verdict: isTold ? (gain > 0 ? "faster" : "slower") : "~",
    worse: isHidden ? "unknown" : answer,
    trials: test.trials,
    levels: test.levels,
    of: test.of,
    complete: test.complete,
  };
}

/** The figures that are compared: those of sound steps where they are enough and most. */
function chooseFigures(metric: OverallComparison["metric"], sides: readonly LevelSides[]) {
  const ofSteps = (chosen: (steps: readonly StepResult[]) => readonly StepResult[]) =>
    findComplete(
      sides.map(({ level, reference, other }) =>
        speedsAt(metric, { level, reference: chosen(reference), other: chosen(other) }),
      ),
    );
  const [sound, all] = [ofSteps((steps) => keepSound(metric, steps)), ofSteps((steps) => steps)];
  const isEnough = sound.trials.length >= FEWEST_SOUND && sound.complete.length >= 2;
  return isEnough && 2 * sound.figures > all.figures ? sound : all;
}

/**
 * The trials and levels with the most figures together, where both targets have each level in each trial. Levels are dropped one after the
 * other, the one that costs the most trials first.
 */
function findComplete(levels: readonly ReturnType<typeof speedsAt>[]) {
  const among = (complete: typeof levels) => {
    const [first, ...others] = complete;
    const isInAll = (trial: number): boolean => others.every(({ both }) => both.includes(trial));
    const trials = (first?.both ?? []).filter(isInAll);
    return { complete, trials, figures: complete.length * trials.length };
  };
  let [left, most] = [among(levels), among(levels)];
  while (left.complete.length > 1) {
    const choices = left.complete.map((dropped) => among(left.complete.filter((level) => level !== dropped)));
    left = choices.reduce((best, choice) => (choice.trials.length > best.trials.length ? choice : best));
    if (left.figures > most.figures) most = left;
  }
  return most;
}

/** The speeds of two targets at a level, and the trials in which both have one. */
function speedsAt(metric: OverallComparison["metric"], { level, ...sides }: LevelSides) {
  const [reference, other] = [speedsIn(metric, sides.reference), speedsIn(metric, sides.other)];
  return { level, reference, other, both: [...reference.keys()].filter((trial) => other.has(trial)) };
}

/**
 * The logarithms of the speeds of completed steps whose doubts, if there are any, go one way, by trial: as they were measured, and the best that
 * they may have been. Larger is faster.
 */
function speedsIn(metric: OverallComparison["metric"], steps: readonly StepResult[]) {
  const sign = metric === "throughput" ? 1 : -1;
  const speeds = steps.flatMap((step) => {
    const figures = step.state === "completed" ? allowed(metric, step) : undefined;
    if (figures === undefined || figures.measured <= 0) return [];
    const [measured, best] = [sign * Math.log(figures.measured), sign * Math.log(figures.best)];
    return [[step.trial, { measured, best }] as const];
  });
  return new Map(speeds);
}
