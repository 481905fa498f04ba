/** A server whose processes can be killed, stopped, paused and started again while it is measured. */
import type { FaultDeed, FaultKind, FaultyPart, RunningServer } from "../plugin.js";
import type { Role, WatchedProcess } from "../model/usage.js";
import { deferred, inTime } from "../system/settle.js";
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

/** Throws an `Error` that names the part and its state, if it is in none of `to`. */
function insistOn(called: string, to: readonly State[], state: State): void {
  if (to.includes(state)) return;
  const is = { running: to.includes("paused") ? "not paused" : "running", paused: "paused", over: "not running" };
  throw new Error(`${called} is ${is[state]}`);
}

/** What can be done, and in which states. */
interface Deed {
  readonly to: readonly State[];
  readonly act: (deed: FaultDeed) => Promise<unknown>;
}

type Deeds = Partial<Readonly<Record<FaultKind, Deed>>>;

/** How long a deed may take, and requests under way at the end of a life, in ms. */
const LIMIT_MS = 6000;
const LATE = `Nothing was seen of it within ${LIMIT_MS} ms`;

/** A server, or a part of one, followed through its lives. A life that a fault or `stop` has ended has not died. */
export class Lives<L extends Life> {
  /** The part of a `RunningServer` that follows from its lives. */
  readonly server: Required<Pick<RunningServer, "processes" | "processesNow" | "parts" | "died" | "stop">>;
  readonly #lived: Lived<L>;
  /** Absent after a life, of which nothing is left when `#burial` settles. */
  #life: L | undefined;
  #burial: Promise<void> = Promise.resolve();
  #isPaused = false;
  /** Processes that are paused, also if they have left the server since. */
  readonly #halted = new Set<number>();
  /** Lives that were asked to end. */
  readonly #asked = new WeakSet<L>();
  readonly #died = deferred<string>();
  readonly #stopping = new AbortController();
  /** The deed under way: deeds are done one after the other. */
  #busy: Promise<unknown> = Promise.resolve();
  /** What a life is asked for, and what is done with its last answer when it is over. */
  readonly #tallies: Readonly<{ count: (isLast: boolean) => Promise<unknown>; settle: () => void }>[] = [];
  /** Answer the open questions with `undefined`. */
  readonly #waiting = new Set<(nothing: undefined) => void>();

