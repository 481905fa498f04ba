import { performance } from "node:perf_hooks";
import type { Recorder } from "./recorder.js";

/** A user of a closed loop, who sends the next request when the last is answered; or all of an open loop. */
export interface LoadUser {
  readonly start: () => void;
  /** Ends it at once and tells how many requests were open. */
  readonly cut: () => number;
}

/** How a run ended. */
export interface RunEnd {
  /** Requests that were still open. */
  readonly inFlight: number;
  /** When it was cut, in microseconds from the common start; `null` when it ended by itself. */
  readonly stoppedUs: number | null;
}

/** Users started in one turn of the event loop: more would keep the first answers waiting and lengthen their latency. */
const USERS_PER_TURN = 32;

/** One load that is being sent: what its users share (the budget of requests, the clock), and its end. */
export class LoadRun {
  readonly recorder: Recorder;
  /** Resolves when the last user has left, with what was still open then. */
  readonly ended: Promise<RunEnd>;
  /** Microseconds from the common start to the zero of `performance.now()`. */
  #offsetUs = 0;
  readonly #users = new Set<LoadUser>();
  /** Those that have not started, in the order in which they are to. */
  readonly #waiting: { readonly user: LoadUser; readonly startUs: number }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #left: number;
  /** Requests of the budget that are the first ones of their users. */
  #setAside = 0;
  #isOver = false;
  #lastLifeMs = performance.now();
  #isUnreachable = false;
  #resolveEnd: (end: RunEnd) => void = () => {};

  /**
   * Creates a run without users, which they enter before it is started.
   *
   * @param requests budget of requests shared by all users, at least one for each of them; by default there is none, and the run
   *   ends by `drain` or `cut`.
   */
  constructor(recorder: Recorder, requests = Infinity) {
    this.recorder = recorder;
    this.#left = requests;
    this.ended = new Promise((resolve) => {
      this.#resolveEnd = resolve;
    });
  }

  /** Microseconds from the common start, once the run is started. */
  nowUs(): number {
    return performance.now() * 1000 + this.#offsetUs;
  }

  /**
   * Takes one request from the budget; `false` when there is none left or the run is ending. Every user's first request is set
   * aside for it, so that quick users cannot keep slow ones from ever connecting.
   */
  take(first: boolean): boolean {
    if (this.#isOver || this.#left <= (first ? 0 : this.#setAside)) return false;
    this.#left -= 1;
    if (first) this.#setAside -= 1;
    return true;
  }

  /** `startUs`: when the user is to start, in microseconds from the common start; with the run by default. */
  enter(user: LoadUser, startUs = 0): void {
    this.#users.add(user);
    this.#waiting.push({ user, startUs });
    this.#setAside += 1;
  }

  leave(user: LoadUser): void {
    if (!this.#users.delete(user) || this.#isOver) return;
    this.recorder.users(this.nowUs(), -1);
    if (this.#users.size === 0) this.#end(0, null);
  }

  /** A connection was established or an answer came: the target is alive. */
  sawLife(): void {
    this.#lastLifeMs = performance.now();
    this.#isUnreachable = false;
  }

  /** A request failed without ever having had a connection. */
  sawNoConnection(): void {
    this.#isUnreachable = true;
  }

  /** For how long nothing was seen of a target that cannot be connected to, in ms; 0 while it can, however slow it is. */
  unreachableMs(): number {
    return this.#isUnreachable ? performance.now() - this.#lastLifeMs : 0;
  }

  /**
   * Starts the users, each when it is time; until then it sends nothing and keeps nobody waiting.
   *
   * @param offsetUs microseconds from the common start to the zero of `performance.now()`.
   */
  start(offsetUs: number): void {
    this.#offsetUs = offsetUs;
    this.sawLife();
    this.#waiting.sort((a, b) => a.startUs - b.startUs);
    this.#startSome();
  }

  /** Sends nothing new; the run ends when the open requests have ended. */
  drain(): void {
    this.#left = 0;
    for (const { user } of this.#waiting.splice(0)) {
      user.cut();
      this.#users.delete(user);
    }
    if (this.#users.size === 0 && !this.#isOver) this.#end(0, null);
  }

  /** Ends the run now; open requests are `inFlight`. */
  cut(): void {
    if (this.#isOver) return;
    const stoppedUs = this.nowUs();
    this.#isOver = true;
    this.#end(
      [...this.#users].reduce((sum, user) => sum + user.cut(), 0),
      stoppedUs,
    );
  }

  #end(inFlight: number, stoppedUs: number | null): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#resolveEnd({ inFlight, stoppedUs });
  }

  #startSome(): void {
    const atUs = Math.max(0, this.nowUs());
    for (let started = 0; started < USERS_PER_TURN; started += 1) {
      const [next] = this.#waiting;
      if (next === undefined || this.#isOver) return;
      if (next.startUs > atUs) {
        this.#timer = setTimeout(() => this.#startSome(), (next.startUs - this.nowUs()) / 1000);
        return;
      }
      this.#waiting.shift();
      // Of a target that nobody has asked for anything nothing could be seen.
      if (this.#users.size === this.#waiting.length + 1) this.sawLife();
      this.recorder.users(this.nowUs(), 1);
      next.user.start();
    }
    setImmediate(() => this.#startSome());
  }
}

/** The first wait before a connection is tried again, in ms. */
export const FIRST_BACKOFF_MS = 10;
/** The longest wait, in ms: short enough to notice soon that a target is back. */
export const LONGEST_BACKOFF_MS = 250;

/** How long a user waits that finds no connection, so that a target that is gone is not asked in a hot loop. */
export class Backoff {
  #waitMs = FIRST_BACKOFF_MS;

  /** The next wait in ms: 10 at first, twice as long each time, at most 250. */
  nextMs(): number {
    const now = this.#waitMs;
    this.#waitMs = Math.min(now * 2, LONGEST_BACKOFF_MS);
    return now;
  }

  /** Starts from the beginning, once a connection was there. */
  reset(): void {
    this.#waitMs = FIRST_BACKOFF_MS;
  }
}

/** Watches the time of whatever is under way. */
export interface TimeWatch {
  readonly stop: () => void;
}

/**
 * Calls `giveUp` when what is under way has taken `timeoutMs`, again and again until it is stopped. One timer for all
 * requests of a user, set anew only when it rings: most requests end long before.
 *
 * @param elapsedMs how long the request that is open has taken; 0 without one.
 */
export function watchTime(timeoutMs: number, elapsedMs: () => number, giveUp: () => void): TimeWatch {
  let timer: NodeJS.Timeout;
  const wait = (leftMs: number): void => {
    timer = setTimeout(() => {
      const takenMs = elapsedMs();
      if (takenMs < timeoutMs) return wait(timeoutMs - takenMs);
      giveUp();
      wait(timeoutMs);
    }, leftMs);
  };
  wait(timeoutMs);
  return { stop: () => clearTimeout(timer) };
}
