/** Tests that are made together over the starts of two sides: the more is asked of the same starts, the clearer an answer has to be. */
import { seededRandom } from "./seeded-random.js";
import { binomialCoefficient } from "./trials.js";

/** What the starts of two sides gave in one respect, by trial; a start may lack a figure. */
export interface Starts {
  readonly reference: ReadonlyMap<number, number>;
  readonly other: ReadonlyMap<number, number>;
}

/** At most so many ways are looked at: all of them up to 6 against 7 starts, or up to 12 pairs, else as many that are drawn. */
const MOST_WAYS = 3000;

/** The same ways each time, so that a result is judged alike whenever it is read. */
const SEED = 1;

/** Sums of the same figures in another order differ in the last bits; equal outcomes have to count as equal. */
const ROUNDING = 1e-9;

/**
 * Returns a two-sided p-value of the difference of means in each respect, corrected for all of them, in the order in which they came.
 *
 * Under the hypothesis that nothing differs a start could as well be one of the other side, with all its figures at once. Each respect is
 * compared with the largest difference that such an exchange makes in any respect: the step-down maxT procedure (Westfall and Young,
 * "Resampling-Based Multiple Testing", 1993, algorithm 4.1; Ge, Dudoit and Speed, "Resampling-based multiple testing for microarray data
 * analysis", Test 12, 2003). So the probability of any false alarm is what it is for one, however alike the figures of a start are, and
 * figures that tell the same cost nothing. Where there are more than 3,000 ways, 3,000 are drawn (Phipson and Smyth, "Permutation P-values
 * should never be zero", Statistical Applications in Genetics and Molecular Biology 9, 2010).
 *
 * @param matched whether only starts of the same trial change sides, so that what is alike in a trial, such as a drift of the machine, does
 * not count; a trial counts where both sides have a figure. Otherwise all starts are dealt out anew.
 */
export function testTogether(respects: readonly Starts[], matched: boolean): readonly number[] {
  const { tests, ways } = matched ? planFlips(respects) : planDealing(respects);
  const [first, ...others] = ways;
  if (first === undefined) return respects.map(() => 1);
  const observed = tests.map((distance) => distance(first) * (1 - ROUNDING));
  // The clearest last: each is compared with the most that chance makes of itself and of less clear ones.
  const rising = [...tests.keys()].toSorted((a, b) => (observed[a] as number) - (observed[b] as number));
  const reached = tests.map(() => 1);
  for (const way of others) {
    let largest = 0;
    for (const at of rising) {
      largest = Math.max(largest, (tests[at] as Distance)(way));
      if (largest >= (observed[at] as number)) reached[at] = (reached[at] as number) + 1;
    }
  }
  const pValues = reached.map((count) => count / ways.length);
  let floor = 0;
  for (const at of rising.toReversed()) {
    floor = Math.max(floor, pValues[at] as number);
    pValues[at] = floor;
  }
  return pValues;
}

/** For each start, or the sign of each trial: 1 where it is that of the other side, else 0. */
type Way = Uint8Array;

/** The square of Student's t of two sides after an exchange; 0 where nothing can be told. */
type Distance = (way: Way) => number;

/** All starts of both sides, dealt out so that each side has as many as it had. The measured way is the first. */
function planDealing(respects: readonly Starts[]) {
  const starts = (["reference", "other"] as const).flatMap((side) =>
    [...new Set(respects.flatMap((respect) => [...respect[side].keys()]))].map((trial) => ({ side, trial })),
  );
  const tests = respects.map((respect): Distance => {
    const given = starts.map(({ side, trial }) => respect[side].get(trial) ?? NaN);
    const isKnown = Uint8Array.from(given, (value) => Number(!Number.isNaN(value)));
    const known = given.filter((value) => !Number.isNaN(value));
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    const values = Float64Array.from(given, (value) => (Number.isNaN(value) ? 0 : value - mean));
    const squares = values.reduce((sum, value) => sum + value ** 2, 0);
    return (isOther) => {
      let [sum, others] = [0, 0];
      for (let at = 0; at < isOther.length; at += 1) {
        if (isOther[at] === 0) continue;
        sum += values[at] as number;
        others += isKnown[at] as number;
      }
      const references = known.length - others;
      if (others === 0 || references === 0) return 0;
      return studentSquare((sum * sum * known.length) / (others * references), squares, known.length - 2);
    };
  });
  const measured = Uint8Array.from(starts, ({ side }) => Number(side === "other"));
  const others = measured.filter(Boolean).length;
  const isFew = binomialCoefficient(starts.length, others) <= MOST_WAYS;
  return { tests, ways: isFew ? listDeals(measured, others) : draw(measured, shuffle) };
}

