/** Bytes of one memory that frames are written into. */
const MEMORY_BYTES = 65_536;
/** Memories that are kept for the next connection that writes. */
const MOST_SPARE = 32;

const NOTHING: Buffer = Buffer.alloc(0);
const spare: Buffer[] = [];

/** Frames that are written one behind the other, until they are sent together. Memory is lent for that time alone. */
export class Output {
  /** What is written into: see `reserve`. */
  memory = NOTHING;
  /** Bytes that wait to be taken. */
  length = 0;
  #from = 0;
  #at = 0;
  /** What has been written and not taken, but for what stands last in `memory`. */
  #filled: Buffer[] = [];
  /** Memories that are full, of which not all has been taken. */
  #full: Buffer[] = [];
  /** Memories that are full, of which all has been taken, and not all has been sent. */
  #sending: Buffer[] = [];

  /** Returns where in `memory` so many bytes may be written. */
  reserve(bytes: number): number {
    if (this.memory.length - this.#at < bytes) this.#turnTo(bytes);
    return this.#at;
  }

  /** So far has been written. */
  commit(to: number): void {
    this.length += to - this.#at;
    this.#at = to;
  }

  /** Takes what has been written, to be sent. */
  take(): readonly Buffer[] {
    this.#cut();
    const taken = this.#filled;
    this.#filled = [];
    this.#sending = this.#sending.length === 0 ? this.#full : [...this.#sending, ...this.#full];
    this.#full = [];
    this.length = 0;
    return taken;
  }

  /** All that was taken has been sent: its memory is free. */
  release(): void {
    for (const memory of this.#sending) giveBack(memory);
    this.#sending.length = 0;
    if (this.length > 0) return;
    giveBack(this.memory);
    this.memory = NOTHING;
    this.#from = 0;
    this.#at = 0;
  }

  #cut(): void {
    if (this.#at > this.#from) this.#filled.push(this.memory.subarray(this.#from, this.#at));
    this.#from = this.#at;
  }

  #turnTo(bytes: number): void {
    this.#cut();
    if (this.memory.length > 0) this.#full.push(this.memory);
    const isUsual = bytes <= MEMORY_BYTES;
    this.memory = (isUsual ? spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(Math.max(bytes, MEMORY_BYTES));
    this.#from = 0;
    this.#at = 0;
  }
}

function giveBack(memory: Buffer): void {
  if (memory.length === MEMORY_BYTES && spare.length < MOST_SPARE) spare.push(memory);
}
