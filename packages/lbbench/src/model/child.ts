/** How a child process ended. */
export interface ChildExit {
  readonly code: number | null;
  /** Its name, such as `SIGKILL`. A text, so that a program that uses our types needs none of Node. */
  readonly signal: string | null;
  /** The last lines it printed. */
  readonly output: readonly string[];
}

/** Functions of another process: each answers later. */
export type Calls<Remote extends object> = {
  readonly [Name in keyof Remote]: Remote[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Awaited<Answer>>
    : never;
};

/** A process of another machine that can be called. */
export interface RemoteChild<Remote extends object> {
  readonly place: "remote";
  readonly name: string;
  /** Its functions; a call rejects when the process is lost before it answers. */
  readonly call: Calls<Remote>;
}

/** A running child process that can be called. */
export interface Child<Remote extends object> {
  readonly place: "local";
  readonly pid: number;
  readonly name: string;
  /** Its functions; a call rejects, with an error of the code `CHILD_DIED`, when the process ends before it answers. */
  readonly call: Calls<Remote>;
  /** Resolves when the process has ended; never rejects. */
  readonly exited: Promise<ChildExit>;
  /** Resolves when the process has ended without having been asked to; never rejects. */
  readonly died: Promise<ChildExit>;
  /** Asks it to end, kills it after a grace period of five seconds, and waits. May be called more than once. */
  readonly stop: () => Promise<void>;
}

/** Processes that are kept between uses, so that their code stays compiled. */
export interface ChildPool {
  /** The first `count` living processes of a built module, started where there are too few. */
  readonly acquire: <Remote extends object>(
    entry: string,
    count: number,
  ) => readonly (Child<Remote> | RemoteChild<Remote>)[];
  /** Ends all of them and waits. */
  readonly close: () => Promise<void>;
}

/** The same of this machine alone. */
export interface LocalPool extends ChildPool {
  readonly acquire: <Remote extends object>(entry: string, count: number) => readonly Child<Remote>[];
}
