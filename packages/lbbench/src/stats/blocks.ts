import { mean, standardDeviation } from "./descriptive.js";
import { studentTwoSidedTail } from "./distributions.js";
import { seededRandom } from "./seeded-random.js";
import { adjustHolm, SIGNIFICANCE } from "./trials.js";

/** What was measured together, one of each thing; the first is of the reference. */
export type Block<Measured> = readonly Measured[];

/** More things have too many sets of them to be tested; then each is tested by itself, corrected by Holm's method. */
const MOST_CLOSED = 4;

/** How far one is above another; with the two exchanged it is the same with the other sign. */
type Difference<Measured> = (reference: Measured, other: Measured) => number;

/**
 * Tests which of some things differ from a reference, by what was measured in blocks. Returns for each the p-value of its mean difference,
 * corrected so that one alarm among all is as rare as for one (beyond `SIGNIFICANCE` it may be larger than what is returned); `null`
 * where its blocks are too few for any difference to show.
 *
 * By the principle of closed testing (Marcus, Peritz and Gabriel, "On closed testing procedures", Biometrika 63, 1976): a thing differs
 * where every set of things that it is in does. That a set is alike is tested by dealing the values of each block anew to the reference
 * and the set (a stratified permutation test; of a single thing it is the flipping of signs, Good, "Permutation, Parametric, and
 * Bootstrap Tests of Hypotheses", 3rd edition, section 3.2).
 *
 * @param blocksOf the blocks that have a value of the reference and of each thing of a set, in that order
 */
export function testInBlocks<Measured>(
  count: number,
  blocksOf: (set: readonly number[]) => readonly Block<Measured>[],
  difference: Difference<Measured>,
): readonly (number | null)[] {
  const things = Array.from({ length: count }, (_, index) => index);
  const alone = things.map((thing) =>
    flipSigns(blocksOf([thing]).map(([reference, other]) => difference(reference as Measured, other as Measured))),
  );
  const tested = things.filter((thing) => alone[thing] !== null);
  if (tested.length > MOST_CLOSED) return adjustHolm(alone);
  const isClear = (thing: number): boolean => (alone[thing] ?? 1) <= SIGNIFICANCE;
  const sets = subsetsOf(tested)
    .filter((set) => set.length > 1 && set.some(isClear))
    .map((set) => ({ set, pValue: dealBlocks(blocksOf(set), difference) }));
  return alone.map((pValue, thing) =>
    pValue === null || !isClear(thing)
      ? pValue
      : Math.max(pValue, ...sets.filter(({ set }) => set.includes(thing)).map((of) => of.pValue)),
  );
}

/** Of the sum of all differences: to this part of it each is rounded. */
const ROUNDED_TO = 2 ** -13;

/**
 * Returns the share of all ways to flip the signs of some differences that make their sum as large or larger, of either sign; `null`
 * where not even the clearest outcome and its mirror image, two of the ways, are few enough. As the ways are counted by their sums
 * and not tried, this takes 4,096 additions for each difference at the most. A test of rounded values has the same rate of false alarms.
 */
function flipSigns(differences: readonly number[]): number | null {
  if (2 / 2 ** differences.length > SIGNIFICANCE) return null;
  const unit = ROUNDED_TO * differences.reduce((sum, value) => sum + Math.abs(value), 0);
  if (unit === 0) return 1;
  const sumOf = (sign: number): number =>
    differences.reduce((sum, value) => sum + (value * sign > 0 ? Math.round(Math.abs(value) / unit) : 0), 0);
  // An outcome is as far from 0 where those that go against the rest add up to no more than they do here.
  const against = Math.min(sumOf(1), sumOf(-1));
  const shareOf = new Float64Array(against + 1);
  shareOf[0] = 1;
  for (const value of differences) {
    const size = Math.round(Math.abs(value) / unit);
    for (let sum = against; sum >= 0; sum -= 1) {
      shareOf[sum] = ((shareOf[sum] as number) + (shareOf[sum - size] ?? 0)) / 2;
    }
  }
  return Math.min(1, 2 * shareOf.reduce((sum, share) => sum + share, 0));
}

