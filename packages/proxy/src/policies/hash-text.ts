/**
 * A hash of a text, 0 to 2^32 - 1, the same in every process and on every machine: FNV-1a over its UTF-16 code units
 * (Fowler, Noll, Vo), finished by `mixBits`, because FNV-1a alone leaves short texts close together.
 */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mixBits(hash);
}

/**
 * Spreads the 32 bits of a number so that each of them depends on all; returns 0 to 2^32 - 1, a different result for
 * each number. Source: the finalizer of MurmurHash3 (`fmix32`, Austin Appleby).
 */
export function mixBits(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
