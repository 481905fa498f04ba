import { seededRandom } from "./seeded-random.js";
import { adjustHolm, SIGNIFICANCE } from "./trials.js";

/** Values that were measured together, one of each thing; the first is of the reference. */
export type Block = readonly number[];

/** More things have too many sets of them to be tested; then each is tested by itself, corrected by Holm's method. */
const MOST_CLOSED = 4;

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
export function testInBlocks(
  count: number,
  blocksOf: (set: readonly number[]) => readonly Block[],
): readonly (number | null)[] {
  const things = Array.from({ length: count }, (_, index) => index);
  // Of the two-sided test the clearest outcome and its mirror image are two of the ways.
  const alone = things.map((thing) => {
    const blocks = blocksOf([thing]);
    return 2 / 2 ** blocks.length > SIGNIFICANCE ? null : blockPValue(blocks);
  });
  const tested = things.filter((thing) => alone[thing] !== null);
  if (tested.length > MOST_CLOSED) return adjustHolm(alone);
  const sets = subsetsOf(tested).map((set) => ({
    set,
    pValue: set.length === 1 ? (alone[set[0] as number] ?? 1) : blockPValue(blocksOf(set)),
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

/** The share of the ways of dealing the values of each block that have as large a mean difference to the first, of any. */
function blockPValue(blocks: readonly Block[]): number {
  const [first] = blocks;
  if (first === undefined) return 1;
  const orders = permutationsOf([...first.keys()]);
  const observed = largestDifference(addUp(blocks)) * (1 - 1e-12);
  if (observed === 0) return 1;
  if (orders.length ** blocks.length <= EXACT_WAYS) {
    let [ways, extreme] = [0, 0];
    const deal = (at: number, sums: Block): void => {
      const block = blocks[at];
      if (block === undefined) {
        ways += 1;
        extreme += largestDifference(sums) >= observed ? 1 : 0;
        return;
      }
      for (const order of orders)
        deal(
          at + 1,
          sums.map((sum, thing) => sum + (block[order[thing] as number] as number)),
        );
    };
    deal(
      0,
      first.map(() => 0),
    );
    return extreme / ways;
  }
  const random = seededRandom(blocks.length);
  let extreme = 1;
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const dealt = blocks.map((block) => {
      const order = orders[Math.floor(random() * orders.length)] as readonly number[];
      return order.map((index) => block[index] as number);
    });
    extreme += largestDifference(addUp(dealt)) >= observed ? 1 : 0;
  }
  return extreme / (DRAWS + 1);
}

function addUp(blocks: readonly Block[]): Block {
  return (blocks[0] ?? []).map((_, thing) => blocks.reduce((sum, block) => sum + (block[thing] as number), 0));
}

function largestDifference([reference = 0, ...others]: Block): number {
  return Math.max(0, ...others.map((other) => Math.abs(other - reference)));
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
