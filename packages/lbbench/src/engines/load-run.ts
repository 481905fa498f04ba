import { performance } from "node:perf_hooks";
import type { Recorder } from "./recorder.js";

/** A user of a closed loop, who sends the next request when the last is answered; or all of an open loop. */
export interface LoadUser {
  readonly start: () => void;
  /** Ends it at once and tells how many requests were open. */
  readonly cut: () => number;
}

/** How a run ended: requests that were open, and when it was cut, in microseconds from the common start (`null` if it was not). */
type RunEnd = Readonly<{ inFlight: number; stoppedUs: number | null }>;

/** Users started in one turn of the event loop: more would keep the first answers waiting and lengthen their latency. */
const USERS_PER_TURN = 32;

/** Counts the connections of one user, or of some who share one at a time. */
export interface ConnectionCount {
  /** A connection is established. */
  readonly established: () => void;
  /** None could be established; `code` says why. */
  readonly failed: (code: string | undefined) => void;
  /** It is closed, whoever closed it. */
  readonly closed: () => void;
}

/** Codes of a connection for which this machine has no descriptor, port or memory left. */
const LACKING: ReadonlySet<string | undefined> = new Set(["EMFILE", "ENFILE", "EADDRNOTAVAIL", "ENOBUFS", "ENOMEM"]);

/** One load that is being sent: what its users share (the budget of requests, the clock), and its end. */
export class LoadRun {
  readonly recorder: Recorder;
  /** Resolves when the last user has left. */
  readonly ended: Promise<RunEnd>;
  #offsetUs = 0;
  readonly #users = new Set<LoadUser>();
  readonly #waiting: { readonly user: LoadUser; readonly startUs: number }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #left: number;
  /** Requests of the budget that are the first ones of their users. */
  #setAside = 0;
  #isOver = false;
  #lastLifeMs = 0;
  #isUnreachable = false;
  /** Users with a connection now, the most there were at a time, and all who ever had one. */
  readonly #connected = { now: 0, most: 0, ever: 0 };
  #isLacking = false;
  #resolveEnd: (end: RunEnd) => void = () => {};

  /** `requests`: the budget of all users, at least one for each of them; without one the run ends by `drain` or `cut`. */
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

  /** Takes a request from the budget, if one is left. That of each user's first is set aside: quick users cannot keep slow ones out. */
  take(first: boolean): boolean {
    if (this.#isOver || this.#left <= (first ? 0 : this.#setAside)) return false;
    this.#left -= 1;
    if (first) this.#setAside -= 1;
    return true;
  }

  /** `startUs`: when the user is to start, in microseconds from the common start. */
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

  /**
   * Begins to count connections. Those that are opened are all users who ever had one. Where this machine could not open one, they are the
   * most who had one at a time: others can connect when these have given theirs back.
   */
  countConnections(): ConnectionCount {
    const { counts } = this.recorder;
    const connected = this.#connected;
    let isFirst = true;
    let has = false;
    const set = (hasNow: boolean): void => {
      if (has !== hasNow) connected.now += hasNow ? 1 : -1;
      has = hasNow;
      connected.most = Math.max(connected.most, connected.now);
      counts.opened = this.#isLacking ? connected.most : connected.ever;
    };
    return {
      established: () => {
        counts.established += 1;
        if (isFirst) connected.ever += 1;
        isFirst = false;
        set(true);
        this.sawLife();
      },
      failed: (code) => {
        if (LACKING.has(code)) this.#isLacking = true;
        set(false);
      },
      closed: () => set(false),
    };
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

  /** Starts the users, each when it is time. `offsetUs`: microseconds from the common start to the zero of `performance.now()`. */
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