/** More ways of dealing than this are not tried one by one, but drawn: fewer where each takes longer. */
const EXACT_WAYS = 50_000;
const MOST_DRAWS = 10_000;
const FEWEST_DRAWS = 1000;
const DEALT_BLOCKS = 2_000_000;

/** Returns the share of the ways of dealing what each block has that make as large a mean difference from the first, of any. */
function dealBlocks<Measured>(blocks: readonly Block<Measured>[], difference: Difference<Measured>): number {
  const things = (blocks[0]?.length ?? 1) - 1;
  const orders = permutationsOf(Array.from({ length: things + 1 }, (_, index) => index));
  // By block, order and thing; the first order is how they were measured.
  const dealt = Float64Array.from(
    blocks.flatMap((block) =>
      orders.flatMap(([first = 0, ...others]) =>
        others.map((other) => difference(block[first] as Measured, block[other] as Measured)),
      ),
    ),
  );
  const sums = new Float64Array(things);
  const farthest = (orderOf: () => number): number => {
    sums.fill(0);
    for (let block = 0; block < blocks.length; block += 1) {
      const from = (block * orders.length + orderOf()) * things;
      for (let thing = 0; thing < things; thing += 1) {
        sums[thing] = (sums[thing] as number) + (dealt[from + thing] as number);
      }
    }
    return sums.reduce((most, sum) => Math.max(most, Math.abs(sum)), 0);
  };
  const observed = farthest(() => 0) * (1 - 1e-12);
  if (observed === 0) return 1;
  const ways = orders.length ** blocks.length;
  const random = seededRandom(blocks.length);
  const drawOrder = (): number => Math.floor(random() * orders.length);
  const isExact = ways <= EXACT_WAYS;
  const tries = isExact ? ways : Math.min(MOST_DRAWS, Math.max(FEWEST_DRAWS, Math.floor(DEALT_BLOCKS / blocks.length)));
  let extreme = 0;
  for (let way = 0; way < tries; way += 1) {
    let rest = way;
    const nextOrder = (): number => {
      const order = rest % orders.length;
      rest = Math.floor(rest / orders.length);
      return order;
    };
    extreme += farthest(isExact ? nextOrder : drawOrder) >= observed ? 1 : 0;
  }
  return isExact ? extreme / ways : (extreme + 1) / (tries + 1);
}

function permutationsOf(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item) =>
    permutationsOf(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}

/** All choices of some of the items, at least one. */
function subsetsOf(items: readonly number[]): readonly (readonly number[])[] {
  return items.reduce<readonly (readonly number[])[]>(
    (sets, item) => [...sets, ...sets.map((set) => [...set, item]), [item]],
    [],
  );
}

/** Fewer groups tell too little of how far they lie apart. */
const FEWEST_GROUPS = 4;

/**
 * Returns the two-sided p-value of a mean that is farther from 0 than a bound, of independent groups that each give a value; `null` of
 * fewer than 4. By Student's t test, which at 8 % or less gives no more false alarms than that although some groups are noisier than
 * others (Bakirov and Szekely, "Student's t-test for Gaussian scale mixtures", Journal of Mathematical Sciences 139, 2006; Ibragimov
 * and Mueller, "t-Statistic Based Correlation and Heterogeneity Robust Inference", Journal of Business and Economic Statistics 28, 2010).
 */
export function testGroups(values: readonly number[], bound: number): number | null {
  if (values.length < FEWEST_GROUPS) return null;
  const error = standardDeviation(values) / Math.sqrt(values.length);
  const beyond = Math.abs(mean(values)) - bound;
  return beyond <= 0 ? 1 : studentTwoSidedTail(beyond / error, values.length - 1);
}
