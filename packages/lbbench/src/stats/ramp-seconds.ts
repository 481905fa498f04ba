import type { FailureClass, Measurement, TimelineSecond } from "../model/measurement.js";
import type { Ramp } from "../model/scenario.js";
import { median } from "./descriptive.js";

/** One second of a ramp, over all its trials: of every figure the median. */
export interface RampSecond {
  readonly second: number;
  /** How much of the second there was, in ms: 1000, except for the last. */
  readonly lengthMs: number;
  /** Users that had come by its end, and on average in it. */
  readonly users: number;
  readonly meanUsers: number;
  readonly sent: number;
  readonly ok: number;
  readonly failed: number;
  /** How they failed; the ways that occurred, where that is told. */
  readonly failures: Readonly<Partial<Record<FailureClass, number>>>;
  /** Of the ok responses of this second, in ms; `null` when there were none. */
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** A run of 100 s ends some milliseconds before they are over, since its first request takes a moment to leave. */
const TOLERANCE_MS = 50;

/** A shorter rest of a last second tells nothing. */
const SHORTEST_MS = 200;

const WHOLE_MS = 1000;

/** What tells seconds of a measurement. */
type Told = Pick<Measurement, "elapsedMs" | "timeline">;

/**
 * Returns a ramp to `users` second by second, from the first to the last that most of its measurements have. Seconds in which
 * nothing happened, as when a target hangs, are there with zeros, although a timeline that ends early leaves them out.
 */
export function rampSeconds(measurements: readonly Told[], users: number, ramp: Ramp): readonly RampSecond[] {
  const trials = measurements.map(toTrial);
  const come = rampUsers(users, ramp);
  const longest = Math.max(0, ...trials.map(({ lengths }) => lengths.length));
  const seconds = Array.from({ length: longest }, (_, second) => {
    const present = trials.filter(({ lengths }) => lengths.length > second);
    if (present.length * 2 <= trials.length) return [];
    const lengthMs = median(present.map(({ lengths }) => lengths[second] ?? WHOLE_MS));
    return [mergeSecond(second, lengthMs, present, come)];
  }).flat();
  const last = seconds.at(-1);
  // A machine that is busy ends a run late: what comes after its last request is no fall to nothing.
  const isOver = last !== undefined && !isWhole(last) && last.sent + last.ok + last.failed === 0;
  return isOver ? seconds.slice(0, -1) : seconds;
}

/** What happened in a second, as so much each second: what there was in its length, for one that is cut short. */
export function perSecond({ lengthMs }: Pick<RampSecond, "lengthMs">, count: number): number {
  return (count * WHOLE_MS) / lengthMs;
}

/** Whether a second was not cut short by the end of the run. */
export function isWhole({ lengthMs }: Pick<RampSecond, "lengthMs">): boolean {
  return lengthMs === WHOLE_MS;
}

type Trial = ReturnType<typeof toTrial>;

/** The lengths of all seconds, in ms, and those that are told. */
function toTrial({ elapsedMs, timeline }: Told) {
  const whole = Math.floor((elapsedMs + TOLERANCE_MS) / WHOLE_MS);
  const rest = elapsedMs - whole * WHOLE_MS;
  const lengths = Array.from({ length: whole }, () => WHOLE_MS);
  return {
    lengths: rest >= SHORTEST_MS ? [...lengths, rest] : lengths,
    seconds: new Map(timeline.map((one) => [one.second, one])),
  };
}

function mergeSecond(second: number, lengthMs: number, trials: readonly Trial[], come: RampUsers): RampSecond {
  const told = trials.flatMap(({ seconds }) => seconds.get(second) ?? []);
  const count = (of: (one: TimelineSecond) => number): number =>
    median(trials.map(({ seconds }) => (seconds.has(second) ? of(seconds.get(second) as TimelineSecond) : 0)));
  const ok = count((one) => one.ok);
  const latency = (key: "p50" | "p90" | "p99" | "max"): number | null => {
    const values = told.flatMap((one) => one[key] ?? []);
    return ok === 0 || values.length === 0 ? null : median(values);
  };
  const classes = new Set(told.flatMap(({ failures = {} }) => Object.keys(failures) as FailureClass[]));
  const startMs = second * WHOLE_MS;
  return {
    second,
    lengthMs,
    users: told.find((one) => one.users !== undefined)?.users ?? come.at(startMs + lengthMs),
    meanUsers: come.mean(startMs, startMs + lengthMs),
    sent: count((one) => one.sent),
    ok,
    failed: count((one) => one.failed),
    failures: Object.fromEntries([...classes].map((key) => [key, count(({ failures }) => failures?.[key] ?? 0)])),
    p50: latency("p50"),
    p90: latency("p90"),
    p99: latency("p99"),
    max: latency("max"),
  };
}

/**
 * Returns the seconds of a measurement that were not cut short by its end. A second in which nothing happened is there with zeros. Empty
 * where the engine does not tell seconds apart.
 */
export function wholeSeconds({ elapsedMs, timeline }: Told): readonly TimelineSecond[] {
  if (timeline.length === 0) return [];
  const told = new Map(timeline.map((one) => [one.second, one]));
  const length = Math.floor((elapsedMs + TOLERANCE_MS) / WHOLE_MS);
  return Array.from(
    { length },
    (_, second) => told.get(second) ?? { second, sent: 0, ok: 0, failed: 0, p50: null, p99: null, max: null },
  );
}

const MS_TO_US = 1000;

/**
 * Returns when each user of a ramp comes, in microseconds from the start, in order.
 *
 * `from` users are there at 0. Of the n = `users` - `from` others, number k (from 1) comes at k / n of the rise, so that the
 * last comes at its end. In s steps it comes at the end of step ceil(k * s / n): a step has floor(n / s) users or one more, and
 * all together have n. (Without steps every user is a step of its own.) A ramp of n + 1 users, one more every second, rises
 * in n seconds.
 */
export function rampStartsUs(users: number, { from, riseMs, steps }: Ramp): readonly number[] {
  const others = Math.max(0, users - from);
  const parts = steps ?? others;
  const riseUs = riseMs * MS_TO_US;
  return Array.from({ length: users }, (_, index) => {
    const number = index - from + 1;
    return number <= 0 ? 0 : (Math.ceil((number * parts) / others) * riseUs) / parts;
  });
}

/** How many users of a ramp there are; times are in ms from its start. */
export interface RampUsers {
  /** That have come by then. */
  readonly at: (ms: number) => number;
  /** On average between two moments. */
  readonly mean: (fromMs: number, toMs: number) => number;
}

/** Returns how many users of a ramp to `users` there are when. */
export function rampUsers(users: number, ramp: Ramp): RampUsers {
  const starts = rampStartsUs(users, ramp).map((startUs) => startUs / 1000);
  const sums = [0];
  for (const start of starts) sums.push((sums.at(-1) ?? 0) + start);
  const at = (ms: number): number => countUpTo(starts, ms);
  /** Time that all who have come by then were there, together. */
  const presentMs = (ms: number): number => at(ms) * ms - (sums[at(ms)] ?? 0);
  return { at, mean: (fromMs, toMs) => (presentMs(toMs) - presentMs(fromMs)) / (toMs - fromMs) };
}

/** How many of some rising numbers are at most so much. */
function countUpTo(rising: readonly number[], most: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] ?? Infinity) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
