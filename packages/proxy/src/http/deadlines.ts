/** Something that has to go on in time. */
export interface Timed {
  /** The tick of its last sign of life; it sets this to `deadlines.tick` itself. */
  aliveTick: number;
  /** How long it may be without one, in ms, as it is now; `Infinity` for ever. */
  readonly allowedMs: () => number;
  /** Called when that is over. May be called again at the next tick if it stays. */
  readonly onLate: () => void;
}

/**
 * Watches over many things with one timer. A timer for each of them would have to be set and cleared several times for
 * every request; here a sign of life is one number that is written down.
 */
export interface Deadlines {
  /** The time, in ticks. */
  readonly tick: number;
  readonly watch: (timed: Timed) => void;
  readonly forget: (timed: Timed) => void;
  readonly stop: () => void;
}

/**
 * Deadlines that are looked at every `tickMs`; a thing is late at the earliest after its time, and at most two ticks
 * later.
 */
export function createDeadlines(tickMs: number): Deadlines {
  const watched = new Set<Timed>();
  const deadlines = { tick: 0, watch, forget, stop };
  const timer = setInterval(look, tickMs);
  timer.unref();

  function look(): void {
    deadlines.tick += 1;
    for (const timed of watched) {
      // The tick in which it last gave a sign of life had already begun then.
      if ((deadlines.tick - timed.aliveTick - 1) * tickMs >= timed.allowedMs()) timed.onLate();
    }
  }

  function watch(timed: Timed): void {
    timed.aliveTick = deadlines.tick;
    watched.add(timed);
  }

  function forget(timed: Timed): void {
    watched.delete(timed);
  }

  function stop(): void {
    clearInterval(timer);
    watched.clear();
  }

  return deadlines;
}

/** How often to look, so that the shortest of some times is kept to about a tenth: between 10 ms and a second. */
export function tickFor(timesMs: readonly number[]): number {
  return Math.min(1000, Math.max(10, Math.floor(Math.min(...timesMs) / 10)));
}
