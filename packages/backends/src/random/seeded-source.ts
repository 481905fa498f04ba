import { randomLcg } from "d3-random";

/**
 * Numbers from 0 to 1 that are the same for the same seed and worker. Seeds that lie close together give unrelated
 * numbers: a linear congruential generator alone would start almost alike, so the seed is mixed first (finalizer of
 * MurmurHash3, https://github.com/aappleby/smhasher).
 */
export function seededSource(seed: number, worker: number): () => number {
  return randomLcg(mix((seed + Math.imul(worker, 0x9e3779b9)) >>> 0));
}

function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) + 1;
}
