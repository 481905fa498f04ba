import { performance } from "node:perf_hooks";
import type { Recorder } from "./recorder.js";

/** A user of the closed loop, who sends the next request when the last is answered; or all of an open loop. */
export interface LoadUser {
  readonly start: () => void;
  /** Ends it at once and tells how many requests were open. */
  readonly cut: () => number;
}

/** What the users of one run share: the budget of requests, the clock, and the end. */
export interface LoadRun {
  readonly recorder: Recorder;
  /** Microseconds from the common start. */
  readonly nowUs: () => number;
  /**
   * Takes one request from the budget; `false` when there is none left or the run is ending. Every user's first request
   * is set aside for it, so that quick users cannot keep slow ones from ever connecting.
   */
  readonly take: (first: boolean) => boolean;
  /** Whether `take` would give nothing any more. */
  readonly exhausted: (first: boolean) => boolean;
  readonly enter: (user: LoadUser) => void;
  readonly leave: (user: LoadUser) => void;
  /** A connection was established or an answer came: the target is alive. */
  readonly sawLife: () => void;
  /** A request failed without ever having had a connection. */
  readonly sawNoConnection: () => void;
}

/** How a run ended. */
export interface RunEnd {
  /** Requests that were still open. */
  readonly inFlight: number;
  /** When it was cut, in microseconds from the common start; `null` when it ended by itself. */
  readonly stoppedUs: number | null;
}

/** A run and the levers of whoever owns it. */
export interface OwnedLoadRun extends LoadRun {
  readonly startUsers: () => void;
  /** Sends nothing new; the run ends when the open requests have ended. */
  readonly drain: () => void;
  /** Ends the run now; open requests are `inFlight`. */
  readonly cut: () => void;
  /** For how long nothing was seen of a target that cannot be connected to, in ms; 0 while it can, however slow it is. */
  readonly unreachableMs: () => number;
  /** Resolves when the last user has left, with what was still open then. */
  readonly ended: Promise<RunEnd>;
}

/** Users started in one turn of the event loop: more would keep the first answers waiting and lengthen their latency. */
const USERS_PER_TURN = 32;

/**
 * Starts a run without users.
 *
 * @param requests budget of requests shared by all users, at least one for each of them; `undefined` for a run that
 *   ends by `drain` or `cut`.
 * @param offsetUs microseconds from the common start to the zero of `performance.now()`.
 */
export function createLoadRun(recorder: Recorder, requests: number | undefined, offsetUs: number): OwnedLoadRun {
  const users = new Set<LoadUser>();
  let left = requests ?? Infinity;
  let setAside = 0;
  let over = false;
  let lastLifeMs = performance.now();
  let unreachable = false;
  let resolveEnd: (end: RunEnd) => void = () => {};
  const ended = new Promise<RunEnd>((resolve) => {
    resolveEnd = resolve;
  });
  const nowUs = (): number => performance.now() * 1000 + offsetUs;
  const exhausted = (first: boolean): boolean => over || left <= (first ? 0 : setAside);
  const end = (inFlight: number, stoppedUs: number | null): void => {
    over = true;
    resolveEnd({ inFlight, stoppedUs });
  };
  return {
    recorder,
    nowUs,
    take: (first) => {
      if (exhausted(first)) return false;
      left -= 1;
      if (first) setAside -= 1;
      return true;
    },
    exhausted,
    enter: (user) => {
      users.add(user);
      setAside += 1;
    },
    leave: (user) => {
      if (users.delete(user) && users.size === 0 && !over) end(0, null);
    },
    sawLife: () => {
      lastLifeMs = performance.now();
      unreachable = false;
    },
    sawNoConnection: () => {
      unreachable = true;
    },
    startUsers: () => {
      const waiting = [...users];
      const startSome = (): void => {
        if (over) return;
        for (const user of waiting.splice(0, USERS_PER_TURN)) user.start();
        if (waiting.length > 0) setImmediate(startSome);
      };
      startSome();
    },
    drain: () => {
      left = 0;
    },
    cut: () => {
      if (over) return;
      const stoppedUs = nowUs();
      over = true;
      const open = [...users].reduce((sum, user) => sum + user.cut(), 0);
      end(open, stoppedUs);
    },
    unreachableMs: () => (unreachable ? performance.now() - lastLifeMs : 0),
    ended,
  };
}
