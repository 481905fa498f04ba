import { mean, median, plateau, sumOf } from "./descriptive.js";
import { groupAscending } from "./group-by.js";
import { studentQuantile } from "./distributions.js";

/** What was measured at one load: connections of a closed loop, or the rate of an open one. */
export interface KneePoint {
  readonly load: number;
  /** Ok responses per second. */
  readonly throughput: number;
  /** Typical latency of ok responses: median or mean. */
  readonly latencyMs: number;
}

/** Where throughput stops growing and latency starts to. */
export interface Knee {
  /** Estimate, in the unit of load; seldom just a level. */
  readonly load: number;
  /** The highest level up to it, and the lowest beyond. */
  readonly below: number;
  readonly above: number;
  /** What throughput stays at, ok responses per second. */
  readonly throughput: number;
  /** The lowest level that reaches 90 % of it: beyond `above` where throughput bends gradually. */
  readonly reached: number;
  /** Whether throughput is below 80 % of that at a level beyond `reached`. */
  readonly dips: boolean;
}

/** One that grows, one that does not, and one to tell which is which. */
const MINIMUM_LEVELS = 3;

/** Times by which the knee lies above the lowest and below the highest level: a fifth is out of the reach of noise. */
const MARGIN = 1.2;

/** Part of the plateau from which on a level counts as being on it, as in {@link plateau}. */
const REACHED = 0.9;

/** Levels that have to be as high, but for noise, as the plateau: a single one may be where throughput still grows, or a peak. */
const LEVELS_ON_PLATEAU = 2;
const NEAR_PLATEAU = 0.8;

/** Part of a doubling, in powers of 2, that doubling the load may still bring at the end: 19 % more throughput. */
const GROWTH_AT_END = 0.25;

/** Times the latency before the knee; a closed loop that ends a fifth beyond its knee is at 1.2. */
const LATENCY_RISE = 1.15;

/**
 * Finds the knee by the asymptotes of operational analysis: throughput is bounded by a line through the origin, as long
 * as nobody waits for anybody, and by what the bottleneck can do; the knee is where they meet, in a closed loop N* =
 * X_max R_min (Denning and Buzen, "The Operational Analysis of Queueing Network Models", Computing Surveys 10, 1978;
 * Lazowska et al., "Quantitative System Performance", 1984, section 5.2). Both are taken from the best of several levels
 * ({@link plateau}). Points of the same load are trials, of which the median counts. Loads are above 0; a level without
 * any ok response has no latency and is left out.
 *
 * It does not depend on which level happens to be nearest, as the largest throughput / latency does (Kleinrock's power),
 * nor on how far beyond the knee the levels go, as Kneedle does (Satopaa et al., 2011). A system that bends gradually has
 * no sharp knee; then it is a lower bound of the load at which throughput stops growing.
 *
 * Undefined of fewer than 3 levels; where throughput does not grow from the lowest level on, or by no more than the levels vary, so that
 * the knee is there or below; where it grows up to the highest, or only one level is as high as that, so that it is there or beyond; and
 * where latency does not start to grow, so that something other than the server limits.
 */
export function findKnee(points: readonly KneePoint[]): Knee | undefined {
  const levels = groupAscending(points, (point) => point.load).map(({ key, items }): KneePoint => ({
    load: key,
    throughput: median(items.map((point) => point.throughput)),
    latencyMs: median(items.map((point) => point.latencyMs)),
  }));
  const [lowest, highest] = [levels[0], levels.at(-1)];
  if (lowest === undefined || highest === undefined || levels.length < MINIMUM_LEVELS) return undefined;
  const throughput = plateau(levels.map((level) => level.throughput));
  const load = throughput / plateau(levels.map((level) => level.throughput / level.load));
  // False for NaN as well, when there is no throughput at all.
  const isWithin = load >= lowest.load * MARGIN && load * MARGIN <= highest.load;
  const onPlateau = levels.filter((level) => level.throughput >= NEAR_PLATEAU * throughput);
  const isPlateau = onPlateau.length >= LEVELS_ON_PLATEAU && !risesToTheEnd(levels);
  if (!isWithin || !isPlateau || growthAtEnd(levels, load) > GROWTH_AT_END) return undefined;
  if (!growsBeyondNoise(levels, load, throughput)) return undefined;
  const [before, beyond] = [levels.filter((level) => level.load <= load), levels.filter((level) => level.load > load)];
  const highestLatencyMs = Math.max(...beyond.map(({ latencyMs }) => latencyMs));
  if (highestLatencyMs < LATENCY_RISE * median(before.map(({ latencyMs }) => latencyMs))) return undefined;
  const reached = levels.find((level) => level.throughput >= REACHED * throughput)?.load ?? highest.load;
  return {
    load,
    below: before.at(-1)?.load ?? lowest.load,
    above: beyond[0]?.load ?? highest.load,
    throughput,
    reached,
    dips: beyond.some((level) => level.load > reached && level.throughput < NEAR_PLATEAU * throughput),
  };
}

/**
 * Whether the levels beyond the knee lie higher than the lowest by more than chance has it, once in 40 times (a prediction
 * interval of Student's t). How much levels vary is how much what they deviate from the asymptotes changes from one to the next
 * (von Neumann, "Distribution of the ratio of the mean square successive difference to the variance", 1941): a single trial
 * of each is enough to see it, and a gradual bend is not taken for noise.
 */
function growsBeyondNoise(levels: readonly KneePoint[], knee: number, throughput: number): boolean {
  const deviations = levels.map((level) => logOf(level.throughput / (throughput * Math.min(1, level.load / knee))));
  const steps = deviations.slice(1).map((deviation, index) => deviation - (deviations[index] as number));
  const deviation = Math.sqrt(sumOf(steps, (step) => step ** 2) / (2 * steps.length));
  const beyond = levels.filter(({ load }) => load > knee).map((level) => level.throughput);
  const growth = logOf(median(beyond) / (levels[0] as KneePoint).throughput);
  // By one degree of freedom no growth at three levels would be beyond chance.
  const quantile = studentQuantile(Math.max(2, levels.length - 2));
  return growth > quantile * deviation * Math.sqrt(1 + 1 / beyond.length);
}

/** Whether only the highest level may be on the plateau: throughput still rose by a tenth at each of the last two steps. */
function risesToTheEnd(levels: readonly KneePoint[]): boolean {
  const end = levels.slice(-3).map(({ throughput }) => throughput);
  return end.every((throughput, index) => index === 0 || throughput * REACHED > (end[index - 1] as number));
}

/** A level without any throughput must not make a sum infinite. */
function logOf(value: number): number {
  return Math.log(Math.max(value, Number.MIN_VALUE));
}

/**
 * Slope of log throughput over log load at the end, by least squares: 1 is growth in proportion to the load, 0 none. Over
 * the levels beyond the knee from half of the highest on, at least the last two.
 */
function growthAtEnd(levels: readonly KneePoint[], knee: number): number {
  const half = (levels.at(-1)?.load ?? 0) / 2;
  const last = levels.filter(({ load }) => load >= Math.max(knee, half));
  const end = last.length < 2 ? levels.slice(-2) : last;
  const [loads, throughputs] = [end.map(({ load }) => Math.log(load)), end.map(({ throughput }) => logOf(throughput))];
  const center = mean(loads);
  const products = loads.map((x, index) => (x - center) * (throughputs[index] as number));
  return sumOf(products, (product) => product) / sumOf(loads, (x) => (x - center) ** 2);
}
