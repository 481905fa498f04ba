import type { Measurement, TimelineSecond } from "../model/measurement.js";
import { mean, median } from "../stats/descriptive.js";
import { studentQuantile } from "../stats/distributions.js";
import { wholeSeconds } from "../stats/ramp-seconds.js";
import { finishedRequests } from "../stats/request-counts.js";
import { found, type StepRule, type UnjudgedStep } from "./found.js";

/** A shorter measurement is mostly start-up, and a single pause moves every figure. */
const MINIMUM_MS = 1000;

/** A run that was asked to last a second lasts some milliseconds less: its first request takes a moment to leave. */
const TOLERANCE = 0.05;

/** Fewer answers of each connection say more of when the measurement began and ended than of the target. Engines plan for three. */
const FEWEST_ANSWERS_EACH = 2;

/** So many answers a short measurement needs at the least: p99 is one of them. */
const FEWEST_ANSWERS_IN_ALL = 100;

/** How long it takes until a load has answers enough, by the pace at which they came; 0 without any. */
function neededMs({ elapsedMs, requests }: Measurement, users: number): number {
  const pace = finishedRequests(requests) / elapsedMs;
  if (!(pace > 0)) return 0;
  // A second is enough, however few answers come in it, if each connection has its own.
  const inAll = Math.min(MINIMUM_MS * (1 - TOLERANCE), FEWEST_ANSWERS_IN_ALL / pace);
  return Math.max(inAll, (FEWEST_ANSWERS_EACH * users) / pace);
}

/** Whether a measurement is long enough for its figures to have settled. */
export function isLongEnough(measurement: Measurement): boolean {
  return missedMs(measurement) === undefined;
}

/** How long a measurement should have lasted that was too short; `undefined` of others. */
function missedMs(measurement: Measurement): number | undefined {
  const { elapsedMs, program, fill } = measurement;
  // Imported output may not tell its time.
  if (elapsedMs <= 0 && program !== undefined) return undefined;
  if (fill === undefined) return elapsedMs < MINIMUM_MS * (1 - TOLERANCE) ? MINIMUM_MS : undefined;
  const needed = neededMs(measurement, fill.users);
  return elapsedMs < needed ? needed : undefined;
}

/**
 * Whether a step is a closed loop for a time that began with its first requests, and whose connections are always busy. Other programs than
 * ab can be told to let them idle (`-R` of wrk2, `-q` of hey, `sleep` of k6), which their output does not tell.
 */
export function isOpened({ level, measurement }: UnjudgedStep): boolean {
  const { fill, events, program } = measurement ?? {};
  const isBusy = events === undefined && (program === undefined || program.name === "ab");
  return level.connections !== undefined && level.durationMs !== undefined && fill === undefined && isBusy;
}

/**
 * `TOO_SHORT`. `cutOff`: latencies are at least what was measured, because of a load that began with its first requests the slowest were
 * cut off.
 */
export const findTooShort: StepRule = (step) => {
  const { level, measurement } = step;
  if (measurement === undefined) return [];
  const { elapsedMs } = measurement;
  const openedMs = isOpened(step) ? neededMs(measurement, level.connections ?? 0) : 0;
  const cutOff = elapsedMs < openedMs;
  const minimumMs = Math.max(missedMs(measurement) ?? 0, cutOff ? openedMs : 0);
  return minimumMs === 0 ? [] : found("TOO_SHORT", "warning", { elapsedMs, minimumMs, cutOff });
};

/** Returns the whole seconds of a measurement but the first, in which connections are made. */
function settledSeconds(measurement: Measurement): readonly TimelineSecond[] {
  return wholeSeconds(measurement).slice(1);
}

export const findNotWarm: StepRule = ({ warmup }) =>
  warmup?.steady === false ? found("NOT_WARM", "warning", { warmupMs: warmup.durationMs }) : [];

/** Fewer show only a change that is larger than any noise. */
const FEWEST_SECONDS = 6;

/** Neighbours are taken together where there are more, because the noise of one second reaches into the next. */
const MOST_SLICES = 12;

/** A change of the throughput that is not worth another measurement. */
const SMALLEST_DRIFT = 0.05;

/** Of saying that there is none where there is none. In simulations with independent noise at most 4 of 1,000 are called a drift. */
const CONFIDENCE = 0.998;

