/** Something that waits for a connection to a backend. */
export interface Waiter {
  /** Called once, when it is its turn; it then has the slot and must release it. */
  readonly takeTurn: () => void;
}

/** The connections that a backend may have at a time, and those that wait for one, first come, first served. */
export class Slots {
  readonly #limit: number;
  readonly #queueLimit: number;
  readonly #waiting = new Set<Waiter>();
  #taken = 0;

  constructor(limit: number, queueLimit: number) {
    this.#limit = limit;
    this.#queueLimit = queueLimit;
  }

  get queued(): number {
    return this.#waiting.size;
  }

  /** Takes a slot, or a place in the queue; `full` when there is neither. */
  take(waiter: Waiter): "taken" | "queued" | "full" {
    if (this.#taken < this.#limit) {
      this.#taken += 1;
      return "taken";
    }
    if (this.#waiting.size >= this.#queueLimit) return "full";
    this.#waiting.add(waiter);
    return "queued";
  }

  /** Gives a slot back; the one that has waited longest gets it. */
  release(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next.takeTurn();
      return;
    }
    this.#taken -= 1;
  }

  /** Gives up a place in the queue; false when the waiter has none. */
  leave(waiter: Waiter): boolean {
    return this.#waiting.delete(waiter);
  }

  /** Empties the queue and returns who was in it, in order. */
  dismiss(): Waiter[] {
    const dismissed = [...this.#waiting];
    this.#waiting.clear();
    return dismissed;
  }
}
