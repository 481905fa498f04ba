import { performance } from "node:perf_hooks";
import type { HeldRecord, Recorder } from "./recorder.js";

/** A user of a closed loop, who sends the next request when the last is answered; or the sender of an open loop. */
export interface LoadUser {
  readonly start: () => void;
  /** Ends the user at once and returns how many requests were open. */
  readonly cut: () => number;
}

/** How a run ended: requests that were open, and when it was cut, in microseconds on its clock (`null` if it was not). */
type RunEnd = Readonly<{ inFlight: number; stoppedUs: number | null }>;

/** Enters an open request in the record that begins now. Returns for how long it has been open, in microseconds; `null` without one. */
type Carry = (nowUs: number) => number | null;

/** What was seen of a load before it is measured. */
export interface Fill {
  readonly tookMs: number;
  readonly users: number;
  /** Users who have had an outcome. */
  readonly answered: number;
  /** Answers per second, in the last wait. */
  readonly pace: number;
}

/** A server may close a connection that is idle for longer: Node does after five seconds. */
const LONGEST_HOLD_MS = 3000;
const HOLD_LOOK_MS = 250;

/** Users started in one turn of the event loop: more would keep the first answers waiting and lengthen their latency. */
const USERS_PER_TURN = 32;

/** How a connection is lost: closed in order by the server, reset, or given up by the user. */
export type Loss = keyof HeldRecord["lost"];

/** Counts the connections of one user, or of users who share one. */
export interface ConnectionCount {
  /** A connection was established. */
  readonly established: () => void;
  /** No connection could be established; `code` says why. */
  readonly failed: (code: string | undefined) => void;
  /** The connection was closed, by either side; `how` it was lost, where it was. */
  readonly closed: (how?: Loss) => void;
}

/** Codes of a connection for which this machine has no descriptor, port or memory left. */
const LACKING: ReadonlySet<string | undefined> = new Set(["EMFILE", "ENFILE", "EADDRNOTAVAIL", "ENOBUFS", "ENOMEM"]);

/** A load while it is sent: what its users share (the budget of requests, the clock), and its end. */
export class LoadRun {
  /** The record of now; {@link measure} begins another one. */
  recorder: Recorder;
  /** Resolves when the last user has left. */
  readonly ended: Promise<RunEnd>;
  #offsetUs = 0;
  readonly #users = new Set<LoadUser>();
  readonly #waiting: { readonly user: LoadUser; readonly startUs: number }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #left: number;
  /** Requests of the budget that are set aside as the first ones of users. */
  #setAside = 0;
  #isOver = false;
  #lastLifeMs = 0;
  #isUnreachable = false;
  /** Before measuring: the outcome that is awaited of each user, how many have had it, and what to call then. */
  #round = 0;
  #reached = 0;
  #answered = 0;
  #onReached: () => void = () => {};
  #isHolding = false;
  /** Users who wait until the others have had an answer, in order. */
  #heldBack: { readonly goOn: () => void; readonly sinceMs: number }[] = [];
  readonly #carries: Carry[] = [];
  #beganUs = 0;
  #isFilling = false;
  #isStarted = false;
  /** Users with a connection now, the most there were at a time, and all who ever had one. */
  readonly #connected = { now: 0, most: 0, ever: 0 };
  #isLacking = false;
  /** What became of all connections until the load was cut: from the first one on, and how many were open at two moments. */
  readonly held = { atStart: 0, alive: 0, established: 0, lost: { closed: 0, reset: 0, givenUp: 0 } };
  #resolveEnd: (end: RunEnd) => void = () => {};

  /** `requests`: the budget of all users, at least one for each of them; without one the run ends by `drain` or `cut`. */
  constructor(recorder: Recorder, requests = Infinity) {
    this.recorder = recorder;
    this.#left = requests;
    this.ended = new Promise((resolve) => {
      this.#resolveEnd = resolve;
    });
  }

  /** Microseconds from the start of the run, once it is started. */
  nowUs(): number {
    return performance.now() * 1000 + this.#offsetUs;
  }

  /** For how long the load has been measured, in ms. */
  measuredMs(): number {
    return (this.nowUs() - this.#beganUs) / 1000;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the load is measured by now. */
  get isMeasured(): boolean {
    return this.#isStarted && !this.#isFilling;
  }

  /** A request has its outcome. `round` is the round in which its user was counted last; returns the round in which it is counted now. */
  reach(round: number): number {
    if (round === this.#round) return round;
    this.#reached += 1;
    if (round === 0) this.#answered += 1;
    this.#onReached();
    return this.#round;
  }

  /** Whether a user who has had an outcome is to wait for the others; then `goOn` is called later. */
  holds(goOn: () => void): boolean {
    if (this.#isHolding) this.#heldBack.push({ goOn, sinceMs: performance.now() });
    return this.#isHolding;
  }

  /** Has a requester called when measuring begins, because its request may be open then. */
  watch(carry: Carry): void {
    this.#carries.push(carry);
  }

  /**
   * Starts the users, and resolves when each of them has had an outcome, the limit is met, or the run is over. Users with an outcome wait for
   * the others, three seconds at most: a busy server may accept next to no connections.
   */
  async fill(limitMs: number): Promise<Fill> {
    this.#isFilling = true;
    this.#isHolding = true;
    const looking = setInterval(() => this.#release(performance.now() - LONGEST_HOLD_MS), HOLD_LOOK_MS);
    try {
      return await this.#waitForRound(limitMs, this.#users.size, () => this.start(-performance.now() * 1000));
    } finally {
      clearInterval(looking);
    }
  }

  /** Lets the users go on. Resolves when all who have had an outcome have had another, the limit is met, or the run is over. */
  settle(limitMs: number): Promise<Fill> {
    return this.#waitForRound(limitMs, this.#answered, () => {
      this.#isHolding = false;
      this.#release();
    });
  }

  async #waitForRound(limitMs: number, users: number, begin: () => void): Promise<Fill> {
    const startMs = performance.now();
    const before = this.recorder.answers();
    this.#round += 1;
    this.#reached = 0;
    let limit: NodeJS.Timeout | undefined;
    const reached = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, limitMs);
      this.#onReached = () => {
        if (this.#reached >= users) resolve();
      };
      begin();
      if (users === 0) resolve();
    });
    await Promise.race([reached, this.ended]);
    clearTimeout(limit);
    const tookMs = performance.now() - startMs;
    const pace = ((this.recorder.answers() - before) / tookMs) * 1000;
    return { tookMs, users: this.#users.size, answered: this.#answered, pace };
  }

