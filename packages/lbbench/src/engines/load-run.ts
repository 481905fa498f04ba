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
  /** `startUs`: when it is to start, in microseconds from the common start; with the run by default. */
  readonly enter: (user: LoadUser, startUs?: number) => void;
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
  /** Starts the users, each when it is time; until then it sends nothing and keeps nobody waiting. */
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
  /** Those that have not started, in the order in which they are to. */
  const waiting: { readonly user: LoadUser; readonly startUs: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
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
    clearTimeout(timer);
    resolveEnd({ inFlight, stoppedUs });
  };
  const sawLife = (): void => {
    lastLifeMs = performance.now();
    unreachable = false;
  };
  const isDue = ({ startUs }: { readonly startUs: number }, atUs: number): boolean => startUs <= Math.max(0, atUs);
  const startSome = (): void => {
    if (over) return;
    const atUs = nowUs();
    for (let started = 0; started < USERS_PER_TURN; started += 1) {
      const [next] = waiting;
      if (next === undefined || !isDue(next, atUs)) break;
      waiting.shift();
      const isAlone = users.size === waiting.length + 1;
      // Of a target that nobody has asked for anything nothing could be seen.
      if (isAlone) sawLife();
      recorder.userStarted(nowUs());
      next.user.start();
    }
    startRest();
  };
  const startRest = (): void => {
    const [next] = waiting;
    if (next === undefined || over) return;
    if (isDue(next, nowUs())) setImmediate(startSome);
    else timer = setTimeout(startSome, (next.startUs - nowUs()) / 1000);
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
    enter: (user, startUs = 0) => {
      users.add(user);
      waiting.push({ user, startUs });
      setAside += 1;
    },
    leave: (user) => {
      if (!users.delete(user) || over) return;
      recorder.userEnded(nowUs());
      if (users.size === 0) end(0, null);
    },
    sawLife,
    sawNoConnection: () => {
      unreachable = true;
    },
    startUsers: () => {
      waiting.sort((a, b) => a.startUs - b.startUs);
      startSome();
    },
    drain: () => {
      left = 0;
      clearTimeout(timer);
      for (const { user } of waiting.splice(0)) {
        user.cut();
        users.delete(user);
      }
      if (users.size === 0 && !over) end(0, null);
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
