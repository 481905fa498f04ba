const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Bytes that come in pieces and are kept, one behind the other. However small the pieces are, it takes at most twice the
 * memory of the bytes, and time in proportion to them. Bytes that are there are never changed: a view on them lasts.
 */
export class Gathered {
  length = 0;
  #memory = NOTHING;

  /** `most`: how many bytes are to be expected in all; no more memory is taken ahead. */
  append(bytes: Buffer, from: number, to: number, most = Infinity): void {
    const length = this.length + to - from;
    if (length > this.#memory.length) {
      const ahead = this.length === 0 ? 0 : Math.min(2 * this.length, most);
      const grown = Buffer.allocUnsafe(Math.max(length, ahead));
      this.#memory.copy(grown, 0, 0, this.length);
      this.#memory = grown;
    }
    bytes.copy(this.#memory, this.length, from, to);
    this.length = length;
  }

  /** All bytes, or those from a place on. */
  view(from = 0): Buffer {
    return this.#memory.subarray(from, this.length);
  }

  /** Keeps nothing any more. Views on what was there last. */
  clear(): void {
    this.#memory = NOTHING;
    this.length = 0;
  }
}
