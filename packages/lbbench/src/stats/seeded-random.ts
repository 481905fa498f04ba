/** The state of the generator: four whole numbers from 0 to 2^32 - 1, not all of them 0. */
type State = readonly [number, number, number, number];

const RANGE = 2 ** 32;

/**
 * Returns a source of numbers from 0 to below 1 that gives the same sequence for the same seed (a whole number; of it
 * 32 bits count): {@link xoshiro128}, its state filled by SplitMix as its authors advise (Steele, Lea and Flood, "Fast
 * Splittable Pseudorandom Number Generators", OOPSLA 2014), with 32 bits and the finalizer of MurmurHash3.
 */
export function seededRandom(seed: number): () => number {
  const word = (index: number): number => mixBits((seed + Math.imul(index, 0x9e3779b9)) | 0);
  const next = xoshiro128([word(1), word(2), word(3), word(4)]);
  return () => next() / RANGE;
}

/**
 * Returns a source of whole numbers from 0 to 2^32 - 1, from a given state: xoshiro128** 1.1 (Blackman and Vigna,
 * "Scrambled Linear Pseudorandom Number Generators", ACM Transactions on Mathematical Software 47, 2021). Its period is
 * 2^128 - 1.
 */
export function xoshiro128([first, second, third, fourth]: State): () => number {
  let [a, b, c, d] = [first, second, third, fourth];
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return result;
  };
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function mixBits(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
