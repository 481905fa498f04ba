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
 * corrected so that one alarm among all is as rare as for one; `null` where its blocks are too few for any difference to show.
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
  // Of the two-sided test the clearest outcome and its mirror image are two of the ways.
  const alone = things.map((thing) => {
    const blocks = blocksOf([thing]);
    return 2 / 2 ** blocks.length > SIGNIFICANCE ? null : blockPValue(blocks, difference);
  });
  const tested = things.filter((thing) => alone[thing] !== null);
  if (tested.length > MOST_CLOSED) return adjustHolm(alone);
  const sets = subsetsOf(tested).map((set) => ({
    set,
    pValue: set.length === 1 ? (alone[set[0] as number] ?? 1) : blockPValue(blocksOf(set), difference),
  }));
  return things.map((thing) =>
    alone[thing] === null
      ? null
      : Math.max(...sets.filter(({ set }) => set.includes(thing)).map(({ pValue }) => pValue)),
  );
}

/** More ways of dealing than this are not tried one by one. */
const EXACT_WAYS = 50_000;
const DRAWS = 10_000;

/** The share of the ways of dealing what each block has that make as large a mean difference from the first, of any. */
function blockPValue<Measured>(blocks: readonly Block<Measured>[], difference: Difference<Measured>): number {
  const things = (blocks[0]?.length ?? 1) - 1;
  const orders = permutationsOf(Array.from({ length: things + 1 }, (_, index) => index));
  // By block and order; the first order is how they were measured.
  const dealt = blocks.map((block) =>
    orders.map(([first = 0, ...others]) =>
      Float64Array.from(others, (other) => difference(block[first] as Measured, block[other] as Measured)),
    ),
  );
  // What has been added up before each block; behind the last it is the outcome.
  const sums = Array.from({ length: blocks.length + 1 }, () => new Float64Array(things));
  const deal = (at: number, order: number): void => {
    const [from, to, values] = [sums[at], sums[at + 1], dealt[at]?.[order]] as readonly [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    for (let thing = 0; thing < things; thing += 1) to[thing] = (from[thing] as number) + (values[thing] as number);
  };
  const farthest = (): number => (sums.at(-1) as Float64Array).reduce((most, sum) => Math.max(most, Math.abs(sum)), 0);
  for (const at of blocks.keys()) deal(at, 0);
  const observed = farthest() * (1 - 1e-12);
  if (observed === 0) return 1;
  const ways = orders.length ** blocks.length;
  let extreme = 0;
  if (ways <= EXACT_WAYS) {
    const dealFrom = (at: number): void => {
      if (at === blocks.length) extreme += farthest() >= observed ? 1 : 0;
      else
        for (const order of orders.keys()) {
          deal(at, order);
          dealFrom(at + 1);
        }
    };
    dealFrom(0);
    return extreme / ways;
  }
  const random = seededRandom(blocks.length);
  for (let draw = 0; draw < DRAWS; draw += 1) {
    for (const at of blocks.keys()) deal(at, Math.floor(random() * orders.length));
    extreme += farthest() >= observed ? 1 : 0;
  }
  return (extreme + 1) / (DRAWS + 1);
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
