/** How a Node process's event loop has spent its time so far. */
export interface LoopReading {
  /** Waited for something to do, since the loop began. */
  readonly idleMs: number;
  /** Did something, since the loop began. */
  readonly activeMs: number;
  /** When it was asked, on the clock of whoever asked. */
  readonly atMs: number;
}

/**
 * The share of the time between two readings in which an event loop did not wait, 0 to 1; since the loop began where
 * there is no first reading.
 *
 * It is found from the time that the loop waited, because a loop that answers late was busy from the question to the
 * answer: what it says of waiting is as it was when it was asked.
 */
export function loopUtilization(before: LoopReading | undefined, after: LoopReading): number {
  const wasThere = before !== undefined && before.idleMs <= after.idleMs;
  const elapsedMs = wasThere ? after.atMs - before.atMs : after.idleMs + after.activeMs;
  const idleMs = wasThere ? after.idleMs - before.idleMs : after.idleMs;
  return elapsedMs > 0 ? Math.min(1, Math.max(0, 1 - idleMs / elapsedMs)) : 0;
}
