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

/** A fault that can be done, and in which states. */
interface Deed {
  readonly to: readonly State[];
  readonly act: (deed: FaultDeed) => Promise<unknown>;
}

type Deeds = Partial<Readonly<Record<FaultKind, Deed>>>;

/** Throws an `Error` that names the part and its state, if it is in none of `to`. */
function insistOn(called: string, to: readonly State[], state: State): void {
  if (to.includes(state)) return;
  const is = { running: to.includes("paused") ? "not paused" : "running", paused: "paused", over: "not running" };
  throw new Error(`${called} is ${is[state]}`);
}

/** How long a deed may take, and requests under way at the end of a life, in ms. */
const LIMIT_MS = 6000;

/** Follows a server, or a part of one, through its lives. A life that a fault or `stop` has ended has not died. */
export function createLives<L extends Life>({ name, role, first, begin, deeds = {}, members }: Lived<L>) {
  const halts = createHalts();
  const questions = createQuestions();
  /** Lives that were asked to end. */
  const ended = new WeakSet<L>();
  const stopping = new AbortController();
  let now: Now<L>;
  let tellDeath: (how: string) => void = () => {};
  const died = new Promise<string>((resolve) => (tellDeath = resolve));

  const lifeNow = (): L | undefined => (now.is === "over" ? undefined : now.life);
  /** The life; throws if the server is none of `to`. */
  const lifeIn = (to: readonly ("running" | "paused")[]): L => {
    insistOn(name, to, now.is);
    return lifeNow() as L;
  };
  const follow = (one: L): void => {
    now = { is: "running", life: one };
    void one.died.then((how) => void (ended.has(one) || tellDeath(how)));
  };
  follow(first);

  const bury = (one: L): Promise<void> => {
    const burial = one.stop();
    burial.catch(() => {});
    now = { is: "over", burial };
    halts.forget();
    questions.settle();
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
        // The fault has taken effect: the rest, such as removing files, need not be waited for.
        void bury(one);
      },
    },
    start: {
      to: ["over"],
      act: async () => {
        if (now.is === "over") await now.burial;
        follow(await begin(stopping.signal));
      },
    },
    stop: {
      to: ["running"],
      act: async () => {
        const one = lifeIn(["running"]);
        const pids = halts.with(one.pids());
        ended.add(one);
        // Counts are asked for before the end, because not every server tells them at its end. Requests that take too long are cut off.
        await inTime(questions.countAll(false)).catch(() => {});
        const counting = inTime(questions.countAll(true)).catch(() => {});
        await inTime(one.finish()).catch(() => {});
        await counting;
        await bury(one);
        await waitUntilSeen(() => pids.every(isGone), `the processes of ${name} to be gone`);
        // A paused member ignores signals until it goes on.
        await releaseProcesses(pids);
      },
    },
    pause: {
      to: ["running"],
      act: async () => {
        const life = lifeIn(["running"]);
        now = { is: "paused", life };
        questions.giveUp();
        await halts.halt(life.pids());
      },
    },
    resume: {
      to: ["paused"],
      act: async () => {
        const life = lifeIn(["paused"]);
        await resumeProcesses(halts.with(life.pids()));
        now = { is: "running", life };
        halts.forget();
      },
    },
    ...Object.fromEntries(
      Object.entries(deeds).map(([kind, act]): [string, Deed] => [
        kind,
        {
          to: ["running"],
          act: async (deed) => {
            // A paused process would do the deed only after it has been given up.
            if (halts.areSome()) throw new Error(`a process of ${name} is paused`);
            await inTime(act(lifeIn(["running"]), deed));
          },
        },
      ]),
    ),
  };

  const memberDeeds = (called: string, index: number, { pids, expectDeath, begin: beginMember }: Members<L>): Deeds => {
    const pid = (): number => {
      const one = pids(lifeIn(["running"]))[index];
      if (one === undefined) throw new Error(`${called} is not running`);
      return one;
    };
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
          const resumed = pid();
          await resumeProcesses([resumed]);
          halts.forget([resumed]);
        },
      },
    };
  };
  const memberState = (index: number, { pids }: Members<L>): State => {
    const pid = pids(lifeIn(["running"]))[index];
    if (pid === undefined || isGone(pid)) return "over";
    return halts.has(pid) ? "paused" : "running";
  };

  /** The deed under way: deeds are done one after the other. */
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
    if (now.is !== "over") {
      const { life } = now;
      ended.add(life);
      // A paused process cannot end by itself. If it cannot be resumed, stopping kills it.
      if (halts.areSome()) await resumeProcesses(halts.with(life.pids())).catch(() => {});
      await bury(life);
    } else await now.burial;
  };

  /** Asks the life a question; `undefined` if it is over or paused, or becomes so before it has answered. */
  const ask = async <T>(question: (one: L) => Promise<T>): Promise<T | undefined> => {
    const one = lifeNow();
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
    processesNow: () => lifeNow()?.watched() ?? [],
    parts: [
      partOf(name, own, () => now.is),
      ...(members?.names.map((called, index) =>
        partOf(called, memberDeeds(called, index, members), () => memberState(index, members)),
      ) ?? []),
    ],
    died,
    stop: () => (stopped ??= end()),
  };
  return {
    /** The part of a `RunningServer` that follows from its lives. */
    server,
    ask,
    /** Has the life do something; rejects if it is over or paused, or does not answer in time. */
    demand: async (deed: (one: L) => Promise<unknown>): Promise<void> => {
      await inTime(deed(lifeIn(["running"])));
    },
    /**
     * Makes a count over all lives. A life that cannot be asked counts with its last answer. The last question of a life (`isLast`), just
     * before it finishes, may be answered at its end.
     */
    tally: <T>(
      question: (one: L, isLast: boolean) => Promise<T>,
      none: T,
      add: (sum: T, more: T) => T,
    ): (() => Promise<T>) => {
      let [before, told] = [none, none];
      const count = async (isLast = false): Promise<T> => {
        const asked = lifeNow();
        const answer = await ask((one) => question(one, isLast));
        if (answer !== undefined && asked === lifeNow()) told = answer;
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
