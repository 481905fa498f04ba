import type { StepResult } from "../model/result.js";
import { mean, type Range } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { adjustHolm, compareMatched, SIGNIFICANCE } from "../stats/trials.js";
import { allowed, changeInterval, type LevelSides, type Pair } from "./compare-trials.js";
import { speedMetric } from "./metrics.js";

/**
 * How two targets of one run compare over the levels at which there is load to share out. A start of a target, which is a trial, is one
 * observation: the levels of a start have its luck in common.
 */
export interface OverallComparison {
  /** What tells which is faster: throughput, or p50 in an open loop. */
  readonly metric: "throughput" | "p50";
  /** Whether there is a level of 1 connection, which is left out: one connection cannot be shared out. */
  readonly isAboveOne: boolean;
  /** The geometric mean over trials and levels of the ratio to the reference, less one. */
  readonly change: number;
  /** Of the change, 95 % confidence; `null` where there is no test, and where the change is a bound. */
  readonly interval: Range | null;
  /** Whether a doubt at some level may have made the difference look smaller than it is. */
  readonly isAtLeast: boolean;
  /** Two-sided, corrected for the number of targets that are compared with the same reference; `null` of fewer than 4 trials. */
  readonly pValue: number | null;
  readonly verdict: "faster" | "slower" | "~";
  /** Trials and levels that it rests on, and how many levels there are. */
  readonly trials: number;
  readonly levels: number;
  readonly of: number;
}

/** The logarithm of a speed, by trial: as it was measured, and the best that it may have been. Larger is faster. */
type Speeds = ReadonlyMap<number, { readonly measured: number; readonly best: number }>;

/** What is compared of a pair, before it is known among how many. */
type Tested = Omit<OverallComparison, "verdict">;

/** Of logarithms. */
const LOGARITHM = {
  apply: (value: number, change: number): number => value + change,
  between: (from: number, to: number): number => to - from,
};

/**
 * Compares targets with their reference over several levels: of each trial the mean of the logarithms of the ratio to the reference, tested
 * over the trials, and corrected by Holm's method for the targets that have the same reference. Undefined where fewer than two levels tell
 * anything. A level counts where both targets have a figure of it in every trial; of one whose doubts go one way the slower side is
 * allowed all that they can explain.
 */
export function compareOverall(pairs: readonly Pair[]): readonly (OverallComparison | undefined)[] {
  const tested = new Map(pairs.map((pair) => [pair, testPair(pair)]));
  const corrected = new Map(
    [...groupBy(pairs, ({ reference }) => reference).values()].flatMap((own) => {
      const pValues = adjustHolm(own.map((pair) => tested.get(pair)?.pValue ?? null));
      return own.map((pair, index) => [pair, pValues[index] ?? null] as const);
    }),
  );
  return pairs.map((pair) => {
    const test = tested.get(pair);
    if (test === undefined) return undefined;
    const pValue = corrected.get(pair) ?? null;
    const isFaster = test.change > 0 === (test.metric === "throughput");
    const isTold = pValue !== null && pValue <= SIGNIFICANCE && test.change !== 0;
    return { ...test, pValue, verdict: isTold ? (isFaster ? "faster" : "slower") : "~" };
  });
}

function testPair({ sides }: Pair): Tested | undefined {
  const loaded = sides.filter(({ level }) => level.connections !== 1);
  const [first] = loaded;
  if (first === undefined) return undefined;
  const metric = speedMetric(first.level);
  const { trials, complete } = findComplete(loaded.map((side) => speedsAt(metric, side)));
  if (complete.length < 2) return undefined;
  const meanOf = (side: "reference" | "other", which: "measured" | "best"): readonly number[] =>
    trials.map((trial) => mean(complete.map(({ [side]: speeds }) => speeds.get(trial)?.[which] ?? NaN)));
  const measured = { reference: meanOf("reference", "measured"), other: meanOf("other", "measured") };
  const isFaster = mean(measured.other) > mean(measured.reference);
  const slower = isFaster ? "reference" : "other";
  const allowing = { ...measured, [slower]: meanOf(slower, "best") };
  const gain = mean(allowing.other) - mean(allowing.reference);
  // Doubts that explain the whole difference leave none.
  const left = gain > 0 === isFaster ? gain : 0;
  const isAtLeast = mean(allowing[slower]) !== mean(measured[slower]);
  const { pValue } = left === 0 ? { pValue: 1 } : compareMatched(allowing.reference, allowing.other);
  const interval =
    pValue === null || isAtLeast || left === 0
      ? undefined
      : changeInterval(LOGARITHM, { ...measured, change: gain }, compareMatched);
  const sign = metric === "throughput" ? 1 : -1;
  const ends = interval && [interval.low, interval.high].map((end) => Math.expm1(sign * end)).toSorted((a, b) => a - b);
  return {
    metric,
    isAboveOne: loaded.length < sides.length,
    change: Math.expm1(sign * left),
    interval: ends === undefined ? null : { low: ends[0] as number, high: ends[1] as number },
    isAtLeast,
    pValue,
    trials: trials.length,
    levels: complete.length,
    of: loaded.length,
  };
}

/** Trials, and levels that have a figure of both targets in each of them: those that are the most figures together. */
function findComplete(levels: readonly ReturnType<typeof speedsAt>[]) {
  const choices = levels.map(({ both: trials }) => ({
    trials,
    complete: levels.filter(({ both }) => trials.length > 0 && trials.every((trial) => both.includes(trial))),
  }));
  const [most = { trials: [], complete: [] }] = choices.toSorted(
    (one, two) => two.trials.length * two.complete.length - one.trials.length * one.complete.length,
  );
  return most;
}

/** The speeds of two targets at a level, and the trials in which both have one. */
function speedsAt(metric: OverallComparison["metric"], sides: LevelSides) {
  const [reference, other] = [speedsIn(metric, sides.reference), speedsIn(metric, sides.other)];
  return { reference, other, both: [...reference.keys()].filter((trial) => other.has(trial)) };
}

/** Of completed steps whose doubts, if there are any, go one way. */
function speedsIn(metric: OverallComparison["metric"], steps: readonly StepResult[]): Speeds {
  const sign = metric === "throughput" ? 1 : -1;
  const speeds = steps.flatMap((step) => {
    const figures = step.state === "completed" ? allowed(metric, step) : undefined;
    if (figures === undefined || figures.measured <= 0) return [];
    const [measured, best] = [sign * Math.log(figures.measured), sign * Math.log(figures.best)];
    return [[step.trial, { measured, best }] as const];
  });
  return new Map(speeds);
}
