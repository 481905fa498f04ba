/** A server whose processes can be ended, halted and started anew while it is measured. */
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

/** What runs from a start to an end. */
export interface Life {
  /** Its processes as of now, before each what has started it. */
  readonly pids: () => readonly number[];
  /** Those to watch. */
  readonly watched: () => readonly WatchedProcess[];
  /** Resolves with a description when it ends unasked. */
  readonly died: Promise<string>;
  /** Sends it the signal by which it ends when what is under way is done; resolves when it has. */
  readonly finish: () => Promise<unknown>;
  /** Ends it and waits until nothing is left of it. */
  readonly stop: () => Promise<void>;
}

/** Processes of a life that are parts of their own: workers of a cluster. */
export interface Members<L extends Life> {
  readonly names: readonly string[];
  /** In the order of the names; `undefined` for one whose death was expected. */
  readonly pids: (life: L) => readonly (number | undefined)[];
  /** Has the life not tell that this one has died. */
  readonly expectDeath: (life: L, pid: number) => void;
  /** Starts another in the place of one that has ended. */
  readonly begin: (life: L, index: number) => Promise<unknown>;
}

/** What lives, what it is called, and what can be done to it beside `kill`, `start`, `stop`, `pause` and `resume`. */
export interface Lived<L extends Life> {
  readonly name: string;
  readonly role: Role;
  readonly first: L;
  /** Starts it at the same address with the same options; resolves when it answers there. */
  readonly begin: (signal: AbortSignal) => Promise<L>;
  /** Done to a life that runs. */
  readonly deeds?: Partial<Readonly<Record<FaultKind, (life: L, deed: FaultDeed) => Promise<unknown>>>>;
  readonly members?: Members<L>;
}

/** What a server, or a part of it, is at a time. */
type State = "running" | "paused" | "over";

/** Something that can be done, and the state that it takes. */
interface Deed {
  readonly to: readonly State[];
  readonly act: (deed: FaultDeed) => Promise<unknown>;
}

type Deeds = Partial<Readonly<Record<FaultKind, Deed>>>;

/** Throws an `Error` that says why something cannot be done to what is called so. */
function insistOn(called: string, to: readonly State[], state: State): void {
  if (to.includes(state)) return;
  const is = { running: to.includes("paused") ? "not paused" : "running", paused: "paused", over: "not running" };
  throw new Error(`${called} is ${is[state]}`);
}

/** How long a deed, and what is under way at the end of a life, may take, in ms. */
const LIMIT_MS = 6000;

