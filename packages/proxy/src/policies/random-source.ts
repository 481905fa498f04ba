import { BalancerOptionsError } from "../options/balancer-options-error.js";
import { mixBits } from "./hash-text.js";

/** What a policy that draws at random can be told. */
export interface RandomOptions {
  /**
   * A whole number from 0 to 2^32 - 1: every picker then draws the same sequence, so that a run can be repeated.
   * Without it each picker draws from `Math.random`.
   */
  readonly seed?: number;
}

const RANGE = 2 ** 32;

/**
 * Returns a function that makes random sources, each a function that gives numbers from 0 to below 1; throws a
 * `BalancerOptionsError` for a seed that is none.
 */
export function randomSources({ seed }: RandomOptions): () => () => number {
  if (seed === undefined) return () => Math.random;
  if (!Number.isInteger(seed) || seed < 0 || seed >= RANGE) {
    throw new BalancerOptionsError(`seed: expected a whole number from 0 to ${RANGE - 1}, got ${String(seed)}.`);
  }
  return () => seededRandom(seed);
}

/**
 * Source: SplitMix (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014), with 32
 * bits.
 */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return mixBits(state) / RANGE;
  };
}