  constructor(lived: Lived<L>) {
    const { name, role, first, members } = lived;
    this.#lived = lived;
    this.#follow(first);
    const whole = this.#partOf({ name, role, stateNow: () => this.#state }, this.#deeds());
    const parts = members?.names.map((member, index) => this.#memberPart(members, member, index)) ?? [];
    let stopped: Promise<void> | undefined;
    this.server = {
      processes: first.watched(),
      processesNow: () => this.#life?.watched() ?? [],
      parts: [whole, ...parts],
      died: this.#died.promise,
      stop: () => (stopped ??= this.#end()),
    };
  }

  /** Asks the life a question; `undefined` if it is over or paused, or becomes so before it has answered. */
  async ask<T>(question: (life: L) => Promise<T>): Promise<T | undefined> {
    const life = this.#life;
    if (life === undefined || this.#halted.size > 0) return undefined;
    const { promise: left, resolve: leave } = deferred<undefined>();
    this.#waiting.add(leave);
    try {
      return await Promise.race([question(life), left]);
    } catch (error) {
      if (this.#asked.has(life)) return undefined;
      throw error;
    } finally {
      this.#waiting.delete(leave);
    }
  }

  /** Has the life do something; rejects if it is over or paused, or does not answer in time. */
  async demand(deed: (life: L) => Promise<unknown>): Promise<void> {
    await this.#inTime(deed(this.#running()));
  }

  /**
   * Makes a count over all lives. A life that cannot be asked counts with its last answer. The last question of a life (`isLast`), just
   * before it finishes, may be answered at its end.
   */
  tally<T>(question: (life: L, isLast: boolean) => Promise<T>, none: T, add: (sum: T, more: T) => T): () => Promise<T> {
    let [before, told] = [none, none];
    const count = async (isLast: boolean): Promise<T> => {
      const asked = this.#life;
      const answer = await this.ask((life) => question(life, isLast));
      if (answer !== undefined && asked === this.#life) told = answer;
      return add(before, told);
    };
    const settle = (): void => void ([before, told] = [add(before, told), none]);
    this.#tallies.push({ count, settle });
    return () => count(false);
  }

  #follow(life: L): void {
    this.#life = life;
    void life.died.then((how) => void (this.#asked.has(life) || this.#died.resolve(how)));
  }

  get #state(): State {
    if (this.#life === undefined) return "over";
    return this.#isPaused ? "paused" : "running";
  }

  /** The life; throws an `Error` if it is over or paused. */
  #running(): L {
    insistOn(this.#lived.name, ["running"], this.#state);
    return this.#life as L;
  }

  /** Ends a life; resolves when nothing is left of it. */
  #bury(life: L): Promise<void> {
    this.#burial = life.stop();
    this.#burial.catch(() => {});
    [this.#life, this.#isPaused] = [undefined, false];
    this.#halted.clear();
    this.#giveUp();
    for (const { settle } of this.#tallies) settle();
    return this.#burial;
  }

  /** A paused process may never answer. */
  #giveUp(): void {
    for (const leave of this.#waiting) leave(undefined);
  }

  #countAll(isLast: boolean): Promise<unknown> {
    return Promise.all(this.#tallies.map(({ count }) => count(isLast)));
  }

  async #halt(pids: readonly number[]): Promise<void> {
    this.#giveUp();
    for (const pid of pids) this.#halted.add(pid);
    await pauseProcesses(pids);
  }

  /** The processes of a life and all paused ones, each once. */
  #allOf(life: L): readonly number[] {
    return [...new Set([...life.pids(), ...this.#halted])];
  }

  /** Rejects if something takes longer than a deed may, or when the server is stopped. */
  #inTime<T>(doing: Promise<T>): Promise<T> {
    return inTime(doing, { limitMs: LIMIT_MS, late: LATE, signal: this.#stopping.signal });
  }

  async #end(): Promise<void> {
    this.#stopping.abort(new Error(`${this.#lived.name} is being stopped`));
    await this.#busy;
    const life = this.#life;
    if (life === undefined) return this.#burial;
    this.#asked.add(life);
    // A paused process cannot end by itself. If it cannot be resumed, stopping kills it.
    if (this.#halted.size > 0) await resumeProcesses(this.#allOf(life)).catch(() => {});
    await this.#bury(life);
  }

  /** A part with the deeds that can be done to it, one after the other over all parts of the server. */
  #partOf(part: Pick<FaultyPart, "name" | "role"> & { readonly stateNow: () => State }, can: Deeds): FaultyPart {
    const { name, role, stateNow } = part;
    const apply = async (asked: FaultDeed): Promise<void> => {
      this.#stopping.signal.throwIfAborted();
      const deed = can[asked.kind];
      if (deed === undefined) {
        throw new Error(`${name}: expected one of ${Object.keys(can).join(", ")}, got ${asked.kind}`);
      }
      insistOn(name, deed.to, stateNow());
      await deed.act(asked);
    };
    return {
      name,
      role,
      can: Object.keys(can) as FaultKind[],
      apply: (asked) => {
        const doing = this.#busy.then(() => apply(asked));
        this.#busy = doing.catch(() => {});
        return doing;
      },
    };
  }

  /** What can be done to the server itself, once its state was checked. */
  #deeds(): Deeds {
    const { name, begin, deeds = {} } = this.#lived;
    const further = Object.entries(deeds).map(([kind, act]): [string, Deed] => {
      const doIt = async (deed: FaultDeed): Promise<void> => {
        // A paused process would do the deed only after it has been given up.
        if (this.#halted.size > 0) throw new Error(`a process of ${name} is paused`);
        await this.#inTime(act(this.#life as L, deed));
      };
      return [kind, { to: ["running"], act: doIt }];
    });
    return {
      kill: {
        to: ["running", "paused"],
        act: async () => {
          const life = this.#life as L;
          this.#asked.add(life);
          await killProcesses(life.pids());
          // The fault has taken effect: the rest, such as removing files, need not be waited for.
          void this.#bury(life);
        },
      },
      start: {
        to: ["over"],
        act: async () => {
          await this.#burial;
          this.#follow(await begin(this.#stopping.signal));
        },
      },
      stop: {
        to: ["running"],
        act: async () => {
          const life = this.#life as L;
          const pids = this.#allOf(life);
          this.#asked.add(life);
          // Counts are asked for before the end, because not every server tells them at its end. Requests that take too long are cut off.
          await this.#inTime(this.#countAll(false)).catch(() => {});
          const counting = this.#inTime(this.#countAll(true)).catch(() => {});
          await this.#inTime(life.finish()).catch(() => {});
          await counting;
          await this.#bury(life);
          await waitUntilSeen(() => pids.every(isGone), `the processes of ${name} to be gone`);
          // A paused member ignores signals until it goes on.
          await releaseProcesses(pids);
        },
      },
      pause: {
        to: ["running"],
        act: async () => {
          this.#isPaused = true;
          await this.#halt((this.#life as L).pids());
        },
      },
      resume: {
        to: ["paused"],
        act: async () => {
          await resumeProcesses(this.#allOf(this.#life as L));
          this.#isPaused = false;
          this.#halted.clear();
        },
      },
      ...Object.fromEntries(further),
    };
  }

  /** A member as a part that faults are done to, while the server runs. */
  #memberPart(members: Members<L>, name: string, index: number): FaultyPart {
    const pidNow = (): number | undefined => members.pids(this.#running())[index];
    const stateNow = (): State => {
      const now = pidNow();
      if (now === undefined || isGone(now)) return "over";
      return this.#halted.has(now) ? "paused" : "running";
    };
    const onPid = (act: (pid: number) => Promise<void>) => async (): Promise<void> => {
      const pid = pidNow();
      if (pid === undefined) throw new Error(`${name} is not running`);
      await act(pid);
    };
    const kill = onPid(async (pid) => {
      members.expectDeath(this.#running(), pid);
      await killProcesses([pid]);
      this.#halted.delete(pid);
    });
    const resume = onPid(async (pid) => {
      await resumeProcesses([pid]);
      this.#halted.delete(pid);
    });
    return this.#partOf(
      { name, role: "backend", stateNow },
      {
        kill: { to: ["running", "paused"], act: kill },
        start: { to: ["over"], act: () => this.#inTime(members.begin(this.#running(), index)) },
        pause: { to: ["running"], act: onPid((pid) => this.#halt([pid])) },
        resume: { to: ["paused"], act: resume },
      },
    );
  }
}