/** The differences of trials, each with its sign or the other one. */
function planFlips(respects: readonly Starts[]) {
  const trials = [
    ...new Set(respects.flatMap(({ reference, other }) => [...reference.keys()].filter((trial) => other.has(trial)))),
  ];
  const tests = respects.map(({ reference, other }): Distance => {
    const differences = trials.map((trial) => (other.get(trial) ?? NaN) - (reference.get(trial) ?? NaN));
    const known = Float64Array.from(differences, (value) => (Number.isNaN(value) ? 0 : value));
    const count = differences.filter((value) => !Number.isNaN(value)).length;
    const squares = known.reduce((sum, value) => sum + value ** 2, 0);
    return (isFlipped) => {
      let sum = 0;
      for (let at = 0; at < known.length; at += 1) {
        const difference = known[at] as number;
        sum += isFlipped[at] === 0 ? difference : -difference;
      }
      return count === 0 ? 0 : studentSquare((sum * sum) / count, squares, count - 1);
    };
  });
  const measured = new Uint8Array(trials.length);
  // A way and its mirror image are as far from nothing, so that the first sign can stay.
  const isFew = 2 ** (trials.length - 1) <= MOST_WAYS;
  const flip = (way: Way, random: () => number): Way => way.map(() => Number(random() < 0.5));
  return { tests, ways: isFew ? listFlips(trials.length) : draw(measured, flip) };
}

/** The part of some squares that a difference explains, beside the part that it leaves for each degree of freedom. */
function studentSquare(explained: number, squares: number, freedom: number): number {
  if (squares === 0) return 0;
  const share = Math.min(explained / squares, 1);
  return (share * freedom) / Math.max(1 - share, ROUNDING);
}

function listDeals(measured: Way, others: number): readonly Way[] {
  const deals: Way[] = [measured];
  const way = new Uint8Array(measured.length);
  const deal = (at: number, left: number): void => {
    if (at === way.length) {
      if (way.some((isOther, place) => isOther !== measured[place])) deals.push(way.slice());
      return;
    }
    for (const isOther of [0, 1]) {
      const isPossible = isOther === 1 ? left > 0 : left < way.length - at;
      if (!isPossible) continue;
      way[at] = isOther;
      deal(at + 1, left - isOther);
    }
  };
  deal(0, others);
  return deals;
}

function listFlips(trials: number): readonly Way[] {
  return Array.from({ length: trials === 0 ? 0 : 2 ** (trials - 1) }, (_, way) =>
    Uint8Array.from({ length: trials }, (__, trial) => (trial === 0 ? 0 : (way >> (trial - 1)) % 2)),
  );
}

function draw(measured: Way, next: (way: Way, random: () => number) => Way): readonly Way[] {
  const random = seededRandom(SEED);
  const ways: Way[] = [measured];
  while (ways.length < MOST_WAYS) ways.push(next(measured, random));
  return ways;
}

function shuffle(way: Way, random: () => number): Way {
  const dealt = way.slice();
  for (let end = dealt.length; end > 1; end -= 1) {
    const at = Math.floor(random() * end);
    [dealt[end - 1], dealt[at]] = [dealt[at] as number, dealt[end - 1] as number];
  }
  return dealt;
}