/** Follows something through its lives. What a fault or `stop` ended has not died. */
export function createLives<L extends Life>({ name, role, first, begin, deeds = {}, members }: Lived<L>) {
  const halts = createHalts();
  const questions = createQuestions();
  /** Lives whose end was asked for. */
  const ended = new WeakSet<L>();
  const stopping = new AbortController();
  let life: L | undefined = first;
  let isPaused = false;
  /** The end of what is left of a life that is over. */
  let burial: Promise<void> = Promise.resolve();
  let tellDeath: (how: string) => void = () => {};
  const died = new Promise<string>((resolve) => (tellDeath = resolve));

  const state = (): State => (life === undefined ? "over" : isPaused ? "paused" : "running");
  /** The life that there is in some states. */
  const lifeIn = (to: readonly State[]): L => {
    insistOn(name, to, state());
    return life as L;
  };
  const follow = (one: L): void => {
    life = one;
    void one.died.then((how) => void (ended.has(one) || tellDeath(how)));
  };
  follow(first);

  const bury = (one: L): Promise<void> => {
    life = undefined;
    isPaused = false;
    halts.forget();
    questions.settle();
    burial = one.stop();
    burial.catch(() => {});
    return burial;
  };
  const inTime = <T>(doing: Promise<T>): Promise<T> => withinLimit(doing, stopping.signal);

  const own: Deeds = {
    kill: {
      to: ["running", "paused"],
      act: async () => {
        const one = lifeIn(["running", "paused"]);
        ended.add(one);
        await killProcesses(one.pids());
        // It has taken effect; what is left, such as files, need not be waited for.
        void bury(one);
      },
    },
    start: {
      to: ["over"],
      act: async () => {
        await burial;
        follow(await begin(stopping.signal));
      },
    },
    stop: {
      to: ["running"],
      act: async () => {
        const one = lifeIn(["running"]);
        const pids = halts.with(one.pids());
        ended.add(one);
        // Before, as not everything tells at its end what it has done until then. What takes longer is cut off.
        await inTime(questions.countAll(false)).catch(() => {});
        const counting = inTime(questions.countAll(true)).catch(() => {});
        await inTime(one.finish()).catch(() => {});
        await counting;
        await bury(one);
        await waitUntilSeen(() => pids.every(isGone), `the processes of ${name} to be gone`);
        // A member may have been halted, and is now nobody's to kill.
        await releaseProcesses(pids);
      },
    },
    pause: {
      to: ["running"],
      act: async () => {
        isPaused = true;
        questions.giveUp();
        await halts.halt(lifeIn(["paused"]).pids());
      },
    },
    resume: {
      to: ["paused"],
      act: async () => {
        await resumeProcesses(halts.with(lifeIn(["paused"]).pids()));
        isPaused = false;
        halts.forget();
      },
    },
    ...Object.fromEntries(
      Object.entries(deeds).map(([kind, act]): [string, Deed] => [
        kind,
        {
          to: ["running"],
          act: async (deed) => {
            // It would do it later, when it has long been given up.
            if (halts.areSome()) throw new Error(`a process of ${name} is paused`);
            await inTime(act(lifeIn(["running"]), deed));
          },
        },
      ]),
    ),
  };

  const memberDeeds = (index: number, { pids, expectDeath, begin: beginMember }: Members<L>): Deeds => {
    const pid = (): number => pids(lifeIn(["running"]))[index] ?? -1;
    return {
      kill: {
        to: ["running", "paused"],
        act: async () => {
          const killed = pid();
          expectDeath(lifeIn(["running"]), killed);
          await killProcesses([killed]);
          halts.forget([killed]);
        },
      },
      start: { to: ["over"], act: () => inTime(beginMember(lifeIn(["running"]), index)) },
      pause: {
        to: ["running"],
        act: async () => {
          questions.giveUp();
          await halts.halt([pid()]);
        },
      },
      resume: {
        to: ["paused"],
        act: async () => {
          await resumeProcesses([pid()]);
          halts.forget([pid()]);
        },
      },
    };
  };
  const memberState = (index: number, { pids }: Members<L>): State => {
    const pid = pids(lifeIn(["running"]))[index];
    if (pid === undefined || isGone(pid)) return "over";
    return halts.has(pid) ? "paused" : "running";
  };

  /** What is being done; one thing after the other. */
  let busy: Promise<unknown> = Promise.resolve();
  const partOf = (called: string, can: Deeds, stateNow: () => State): FaultyPart => ({
    name: called,
    role: called === name ? role : "backend",
    can: Object.keys(can) as FaultKind[],
    apply: (asked) => {
      const doing = busy.then(async () => {
        stopping.signal.throwIfAborted();
        const deed = can[asked.kind];
        if (deed === undefined) {
          throw new Error(`${called}: expected one of ${Object.keys(can).join(", ")}, got ${asked.kind}`);
        }
        insistOn(called, deed.to, stateNow());
        await deed.act(asked);
      });
      busy = doing.catch(() => {});
      return doing;
    },
  });

  const end = async (): Promise<void> => {
    stopping.abort(new Error(`${name} is being stopped`));
    await busy;
    if (life !== undefined) {
      ended.add(life);
      // What is halted could not end by itself. What does not go on is killed in time.
      if (halts.areSome()) await resumeProcesses(halts.with(life.pids())).catch(() => {});
      await bury(life);
    }
    await burial;
  };

  /** Asks it something; `undefined` where it is over or halted, or is so before it has answered. */
  const ask = async <T>(question: (one: L) => Promise<T>): Promise<T | undefined> => {
    const one = life;
    if (one === undefined || halts.areSome()) return undefined;
    try {
      return await questions.untilGivenUp(question(one));
    } catch (error) {
      if (ended.has(one)) return undefined;
      throw error;
    }
  };

  let stopped: Promise<void> | undefined;
  const server: Required<Pick<RunningServer, "processes" | "processesNow" | "parts" | "died" | "stop">> = {
    processes: first.watched(),
    processesNow: () => life?.watched() ?? [],
    parts: [
      partOf(name, own, state),
      ...(members?.names.map((called, index) =>
        partOf(called, memberDeeds(index, members), () => memberState(index, members)),
      ) ?? []),
    ],
    died,
    stop: () => (stopped ??= end()),
  };
  return {
    /** What a server plugin returns of it. */
    server,
    ask,
    /** Has it do something; rejects where it is over or halted, or does not answer in time. */
    demand: async (deed: (one: L) => Promise<unknown>): Promise<void> => {
      await inTime(deed(lifeIn(["running"])));
    },
    /**
     * Makes what counts over all lives. Where one cannot be asked, it counts as far as it last told. What is asked last, just before a
     * life is to finish, may be answered at its end.
     */
    tally: <T>(
      question: (one: L, isLast: boolean) => Promise<T>,
      none: T,
      add: (sum: T, more: T) => T,
    ): (() => Promise<T>) => {
      let [before, told] = [none, none];
      const count = async (isLast = false): Promise<T> => {
        const asked = life;
        const answer = await ask((one) => question(one, isLast));
        if (answer !== undefined && asked === life) told = answer;
        return add(before, told);
      };
      questions.add(count, () => {
        before = add(before, told);
        told = none;
      });
      return () => count();
    },
  };
}

/** Processes that were halted, also such as have left their server since. */
function createHalts() {
  const halted = new Set<number>();
  return {
    areSome: () => halted.size > 0,
    has: (pid: number) => halted.has(pid),
    /** Some processes, and those that are halted, each once. */
    with: (pids: readonly number[]): readonly number[] => [...new Set([...pids, ...halted])],
    halt: async (pids: readonly number[]): Promise<void> => {
      for (const pid of pids) halted.add(pid);
      await pauseProcesses(pids);
    },
    /** Some of them go on, or are no more; all of them where none are named. */
    forget: (pids: readonly number[] = [...halted]): void => {
      for (const pid of pids) halted.delete(pid);
    },
  };
}

/** What is asked of a life again and again, and what waits for an answer. */
function createQuestions() {
  const counts: ((isLast: boolean) => Promise<unknown>)[] = [];
  const settlements: (() => void)[] = [];
  const waiting = new Set<() => void>();
  /** An answer of now may take for ever. */
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
    /** What was told last is what a life has come to. */
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

/** Rejects where something takes too long, or is no longer wanted. */
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