  /** Lets the waiting users go on, some in each turn of the event loop as at the start. */
  #release(untilMs = Infinity): void {
    for (let released = 0; released < USERS_PER_TURN; released += 1) {
      const [next] = this.#heldBack;
      if (next === undefined || next.sinceMs > untilMs || this.#isOver) return;
      this.#heldBack.shift();
      next.goOn();
    }
    setImmediate(() => this.#release(untilMs));
  }

  /**
   * Begins to measure a load that goes on, with a new record whose seconds count from now. Open requests count as sent in it; their latency
   * counts from when they left. Returns how many requests are open, and for how long in all.
   */
  measure(createRecorder: (originUs: number) => Recorder): { readonly carried: number; readonly carriedMs: number } {
    const nowUs = this.nowUs();
    this.#isFilling = false;
    this.#onReached = () => {};
    this.#beganUs = nowUs;
    this.recorder = createRecorder(nowUs);
    this.held.atStart = this.#connected.now;
    this.recorder.counts.established = this.#connected.now;
    this.recorder.counts.opened = this.#opened();
    this.recorder.users(nowUs, this.#users.size);
    const ages = this.#carries.flatMap((carry) => carry(nowUs) ?? []);
    return { carried: ages.length, carriedMs: ages.reduce((sum, us) => sum + us, 0) / 1000 };
  }

  /**
   * Users who ever had a connection. If this machine could not open one: the most who had one at a time, because others can connect only
   * when these have closed theirs.
   */
  #opened(): number {
    return this.#isLacking ? this.#connected.most : this.#connected.ever;
  }

  /** Takes a request from the budget, if one is left. One for each user is set aside, so that quick users leave one to slow ones. */
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

  /** Begins to count connections. */
  countConnections(): ConnectionCount {
    const connected = this.#connected;
    let isFirst = true;
    let has = false;
    const set = (hasNow: boolean): void => {
      if (has !== hasNow) connected.now += hasNow ? 1 : -1;
      has = hasNow;
      connected.most = Math.max(connected.most, connected.now);
      this.recorder.counts.opened = this.#opened();
    };
    return {
      established: () => {
        this.recorder.counts.established += 1;
        this.held.established += 1;
        if (isFirst) connected.ever += 1;
        isFirst = false;
        set(true);
        this.sawLife();
      },
      failed: (code) => {
        if (LACKING.has(code)) this.#isLacking = true;
        set(false);
      },
      closed: (how) => {
        if (how !== undefined) this.held.lost[how] += 1;
        set(false);
      },
    };
  }

  /** A connection was established or an answer came: the target is alive. */
  sawLife(): void {
    this.#lastLifeMs = performance.now();
    this.#isUnreachable = false;
  }

  /** A request that left at `leftUs` failed without ever having had a connection. What nobody asked before then is no silence. */
  sawNoConnection(leftUs: number): void {
    if (!this.#isUnreachable) this.#lastLifeMs = Math.max(this.#lastLifeMs, (leftUs - this.#offsetUs) / 1000);
    this.#isUnreachable = true;
  }

  /** For how long nothing was seen of a target that accepts no connection, in ms; 0 if it accepts one, however slow it is. */
  unreachableMs(): number {
    return this.#isUnreachable ? performance.now() - this.#lastLifeMs : 0;
  }

  /** Starts each user at its time. `offsetUs`: microseconds from the start of the run to the zero of `performance.now()`. */
  start(offsetUs: number): void {
    this.#offsetUs = offsetUs;
    this.#isStarted = true;
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
    this.held.alive = this.#connected.now;
    const inFlight = [...this.#users].reduce((sum, user) => sum + user.cut(), 0);
    // A load that was never measured has no record.
    if (this.#isFilling) this.#end(0, null);
    else this.#end(inFlight, stoppedUs);
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
      // Without a request nothing can be seen of a target.
      if (this.#users.size === this.#waiting.length + 1) this.sawLife();
      this.recorder.users(this.nowUs(), 1);
      next.user.start();
    }
    setImmediate(() => this.#startSome());
  }
}
