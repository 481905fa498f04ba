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

/** Something that can be done to a life that is neither over nor halted. */
export type Deed<L extends Life> = (life: L, deed: FaultDeed) => Promise<unknown>;

/** What lives, what it is called, and what can be done to it beside `kill`, `start`, `stop`, `pause` and `resume`. */
export interface Lived<L extends Life> {
  readonly name: string;
  readonly role: Role;
  readonly first: L;
  /** Starts it at the same address with the same options; resolves when it answers there. */
  readonly begin: (signal: AbortSignal) => Promise<L>;
  readonly deeds?: Partial<Readonly<Record<FaultKind, Deed<L>>>>;
  readonly members?: Members<L>;
}

/** How long a deed, and what is under way at the end of a life, may take, in ms. */
const LIMIT_MS = 6000;

/** Follows something through its lives. What a fault or `stop` ended has not died. */
export function createLives<L extends Life>({ name, role, first, begin, deeds = {}, members }: Lived<L>) {
  let life: L | undefined = first;
  let isPaused = false;
  /** Processes that were halted, also such as have left it since. */
  const halted = new Set<number>();
  const over = new WeakSet<L>();
  const stopping = new AbortController();
  /** What is being done; one thing after the other. */
  let busy: Promise<unknown> = Promise.resolve();
  /** The end of what is left of a life that is over. */
  let burial: Promise<void> = Promise.resolve();
  const counts: ((isLast: boolean) => Promise<unknown>)[] = [];
  const settlements: (() => void)[] = [];
  /** Has those who wait for an answer of it wait no longer. */
  const waiting = new Set<() => void>();
  let tellDeath: (how: string) => void = () => {};
  const died = new Promise<string>((resolve) => (tellDeath = resolve));

  const follow = (one: L): void => {
    void one.died.then((how) => void (over.has(one) || tellDeath(how)));
  };
  follow(first);

  /** Whoever waits for an answer of it now may wait for long. */
  const interruptQuestions = (): void => {
    for (const giveUp of waiting) giveUp();
  };

  const present = (): L => {
    if (life === undefined) throw new Error(`${name} is not running`);
    return life;
  };

  const awake = (): L => {
    const one = present();
    if (isPaused) throw new Error(`${name} is paused`);
    return one;
  };

  const countAll = (isLast = false): Promise<unknown> =>
    inTime(Promise.all(counts.map((count) => count(isLast))), stopping.signal).catch(() => {});

  const settleAll = (): void => {
    for (const settle of settlements) settle();
  };

  const bury = (one: L): Promise<void> => {
    life = undefined;
    isPaused = false;
    halted.clear();
    interruptQuestions();
    settleAll();
    burial = one.stop();
    burial.catch(() => {});
    return burial;
  };

  const own: Partial<Record<FaultKind, (deed: FaultDeed) => Promise<unknown>>> = {
    kill: async () => {
      const one = present();
      over.add(one);
      await killProcesses(one.pids());
      // It has taken effect; what is left, such as files, need not be waited for.
      void bury(one);
    },
    start: async () => {
      if (life !== undefined) throw new Error(`${name} is running`);
      await burial;
      const one = await begin(stopping.signal);
      life = one;
      follow(one);
    },
    stop: async () => {
      const one = awake();
      const pids = [...new Set([...one.pids(), ...halted])];
      over.add(one);
      // Before, as not everything tells at its end what it has done until then. What takes longer is cut off.
      await countAll();
      const counting = countAll(true);
      await inTime(one.finish(), stopping.signal).catch(() => {});
      await counting;
      await bury(one);
      await waitUntilSeen(() => pids.every(isGone), `the processes of ${name} to be gone`);
      // A member may have been halted, and is now nobody's to kill.
      await releaseProcesses(pids);
    },
    pause: async () => {
      const one = awake();
      isPaused = true;
      interruptQuestions();
      const pids = one.pids();
      for (const pid of pids) halted.add(pid);
      await pauseProcesses(pids);
    },
    resume: async () => {
      const one = present();
      if (!isPaused) throw new Error(`${name} is not paused`);
      await resumeProcesses([...new Set([...one.pids(), ...halted])]);
      isPaused = false;
      halted.clear();
    },
  };
  for (const [kind, deed] of Object.entries(deeds)) {
    own[kind as FaultKind] = async (asked) => {
      const one = awake();
      // It would do it later, when it has long been given up.
      if (halted.size > 0) throw new Error(`a process of ${name} is paused`);
      await inTime(deed(one, asked), stopping.signal);
    };
  }

  const memberDeeds = (called: string, index: number, { pids, expectDeath, begin: start }: Members<L>): typeof own => {
    const isRunning = (pid: number | undefined): pid is number => pid !== undefined && !isGone(pid);
    const find = (): number => {
      const pid = pids(awake())[index];
      if (!isRunning(pid)) throw new Error(`${called} is not running`);
      return pid;
    };
    return {
      kill: async () => {
        const pid = find();
        expectDeath(present(), pid);
        await killProcesses([pid]);
        halted.delete(pid);
      },
      start: async () => {
        const one = awake();
        if (isRunning(pids(one)[index])) throw new Error(`${called} is running`);
        await inTime(start(one, index), stopping.signal);
      },
      pause: async () => {
        const pid = find();
        halted.add(pid);
        interruptQuestions();
        await pauseProcesses([pid]);
      },
      resume: async () => {
        const pid = find();
        if (!halted.has(pid)) throw new Error(`${called} is not paused`);
        await resumeProcesses([pid]);
        halted.delete(pid);
      },
    };
  };

  const act = (deed: () => Promise<unknown>): Promise<void> => {
    const doing = busy.then(async () => {
      stopping.signal.throwIfAborted();
      await deed();
    });
    busy = doing.catch(() => {});
    return doing;
  };

  const partOf = (called: string, can: typeof own): FaultyPart => ({
    name: called,
    role: called === name ? role : "backend",
    can: Object.keys(can) as FaultKind[],
    apply: (deed) =>
      act(async () => {
        const doIt = can[deed.kind];
        if (doIt === undefined) {
          throw new Error(`${called}: expected one of ${Object.keys(can).join(", ")}, got ${deed.kind}`);
        }
        await doIt(deed);
      }),
  });

  let stopped: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    stopping.abort(new Error(`${name} is being stopped`));
    await busy;
    if (life !== undefined) {
      over.add(life);
      // What is halted could not end by itself. What does not go on is killed in time.
      if (halted.size > 0) await resumeProcesses([...new Set([...life.pids(), ...halted])]).catch(() => {});
      await bury(life);
    }
    await burial;
  };

  /** Asks it something; `undefined` where it is over or halted, or is so before it has answered. */
  const ask = async <T>(question: (one: L) => Promise<T>): Promise<T | undefined> => {
    const one = life;
    if (one === undefined || halted.size > 0) return undefined;
    let giveUp = (): void => {};
    const interrupted = new Promise<undefined>((resolve) => (giveUp = () => resolve(undefined)));
    waiting.add(giveUp);
    try {
      return await Promise.race([question(one), interrupted]);
    } catch (error) {
      if (over.has(one)) return undefined;
      throw error;
    } finally {
      waiting.delete(giveUp);
    }
  };

  const partsOf = (all: Members<L>): readonly FaultyPart[] =>
    all.names.map((called, index) => partOf(called, memberDeeds(called, index, all)));
  const server: Required<Pick<RunningServer, "processes" | "processesNow" | "parts" | "died" | "stop">> = {
    processes: first.watched(),
    processesNow: () => life?.watched() ?? [],
    parts: [partOf(name, own), ...(members === undefined ? [] : partsOf(members))],
    died,
    stop: () => (stopped ??= end()),
  };
  return {
    /** What a server plugin returns of it. */
    server,
    ask,
    /** Has it do something; rejects where it is over or halted, or does not answer in time. */
    demand: async (deed: (one: L) => Promise<unknown>): Promise<void> => {
      await inTime(deed(awake()), stopping.signal);
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
      counts.push(count);
      settlements.push(() => {
        before = add(before, told);
        told = none;
      });
      return () => count();
    },
  };
}

/** Rejects where something takes too long, or is no longer wanted. */
function inTime<T>(doing: Promise<T>, signal: AbortSignal): Promise<T> {
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
