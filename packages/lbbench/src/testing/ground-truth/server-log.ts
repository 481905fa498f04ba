import type { Action, Outcome } from "./action.js";

/** What a server did, by its own account. */
export interface ServerLog {
  accepted: number;
  /** Requests read to their last byte. */
  requests: number;
  /** Requests that were read and not dealt with, now and at most. */
  open: number;
  mostOpen: number;
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

/** A server of known behaviour. */
export interface TruthServer<Log extends ServerLog = ServerLog> {
  readonly url: string;
  readonly log: Log;
  /** Resolves when no connection is open any more. */
  readonly drained: () => Promise<void>;
  /** Closes the port and every connection. */
  readonly close: () => Promise<void>;
}

/** Starts an empty log. */
export function createServerLog(): ServerLog {
  return {
    accepted: 0,
    requests: 0,
    open: 0,
    mostOpen: 0,
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

/** Enters a request that was read to its end; returns when that was. */
export function enterRequest(log: ServerLog): number {
  const readAtMs = performance.now();
  log.requests += 1;
  if (log.requests === 1) log.firstRequestMs = readAtMs;
  log.open += 1;
  log.mostOpen = Math.max(log.mostOpen, log.open);
  return readAtMs;
}

/** What of an action is entered. */
export type Done = Pick<Action, "outcome" | "bodyBytes"> & { readonly status: number | string | null };

/** Enters an action that is about to be completed, for a request that was read at `readAtMs`. */
export function enterAction(log: ServerLog, { outcome, bodyBytes, status }: Done, readAtMs: number): void {
  // One that hangs stays open.
  if (outcome !== "timedOut") log.open -= 1;
  log.outcomes[outcome] += 1;
  log.bodyBytes += bodyBytes;
  if (status === null) return;
  log.statusCodes[status] = (log.statusCodes[status] ?? 0) + 1;
  log.lastAnswerMs = performance.now();
  log.serviceMs.push(log.lastAnswerMs - readAtMs);
}

/** Does something after so many ms, when a promise has come, or at once. */
export function after(delay: Action["delay"], act: () => void): void {
  if (delay === 0) act();
  else if (typeof delay === "number") setTimeout(act, delay);
  else void delay.then(act);
}
