/** A server whose processes can be killed, stopped, paused and started again while it is measured. */
import type { FaultDeed, FaultKind, FaultyPart, RunningServer } from "../plugin.js";
import type { Role, WatchedProcess } from "../model/usage.js";
import {
  isGone,
  killProcesses,
  pauseProcesses,
  releaseProcesses,
  resumeProcesses,
  waitUntilSeen,
} from "../system/signals.js";

/** A server, or a part of one, from a start to its end. */
export interface Life {
  /** Its processes now; a parent comes before its children. */
  readonly pids: () => readonly number[];
  /** The processes whose usage is measured. */
  readonly watched: () => readonly WatchedProcess[];
  /** Resolves with a description when it ends without being asked to. */
  readonly died: Promise<string>;
  /** Asks it to end when the requests under way are answered; resolves when it has ended. */
  readonly finish: () => Promise<unknown>;
  /** Ends it at once; resolves when none of its processes and files are left. */
  readonly stop: () => Promise<void>;
}

/** Processes of a life to which faults can be done one by one: the workers of a cluster. */
export interface Members<L extends Life> {
  readonly names: readonly string[];
  /** In the order of the names; `undefined` for a process whose death was expected. */
  readonly pids: (life: L) => readonly (number | undefined)[];
  /** Tells the life that the death of this process is no failure. */
  readonly expectDeath: (life: L, pid: number) => void;
  /** Starts another process in the place of one that has ended. */
  readonly begin: (life: L, index: number) => Promise<unknown>;
}

/** A server or a part of one: its name, its first life, and the deeds it knows beside `kill`, `start`, `stop`, `pause` and `resume`. */
export interface Lived<L extends Life> {
  readonly name: string;
  readonly role: Role;
  readonly first: L;
  /** Starts it at the same address with the same options; resolves when it answers there. */
  readonly begin: (signal: AbortSignal) => Promise<L>;
  /** Deeds to a life that runs. */
  readonly deeds?: Partial<Readonly<Record<FaultKind, (life: L, deed: FaultDeed) => Promise<unknown>>>>;
  readonly members?: Members<L>;
}

/** What a server, or a part of it, is. */
type State = "running" | "paused" | "over";

/** A server now: in a life, or after one, of which nothing is left when `burial` settles. */
type Now<L> =
  | { readonly is: "running" | "paused"; readonly life: L }
  | { readonly is: "over"; readonly burial: Promise<void> };

/** Throws an `Error` that names the part and its state, if it is in none of `to`. */
function insistOn(called: string, to: readonly State[], state: State): void {
  if (to.includes(state)) return;
  const is = { running: to.includes("paused") ? "not paused" : "running", paused: "paused", over: "not running" };
  throw new Error(`${called} is ${is[state]}`);
}

/** How long a deed may take, and requests under way at the end of a life, in ms. */
const LIMIT_MS = 6000;

/** A server in one life after another: what it is now, and what makes it that. */
class Lives<L extends Life> {
  readonly name: string;
  readonly halts = createHalts();
  readonly questions = createQuestions();
  /** Resolves when a life ends that was not asked to. */
  readonly died: Promise<string>;
  readonly #begin: Lived<L>["begin"];
  readonly #stopping = new AbortController();
  /** Lives that were asked to end. */
  readonly #asked = new WeakSet<L>();
  readonly #tellDeath: (how: string) => void;
  #now: Now<L>;
  /** The deed under way: deeds are done one after the other. */
  #busy: Promise<unknown> = Promise.resolve();

  constructor({ name, first, begin }: Lived<L>) {
    this.name = name;
    this.#begin = begin;
    let tellDeath: (how: string) => void = () => {};
    this.died = new Promise((resolve) => (tellDeath = resolve));
    this.#tellDeath = tellDeath;
    this.#now = this.#follow(first);
  }

  get state(): State {
    return this.#now.is;
  }

  get life(): L | undefined {
    return this.#now.is === "over" ? undefined : this.#now.life;
  }

