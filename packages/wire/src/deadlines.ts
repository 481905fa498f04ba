/** Something that has to go on in time. */
export interface Timed {
  /** The tick of its last sign of life; it sets this to `deadlines.tick` itself. */
  aliveTick: number;
  /** Where it is kept while it is watched; for `Deadlines` alone, and -1 at first. */
  place: number;
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
  /** The time, in ticks since the beginning. */
  readonly tick: number;
  /** Watches over something from now on, until it is forgotten. */
  readonly watch: (timed: Timed) => void;
  /** Watches over it no more; may be called again. */
  readonly forget: (timed: Timed) => void;
  /** Forgets everything and stops the timer. */
  readonly stop: () => void;
}

/**
 * Deadlines that are looked at every `tickMs`; a thing is late at the earliest after its time, and at most two ticks
 * later. Their timer does not keep the process alive.
 */
export function createDeadlines(tickMs: number): Deadlines {
  // Not a Set: its tables are old when what they hold is young, and keep what has ended from being collected. That cost
  // a tenth of a balancer's time.
  const watched: (Timed | undefined)[] = [];
  const freePlaces: number[] = [];
  const deadlines = { tick: 0, watch, forget, stop };
  const timer = setInterval(look, tickMs);
  timer.unref();

  function look(): void {
    deadlines.tick += 1;
    for (const timed of watched) {
      if (timed === undefined) continue;
      // The tick in which it last gave a sign of life had already begun then.
      if ((deadlines.tick - timed.aliveTick - 1) * tickMs >= timed.allowedMs()) timed.onLate();
    }
  }

  function watch(timed: Timed): void {
    timed.aliveTick = deadlines.tick;
    timed.place = freePlaces.pop() ?? watched.length;
    watched[timed.place] = timed;
  }

  function forget(timed: Timed): void {
    if (timed.place === -1) return;
    watched[timed.place] = undefined;
    freePlaces.push(timed.place);
    timed.place = -1;
  }

  function stop(): void {
    clearInterval(timer);
    watched.length = 0;
    freePlaces.length = 0;
  }

  return deadlines;
}

/** How often to look (`tickMs`), so that the shortest of some times is kept to about a tenth: between 10 ms and a second. */
export function tickFor(timesMs: readonly number[]): number {
  return Math.min(1000, Math.max(10, Math.floor(Math.min(...timesMs) / 10)));
}