/**
 * `DRIFT` {change} of the second half against the first, a ratio less one. A t test of the means of the two halves tells it from noise:
 * what is left of the slices beside a straight line through each half, so that a steady rise does not hide itself. Slices are seconds, or
 * in a long run the means of several (batch means; Law, "Simulation Modeling and Analysis", section 9.5.3).
 */
export const findDrift: StepRule = ({ state, level, measurement }, { ramp }) => {
  if (state !== "completed" || measurement === undefined || level.connections === undefined || ramp !== null) return [];
  const slices = slice(settledSeconds(measurement).map(({ ok }) => ok));
  const half = Math.floor(slices.length / 2);
  if (half * 2 < FEWEST_SECONDS) return [];
  const [first, second] = [slices.slice(0, half), slices.slice(-half)];
  const change = mean(second) / mean(first) - 1;
  if (!Number.isFinite(change) || Math.abs(change) < SMALLEST_DRIFT) return [];
  const freedom = 2 * half - 4;
  const noise = Math.sqrt((besideLine(first) + besideLine(second)) / freedom);
  const beyondNoise = studentQuantile(freedom, CONFIDENCE) * noise * Math.sqrt(2 / half);
  return Math.abs(mean(second) - mean(first)) > beyondNoise ? found("DRIFT", "warning", { change }) : [];
};

/** Means of neighbours, at most {@link MOST_SLICES}, all of as many seconds; what is left over is at the beginning. */
function slice(seconds: readonly number[]): readonly number[] {
  if (seconds.length < FEWEST_SECONDS) return [];
  const size = Math.ceil(seconds.length / MOST_SLICES);
  const count = Math.floor(seconds.length / size);
  const used = seconds.slice(-count * size);
  return Array.from({ length: count }, (_, at) => mean(used.slice(at * size, (at + 1) * size)));
}

/** The sum of squared residuals from the best straight line. */
function besideLine(values: readonly number[]): number {
  const center = mean(values);
  const middle = (values.length - 1) / 2;
  const sum = (of: (value: number, at: number) => number): number =>
    values.reduce((total, value, index) => total + of(value, index - middle), 0);
  const slope = sum((value, at) => at * (value - center)) / sum((_, at) => at ** 2);
  return sum((value, at) => (value - center - slope * at) ** 2);
}

/** Seconds that one is compared with, at the least. */
const FEWEST_OTHERS = 3;

/** What one slow answer may take, and how many times as long as the slowest of another second, before it is called a stall. */
const SLOWEST_MS = 100;
const TIMES_AS_LONG = 10;

/** Part of the usual answers of a second below which it has stalled; of fewer than so many a second chance leaves as few. */
const FALLEN_TO = 0.25;
const FEWEST_ANSWERS = 20;

/**
 * `STALLS`, by slow answers or by few. A short pause hits so few requests of a closed loop that no percentile shows it. Usual is the median
 * of the other seconds: where more than half pause, p99 shows it.
 */
export const findStalls: StepRule = ({ state, measurement }, { ramp }) => {
  if (state !== "completed" || measurement === undefined || ramp !== null) return [];
  const seconds = settledSeconds(measurement);
  if (seconds.length <= FEWEST_OTHERS) return [];
  const slowest = (one: TimelineSecond): number => one.max ?? 0;
  const answers = ({ ok, failed }: TimelineSecond): number => ok + failed;
  const othersOf = (one: TimelineSecond, of: (other: TimelineSecond) => number): number =>
    median(seconds.filter((other) => other !== one).map(of));
  const hung = seconds.filter(
    (one) => slowest(one) > SLOWEST_MS && slowest(one) > TIMES_AS_LONG * othersOf(one, slowest),
  );
  const fallen = seconds.filter((one) => {
    const usual = othersOf(one, answers);
    return usual >= FEWEST_ANSWERS && answers(one) < FALLEN_TO * usual;
  });
  const stalled = new Set([...hung, ...fallen]);
  if (stalled.size === 0) return [];
  return found("STALLS", "warning", {
    seconds: stalled.size,
    of: seconds.length,
    worstMs: hung.length > 0 ? Math.max(...hung.map(slowest)) : undefined,
    usualMs: hung.length > 0 ? median(seconds.map(slowest)) : undefined,
    least: fallen.length > 0 ? Math.min(...fallen.map(answers)) : undefined,
    usual: fallen.length > 0 ? median(seconds.map(answers)) : undefined,
  });
};