  /** The life; throws an `Error` if the server is in none of the states. */
  lifeIn(...to: readonly ("running" | "paused")[]): L {
    insistOn(this.name, to, this.state);
    return this.life as L;
  }

  /** Whether a life was asked to end, so that its end is no death. */
  isAskedToEnd(life: L): boolean {
    return this.#asked.has(life);
  }

  askToEnd(life: L): void {
    this.#asked.add(life);
  }

  #follow(life: L): Now<L> {
    void life.died.then((how) => void (this.isAskedToEnd(life) || this.#tellDeath(how)));
    return { is: "running", life };
  }

  /** Starts the next life when nothing is left of the one before. */
  async begin(): Promise<void> {
    if (this.#now.is === "over") await this.#now.burial;
    this.#now = this.#follow(await this.#begin(this.#stopping.signal));
  }

  pause(): void {
    this.#now = { is: "paused", life: this.lifeIn("running") };
  }

  goOn(): void {
    this.#now = { is: "running", life: this.lifeIn("paused") };
  }

  /** Ends a life; resolves when nothing is left of it. */
  bury(life: L): Promise<void> {
    const burial = life.stop();
    burial.catch(() => {});
    this.#now = { is: "over", burial };
    this.halts.forget();
    this.questions.settle();
    return burial;
  }

  /** Rejects if something takes longer than a deed may, or when the server is stopped. */
  inTime<T>(doing: Promise<T>): Promise<T> {
    return withinLimit(doing, this.#stopping.signal);
  }

  /** Does something when what was asked for before is done; rejects when the server is stopped. */
  inTurn(act: () => Promise<unknown>): Promise<void> {
    const doing = this.#busy.then(async () => {
      this.#stopping.signal.throwIfAborted();
      await act();
    });
    this.#busy = doing.catch(() => {});
    return doing;
  }

  async end(): Promise<void> {
    this.#stopping.abort(new Error(`${this.name} is being stopped`));
    await this.#busy;
    if (this.#now.is === "over") return this.#now.burial;
    const { life } = this.#now;
    this.askToEnd(life);
    // A paused process cannot end by itself. If it cannot be resumed, stopping kills it.
    if (this.halts.areSome()) await resumeProcesses(this.halts.with(life.pids())).catch(() => {});
    await this.bury(life);
  }

  /** Asks the life a question; `undefined` if it is over or paused, or becomes so before it has answered. */
  async ask<T>(question: (life: L) => Promise<T>): Promise<T | undefined> {
    const { life } = this;
    if (life === undefined || this.halts.areSome()) return undefined;
    try {
      return await this.questions.untilGivenUp(question(life));
    } catch (error) {
      if (this.isAskedToEnd(life)) return undefined;
      throw error;
    }
  }
}

/** What can be done, and in which states. */
interface Deed {
  readonly to: readonly State[];
  readonly act: (deed: FaultDeed) => Promise<unknown>;
}

type Deeds = Partial<Readonly<Record<FaultKind, Deed>>>;

/** What can be done to a server, or to a part with a life of its own. */
function deedsTo<L extends Life>(lives: Lives<L>, { name, deeds = {} }: Lived<L>): Deeds {
  const { halts, questions } = lives;
  const kill = async (): Promise<void> => {
    const life = lives.lifeIn("running", "paused");
    lives.askToEnd(life);
    await killProcesses(life.pids());
    // The fault has taken effect: the rest, such as removing files, need not be waited for.
    void lives.bury(life);
  };
  const stop = async (): Promise<void> => {
    const life = lives.lifeIn("running");
    const pids = halts.with(life.pids());
    lives.askToEnd(life);
    // Counts are asked for before the end, because not every server tells them at its end. Requests that take too long are cut off.
    await lives.inTime(questions.countAll(false)).catch(() => {});
    const counting = lives.inTime(questions.countAll(true)).catch(() => {});
    await lives.inTime(life.finish()).catch(() => {});
    await counting;
    await lives.bury(life);
    await waitUntilSeen(() => pids.every(isGone), `the processes of ${name} to be gone`);
    // A paused member ignores signals until it goes on.
    await releaseProcesses(pids);
  };
  const pause = async (): Promise<void> => {
    lives.pause();
    questions.giveUp();
    await halts.halt(lives.lifeIn("paused").pids());
  };
  const resume = async (): Promise<void> => {
    await resumeProcesses(halts.with(lives.lifeIn("paused").pids()));
    lives.goOn();
    halts.forget();
  };
  const further = Object.entries(deeds).map(([kind, act]): [string, Deed] => {
    const doIt = async (deed: FaultDeed): Promise<void> => {
      // A paused process would do the deed only after it has been given up.
      if (halts.areSome()) throw new Error(`a process of ${name} is paused`);
      await lives.inTime(act(lives.lifeIn("running"), deed));
    };
    return [kind, { to: ["running"], act: doIt }];
  });
  return {
    kill: { to: ["running", "paused"], act: kill },
    start: { to: ["over"], act: () => lives.begin() },
    stop: { to: ["running"], act: stop },
    pause: { to: ["running"], act: pause },
    resume: { to: ["paused"], act: resume },
    ...Object.fromEntries(further),
  };
}

/** A member as a part that faults are done to, while the server runs. */
function memberPart<L extends Life>(lives: Lives<L>, members: Members<L>, index: number): FaultyPart {
  const { halts, questions } = lives;
  const name = members.names[index] ?? "";
  const pidNow = (): number | undefined => members.pids(lives.lifeIn("running"))[index];
  const pid = (): number => {
    const now = pidNow();
    if (now === undefined) throw new Error(`${name} is not running`);
    return now;
  };
  const kill = async (): Promise<void> => {
    const killed = pid();
    members.expectDeath(lives.lifeIn("running"), killed);
    await killProcesses([killed]);
    halts.forget([killed]);
  };
  const pause = async (): Promise<void> => {
    questions.giveUp();
    await halts.halt([pid()]);
  };
  const resume = async (): Promise<void> => {
    const resumed = pid();
    await resumeProcesses([resumed]);
    halts.forget([resumed]);
  };
  const can: Deeds = {
    kill: { to: ["running", "paused"], act: kill },
    start: { to: ["over"], act: () => lives.inTime(members.begin(lives.lifeIn("running"), index)) },
    pause: { to: ["running"], act: pause },
    resume: { to: ["paused"], act: resume },
  };
  const stateNow = (): State => {
    const now = pidNow();
    if (now === undefined || isGone(now)) return "over";
    return halts.has(now) ? "paused" : "running";
  };
  return { name, role: "backend", ...deedsInTurn(lives, can, { name, stateNow }) };
}

/** The deeds that a part can have done to it, one after the other over all parts of the server. */
function deedsInTurn<L extends Life>(
  lives: Lives<L>,
  can: Deeds,
  { name, stateNow }: { readonly name: string; readonly stateNow: () => State },
): Pick<FaultyPart, "can" | "apply"> {
  const apply = async (asked: FaultDeed): Promise<void> => {
    const deed = can[asked.kind];
    if (deed === undefined) {
      throw new Error(`${name}: expected one of ${Object.keys(can).join(", ")}, got ${asked.kind}`);
    }
    insistOn(name, deed.to, stateNow());
    await deed.act(asked);
  };
  return { can: Object.keys(can) as FaultKind[], apply: (asked) => lives.inTurn(() => apply(asked)) };
}

/** Follows a server, or a part of one, through its lives. A life that a fault or `stop` has ended has not died. */
export function createLives<L extends Life>(lived: Lived<L>) {
  const { name, role, first, members } = lived;
  const lives = new Lives(lived);
  const whole = deedsInTurn(lives, deedsTo(lives, lived), { name, stateNow: () => lives.state });
  const parts = members?.names.map((_, index) => memberPart(lives, members, index)) ?? [];
  let stopped: Promise<void> | undefined;
  const server: Required<Pick<RunningServer, "processes" | "processesNow" | "parts" | "died" | "stop">> = {
    processes: first.watched(),
    processesNow: () => lives.life?.watched() ?? [],
    parts: [{ name, role, ...whole }, ...parts],
    died: lives.died,
    stop: () => (stopped ??= lives.end()),
  };
  return {
    /** The part of a `RunningServer` that follows from its lives. */
    server,
    /** Asks the life a question; `undefined` if it is over or paused, or becomes so before it has answered. */
    ask: <T>(question: (life: L) => Promise<T>) => lives.ask(question),
    /** Has the life do something; rejects if it is over or paused, or does not answer in time. */
    demand: async (deed: (life: L) => Promise<unknown>): Promise<void> => {
      await lives.inTime(deed(lives.lifeIn("running")));
    },
    /**
     * Makes a count over all lives. A life that cannot be asked counts with its last answer. The last question of a life (`isLast`), just
     * before it finishes, may be answered at its end.
     */
    tally: <T>(
      question: (life: L, isLast: boolean) => Promise<T>,
      none: T,
      add: (sum: T, more: T) => T,
    ): (() => Promise<T>) => {
      let [before, told] = [none, none];
      const count = async (isLast = false): Promise<T> => {
        const asked = lives.life;
        const answer = await lives.ask((life) => question(life, isLast));
        if (answer !== undefined && asked === lives.life) told = answer;
        return add(before, told);
      };
      lives.questions.add(count, () => {
        before = add(before, told);
        told = none;
      });
      return () => count();
    },
  };
}

/** Processes that are paused, also if they have left their server since. */
function createHalts() {
  const halted = new Set<number>();
  return {
    areSome: () => halted.size > 0,
    has: (pid: number) => halted.has(pid),
    /** The given processes and all paused ones, each once. */
    with: (pids: readonly number[]): readonly number[] => [...new Set([...pids, ...halted])],
    halt: async (pids: readonly number[]): Promise<void> => {
      for (const pid of pids) halted.add(pid);
      await pauseProcesses(pids);
    },
    /** Processes that go on or have ended; all of them if none are given. */
    forget: (pids: readonly number[] = [...halted]): void => {
      for (const pid of pids) halted.delete(pid);
    },
  };
}

/** The counts that a life is asked for, and the questions that wait for an answer. */
function createQuestions() {
  const counts: ((isLast: boolean) => Promise<unknown>)[] = [];
  const settlements: (() => void)[] = [];
  const waiting = new Set<() => void>();
  /** Answers the open questions with `undefined`: a paused process may never answer them. */
  const giveUp = (): void => {
    for (const leave of waiting) leave();
  };
  return {
    add: (count: (isLast: boolean) => Promise<unknown>, settle: () => void): void => {
      counts.push(count);
      settlements.push(settle);
    },
    countAll: (isLast: boolean): Promise<unknown> => Promise.all(counts.map((count) => count(isLast))),
    giveUp,
    /** Ends a life: its last answers are its counts. */
    settle: (): void => {
      giveUp();
      for (const settle of settlements) settle();
    },
    untilGivenUp: async <T>(answer: Promise<T>): Promise<T | undefined> => {
      let leave = (): void => {};
      const left = new Promise<undefined>((resolve) => (leave = () => resolve(undefined)));
      waiting.add(leave);
      try {
        return await Promise.race([answer, left]);
      } finally {
        waiting.delete(leave);
      }
    },
  };
}

/** Rejects if the promise takes longer than the limit, or if the signal aborts. */
function withinLimit<T>(doing: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => settle(() => reject(signal.reason));
    const late = (): void => settle(() => reject(new Error(`Nothing was seen of it within ${LIMIT_MS} ms`)));
    const timer = setTimeout(late, LIMIT_MS);
    const settle = (tell: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      tell();
    };
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    doing.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}
