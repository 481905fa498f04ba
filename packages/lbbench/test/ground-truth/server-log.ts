import type { Action, Outcome } from "./action.js";

/** What the server did, by its own account. */
export interface ServerLog {
  accepted: number;
  /** Requests read to their last byte. */
  requests: number;
  readBytes: number;
  writtenBytes: number;
  /** Body bytes of what was written. */
  bodyBytes: number;
  /** Requests dealt with, by what a client has to make of it. */
  readonly outcomes: Record<Outcome, number>;
  /** Complete answers. */
  readonly statusCodes: Record<string, number>;
  /** From the last byte of a request read to the last of its answer being written, in ms, for each complete answer. */
  readonly serviceMs: number[];
  /** Readings of `performance.now()`. */
  firstRequestMs: number;
  lastAnswerMs: number;
}

/** Starts an empty log. */
export function createServerLog(): ServerLog {
  return {
    accepted: 0,
    requests: 0,
    readBytes: 0,
    writtenBytes: 0,
    bodyBytes: 0,
    outcomes: { ok: 0, non2xx: 0, mismatched: 0, connectErrors: 0, resets: 0, dropped: 0, timedOut: 0 },
    statusCodes: {},
    serviceMs: [],
    firstRequestMs: Number.NaN,
    lastAnswerMs: Number.NaN,
  };
}

/** Enters an action that is about to be completed, for a request that was read at `readAtMs`. */
export function enterAction(log: ServerLog, action: Action, readAtMs: number): void {
  log.outcomes[action.outcome] += 1;
  log.bodyBytes += action.bodyBytes;
  if (action.status === null) return;
  log.statusCodes[action.status] = (log.statusCodes[action.status] ?? 0) + 1;
  log.lastAnswerMs = performance.now();
  log.serviceMs.push(log.lastAnswerMs - readAtMs);
}
