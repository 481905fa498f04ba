/** A queue from whose middle things can be taken; every operation takes the same time, however long the queue is. */
export interface Fifo<Item extends object> {
  readonly size: number;
  /** Puts something at the end, which must not be in the queue already. */
  readonly push: (item: Item) => void;
  /** Takes the one that has been there longest; `undefined` when the queue is empty. */
  readonly shift: () => Item | undefined;
  /** Takes something out, wherever it stands; tells whether it was there. */
  readonly remove: (item: Item) => boolean;
}

/** Makes an empty queue. */
export function createFifo<Item extends object>(): Fifo<Item> {
  const items = new Set<Item>();
  // Kept from call to call: an iterator made anew walks over the places of all that has left since the set last
  // grew, which takes longer the longer the queue is. What this one has passed is always gone from the set, and it never
  // comes to an end, after which it would give nothing more, because it is not asked when the set is empty.
  const fromOldest = items.values();
  return {
    get size() {
      return items.size;
    },
    push: (item) => void items.add(item),
    shift() {
      const oldest = items.size === 0 ? undefined : fromOldest.next().value;
      if (oldest !== undefined) items.delete(oldest);
      return oldest;
    },
    remove: (item) => items.delete(item),
  };
}
